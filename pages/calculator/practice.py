"""Practice: work it out on paper, fill it in, be told cell by cell how it went."""

from functools import partial

import streamlit as st

from model.calculator import Calculation, Settings
from model.calculator.exercises import Exercise
from model.calculator.mistake_exercises import MistakeExercise
from pages.calculator import answers
from pages.calculator.address import PARAMETERS
from pages.calculator.cards import draw_steps
from pages.calculator.practice_exercise import draw_exercise
from pages.calculator.practice_kinds import AnyExercise, Key
from pages.calculator.practice_print import print_buttons
from pages.calculator.practice_set import choose_exercise, choose_set
from pages.calculator.practice_task import named, task
from pages.calculator.practice_told import draw_mistake_verdict, guess, name_mistake, told
from pages.calculator.practice_verdict import draw_score, draw_verdict
from pages.calculator.work import work_out
from pages.shared import address
from pages.shared.hand_out import copy_link
from pages.shared.language import _
from viz.cards.matrices import Names


@st.fragment(key="practice")
def draw() -> None:
    """Draw the set, one exercise of it, and what became of the answers."""
    answers.begin()
    choose_set()
    state = st.session_state
    exercise_set = answers.key_now().whole_set()
    choose_exercise(len(exercise_set))
    key = answers.key_now()
    exercise = exercise_set[key.number]
    name, story = named(exercise, key.number + 1)
    st.markdown(f"**{name}**  \n{story}")
    st.markdown(task(exercise, answers.asking_now()))
    checked = answers.checked(key, exercise)
    revealed = key in state["revealed"] and state["reveal"]
    draw_exercise(key, exercise, checked, told(key, exercise, revealed))
    _buttons(key)
    if checked is not None:
        if isinstance(exercise, MistakeExercise):
            draw_mistake_verdict(exercise, guess(key))
        else:
            draw_verdict(checked)
    draw_score(exercise_set)
    if revealed:
        _solution(exercise)
    address.keep(PARAMETERS)


def _buttons(key: Key) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Check"), key="check", type="primary", on_click=partial(answers.hand_in, key))
        if st.session_state["reveal"]:
            shown = key in st.session_state["revealed"]
            st.button(
                _("Hide the answer") if shown else _("Reveal the answer"),
                key="show_answer",
                on_click=partial(_reveal, key),
            )
        else:
            st.caption(_("The reveal is turned off for this set."), width="content")
        copy_link()
        print_buttons(key)


def _reveal(key: Key) -> None:
    """Show the answer, or hide it again; a callback."""
    st.session_state["revealed"] ^= {key}


def _solution(exercise: AnyExercise) -> None:
    """Draw the exercise's own steps, or name its mistake; a mask stands beside the drawn one."""
    if isinstance(exercise, Exercise):
        _draw_steps(exercise)
    elif isinstance(exercise, MistakeExercise):
        name_mistake(exercise)


def _draw_steps(exercise: Exercise) -> None:
    def work(wanted: Settings) -> Calculation:
        return exercise.calculation()

    rows = tuple(map(str, range(max(len(exercise.q), len(exercise.k)))))
    names = Names(rows[: len(exercise.q)], rows[: len(exercise.k)])
    worked = work_out(work, exercise.settings, names)
    draw_steps(worked, names, key="steps", toggles=False)
