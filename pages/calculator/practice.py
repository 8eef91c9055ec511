"""The Practice mode: solve an exercise on paper, fill in the answer, see each cell checked."""

from functools import partial
from math import prod

import streamlit as st

from model.calculator.practice.exercise import LEVELS, QUESTIONS, Exercise
from model.calculator.practice.problem import Problem
from pages.calculator import practice_answers as answers
from pages.calculator.calculate import calculate
from pages.calculator.cards import draw_steps
from pages.calculator.controls import choose_decimals
from pages.calculator.practice_answers import Key
from pages.calculator.practice_exercise import draw_exercise, draw_verdict, sentences, task_text
from pages.calculator.practice_print import print_buttons
from pages.calculator.url import PARAMETERS
from viz.cards.matrices import Names
from web.language import _, in_words, ngettext
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.choices import choose
from web.widgets.share_link import copy_link


@fragment("practice")
def draw() -> None:
    """Draw the choice of a set, one exercise, the verdict and the score."""
    answers.initialise()
    _choose_set()
    exercises = answers.current_key().exercises()
    _choose_exercise(len(exercises))
    key = answers.current_key()
    exercise = exercises[key.number]
    assignment = answers.current_assignment()
    title, story = in_words(exercise.title(key.number + 1)), sentences(exercise.story())
    st.markdown(f"**{title}**  \n{story}")
    st.markdown(task_text(exercise, assignment))
    checked = answers.checked(key, exercise)
    revealed = key in st.session_state["revealed"] and st.session_state["reveal"]
    draw_exercise(key, exercise, checked, revealed)
    _draw_buttons(key)
    if checked is not None:
        draw_verdict(checked)
    _draw_score(exercises)
    if revealed:
        _draw_solution(exercise)
    address.keep(PARAMETERS)


# -- choices ---------------------------------------------------------------------------------------


def _choose_set() -> None:
    """Draw the choice of a set, and of the question."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose(_("Level"), LEVELS, key="level")
        st.number_input(
            _("Set"),
            min_value=0,
            max_value=9_999,
            key="seed",
            persist_state="session",
            width=130,
            help=_(
                "The same number gives the same exercises to everybody. It is part of the link."
            ),
        )
        questions = {name: in_words(label) for name, label in QUESTIONS.items()}
        choose(_("Asked"), questions, key="ask")
        if st.session_state["ask"] != "mask":
            choose_decimals()
        _choose_reveal()


def _choose_reveal() -> None:
    """Draw the switch for the answers, but not for students who opened a link without answers."""
    if st.session_state["reveal"] or st.session_state.get("teacher"):
        st.session_state["teacher"] = True
        st.toggle(
            _("Allow “Show the answer”"),
            key="reveal",
            persist_state="session",
            help=_("Turn it off and copy the link. A class that opens it cannot see the answers."),
        )


def _choose_exercise(count: int) -> None:
    """Draw the choice of one exercise; finished ones have a mark."""
    done = {number for number, (right, total) in answers.results().items() if right == total}
    names = {i: f"{i + 1} ✓" if i in done else str(i + 1) for i in range(count)}
    choose(_("Exercise"), names, key="exercise")


# -- buttons ---------------------------------------------------------------------------------------


def _draw_buttons(key: Key) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Check"), key="check", type="primary", on_click=partial(answers.hand_in, key))
        if st.session_state["reveal"]:
            shown = key in st.session_state["revealed"]
            st.button(
                _("Hide the answer") if shown else _("Show the answer"),
                key="show_answer",
                on_click=partial(_toggle_answer, key),
            )
        else:
            st.caption(_("Answers are hidden in this set."), width="content")
        copy_link()
        print_buttons(key)


def _toggle_answer(key: Key) -> None:
    """Show the answer, or hide it; a callback."""
    st.session_state["revealed"] ^= {key}


# -- results ---------------------------------------------------------------------------------------


def _draw_score(exercises: tuple[Exercise, ...]) -> None:
    """Draw the score of the set for the current question and decimals."""
    results = answers.results().values()
    question = st.session_state["ask"]
    cells = sum(prod(exercise.grid_sizes()[question]) for exercise in exercises)
    st.caption(
        ngettext(
            "**Score: {done} of {count} exercise, {right} of {cells} cells.**",
            "**Score: {done} of {count} exercises, {right} of {cells} cells.**",
            len(exercises),
        ).format(
            done=sum(right == total for right, total in results),
            count=len(exercises),
            right=sum(right for right, _total in results),
            cells=cells,
        )
    )


def _draw_solution(exercise: Exercise) -> None:
    """Draw the explanation in words, and the steps of a numeric exercise."""
    if explanation := exercise.explanation():
        name, *findings = explanation
        st.markdown(" ".join([f"**{in_words(name)}.**", *map(in_words, findings)]))
    if (problem := exercise.worked_problem()) is not None:
        _draw_steps(problem)


def _draw_steps(problem: Problem) -> None:
    tokens = tuple(map(str, range(max(len(problem.q), len(problem.k)))))
    names = Names(tokens[: len(problem.q)], tokens[: len(problem.k)])
    calculated = calculate(
        lambda _settings: problem.calculation(),
        problem.settings,
        names,
        decimals=st.session_state["decimals"],
    )
    draw_steps(calculated, names, key="steps", toggles=False)
