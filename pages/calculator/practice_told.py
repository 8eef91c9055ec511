"""What is told of masks and of mistakes: a guess that was handed in, and the answer on demand."""

import streamlit as st
from torch import Tensor

from model.calculator.mask_exercises import ALLOWED, HIDDEN, MaskExercise
from model.calculator.mistake_exercises import MistakeExercise
from pages.calculator import grids
from pages.calculator.controls import mistake_names
from pages.calculator.practice_exercise import rounded
from pages.calculator.practice_kinds import AnyExercise, Key
from pages.shared.language import _, in_words


def told(key: Key, exercise: AnyExercise, revealed: bool) -> list[grids.Grid]:
    """Grids beside the exercise's own: what a wrong guess would have given, and the answer."""
    if isinstance(exercise, MaskExercise):
        return [_mask(exercise)] if revealed else []
    if not isinstance(exercise, MistakeExercise):
        return []
    found = []
    if guess(key) not in ("", exercise.made):
        weights = exercise.with_mistake(guess(key)).weights
        found.append(_weights("guessed_weights", weights, mistake_names()[guess(key)]))
    if revealed:
        right = exercise.exercise.calculation().steps.weights
        found.append(_weights("right_weights", right, _("The right weights")))
    return found


def guess(key: Key) -> str:
    """The mistake that was handed in; blank if none was."""
    handed_in = st.session_state["snapshots"].get(key)
    return handed_in["mistake"][0][0] if handed_in else ""


def draw_mistake_verdict(exercise: MistakeExercise, guess: str) -> None:
    """Say whether it is the mistake; of another, what it would have given."""
    if not guess:
        st.info(_("Choose a mistake first."))
        return
    if guess == exercise.made:
        st.success(" ".join([_("That is it."), *_findings(exercise, guess)]))
        return
    said = _("It is not that: “{mistake}” would have given the weights that stand above now.")
    said = said.format(mistake=mistake_names()[guess])
    st.warning(" ".join([said, *_findings(exercise, guess)]))


def name_mistake(exercise: MistakeExercise) -> None:
    """Name the mistake that was made, and say what went wrong in numbers."""
    name = f"**{mistake_names()[exercise.made]}.**"
    st.markdown(" ".join([name, *_findings(exercise, exercise.made)]))


def _findings(exercise: MistakeExercise, name: str) -> list[str]:
    return [in_words(each) for each in exercise.with_mistake(name).findings]


def _mask(exercise: MaskExercise) -> grids.Grid:
    cells = [[ALLOWED if cell else HIDDEN for cell in row] for row in exercise.true().tolist()]
    states = (_("seen"), _("hidden"))
    return grids.Grid("right_mask", "allowed", cells, title=_("The right mask"), toggles=states)


def _weights(name: str, weights: Tensor, title: str) -> grids.Grid:
    cells = rounded(weights[0], st.session_state["decimals"])  # (H = 1, Tq, Tk) -> (Tq, Tk)
    return grids.Grid(name, "weights", cells, label=title, title=title)
