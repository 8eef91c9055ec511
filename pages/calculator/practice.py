"""Practice: work it out on paper, fill it in, be told cell by cell how it went."""

from functools import partial

import streamlit as st

from model.calculator import Calculation, Settings
from model.calculator.exercises import Exercise, exercises
from pages.calculator import answers
from pages.calculator.address import PARAMETERS
from pages.calculator.cards import draw_steps
from pages.calculator.practice_exercise import draw_grids, task
from pages.calculator.practice_set import choose_exercise, choose_set
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
    level, seed, asked = state["level"], state["seed"], state["ask"]
    exercise_set = exercises(seed, level)
    choose_exercise(len(exercise_set))
    key = (seed, level, state["exercise"])
    exercise = exercise_set[state["exercise"]]
    st.markdown(task(exercise, asked))
    checked = answers.checked(key, exercise)
    draw_grids(key, exercise, checked)
    _buttons(key)
    if checked is not None:
        draw_verdict(checked)
    draw_score(exercise_set)
    if key in state["revealed"] and state["reveal"]:
        _solution(exercise)
    address.keep(PARAMETERS)


def _buttons(key: answers.Key) -> None:
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


def _reveal(key: answers.Key) -> None:
    """Show the answer, or hide it again; a callback."""
    st.session_state["revealed"] ^= {key}


def _solution(exercise: Exercise) -> None:
    """Draw the exercise's own steps."""

    def work(wanted: Settings) -> Calculation:
        return exercise.calculation()

    rows = tuple(map(str, range(max(len(exercise.q), len(exercise.k)))))
    names = Names(rows[: len(exercise.q)], rows[: len(exercise.k)])
    worked = work_out(work, exercise.settings, names)
    draw_steps(worked, names, key="steps", toggles=False)
