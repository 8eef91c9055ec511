"""One exercise: what is given, and the grids to fill in, or the mistakes to choose among."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from torch import Tensor

from model.calculator.exercises import Exercise
from model.calculator.mask_exercises import MaskExercise
from model.calculator.mistake_exercises import MistakeExercise
from model.calculator.mistakes import MISTAKES
from model.calculator.practice import Checked
from pages.calculator import answers, grids
from pages.calculator.controls import mistake_names
from pages.calculator.practice_kinds import AnyExercise, Asking, Key
from pages.calculator.practice_task import step_title
from pages.shared.language import _
from viz.cards.worksheet import written


def draw_exercise(
    key: Key, exercise: AnyExercise, checked: Checked | None, told: Sequence[grids.Grid]
) -> None:
    """Draw what is given, and what is to be done with it, marked as far as it was handed in.

    Args:
        key: Which exercise it is.
        exercise: The same.
        checked: What its answers were worth.
        told: Grids of what is told of it by now, to stand beside the others.
    """
    asking = answers.asking_now()
    grids.draw(
        [*_given(exercise, asking), *_to_fill_in(key, exercise, checked), *told],
        key=answers.GRIDS,
        on_edited=partial(answers.keep, key),
        strings={
            "kept": _("Your answers stay in this browser; no link carries them."),
            "clear": _("Clear my answers to this set"),
            "cut": _("Of the {rows} x {columns} cells pasted, {kept} fit here."),
        },
        about=str(tuple(key)),
        keep=answers.kept(key),
    )
    if isinstance(exercise, MistakeExercise):
        _choose_mistake(key)


def given_numbers(exercise: AnyExercise, asking: Asking) -> dict[str, list[list[str]]]:
    """The matrices that are given, by name, as they are written."""
    if isinstance(exercise, MaskExercise):
        return {}
    if isinstance(exercise, MistakeExercise):
        made = exercise.with_mistake(exercise.made)
        shown = _short(exercise.exercise)
        return shown | {
            "weights": rounded(made.weights[0], asking.decimals),
            "context": rounded(made.context[0], asking.decimals),
        }
    shown = _short(exercise)
    return shown if asking.asked == "context" else {name: shown[name] for name in "QK"}


def _short(exercise: Exercise) -> dict[str, list[list[str]]]:
    matrices = {"Q": exercise.q, "K": exercise.k, "V": exercise.v}
    return {
        name: [[f"{x:g}" for x in row] for row in matrix.tolist()]
        for name, matrix in matrices.items()
    }


def rounded(matrix: Tensor, decimals: int) -> list[list[str]]:
    """A matrix as it is written, to so many decimals."""
    return [[written(x, decimals) for x in row] for row in matrix.tolist()]


def _given(exercise: AnyExercise, asking: Asking) -> list[grids.Grid]:
    titles = {"weights": _("Weights, as the code has them"), "context": _("Context")}
    return [
        grids.Grid(
            f"given_{name}" if name in titles else name, name, cells, title=titles.get(name, "")
        )
        for name, cells in given_numbers(exercise, asking).items()
    ]


def _to_fill_in(key: Key, exercise: AnyExercise, checked: Checked | None) -> list[grids.Grid]:
    if isinstance(exercise, MistakeExercise):
        return []
    asking = answers.asking_now()
    return [
        grids.Grid(
            step,
            "allowed" if step == "mask" else step,
            cells,
            label=step_title(step, asking),
            title=step_title(step, asking),
            locked=False,
            marks=answers.marks(key, step, cells, checked),
            toggles=(_("seen"), _("hidden")) if step == "mask" else None,
        )
        for step, cells in answers.filled(key, exercise).items()
    ]


def _choose_mistake(key: Key) -> None:
    """Draw the mistakes to choose among; none is chosen at first."""
    known = st.session_state["answers"].get(key, {})
    st.session_state["guess"] = known["mistake"][0][0] if known else None
    st.radio(
        _("The mistake"),
        [*MISTAKES],
        format_func=lambda name: mistake_names()[name],
        key="guess",
        horizontal=True,
        label_visibility="collapsed",
        on_change=partial(_guessed, key),
    )


def _guessed(key: Key) -> None:
    """Keep what was chosen; a callback."""
    chosen = st.session_state["guess"]
    st.session_state["answers"][key] = {"mistake": [[chosen]]}
