"""The Practice mode: solve an exercise on paper, fill in the answer, see each cell checked."""

from functools import partial
from math import prod

import streamlit as st
from torch import Tensor

from model.calculator.practice import Exercise, MaskExercise
from model.calculator.practice.exercise import QUESTIONS, Checked
from model.calculator.practice.mask import ALLOWED, HIDDEN
from model.calculator.practice.problem import Problem
from pages.calculator import grids
from pages.calculator import practice_answers as answers
from pages.calculator.calculate import calculate
from pages.calculator.cards import draw_steps
from pages.calculator.grid_text import GridCells
from pages.calculator.practice_answers import Key
from pages.calculator.url import Calculator
from viz.cards.matrices import MatrixNames
from web.language import _, in_words, sentences
from web.view_state import address
from web.view_state.widget_fields import fragment


@fragment("practice")
def draw() -> None:
    """Draw the choice of a set, one exercise, the verdict and the score."""
    answers.initialise()
    exercises = answers.current_key().exercises()
    checks = [
        answers.checked(answers.current_key()._replace(number=number), exercise)
        for number, exercise in enumerate(exercises)
    ]
    _choose_exercise(len(exercises))
    key = answers.current_key()
    exercise, checked = exercises[key.number], checks[key.number]
    title = in_words(exercise.title(key.number + 1))
    st.markdown(f"**{title}**  \n{sentences(*map(in_words, exercise.story()))}")
    st.markdown(sentences(*map(in_words, exercise.task(answers.current_assignment()))))
    revealed = key in st.session_state["revealed"] and Calculator.reveal.value
    _draw_grids(key, exercise, checked, revealed)
    _draw_buttons(key)
    if checked is not None:
        show = st.success if checked.complete else st.warning if checked.wrong else st.info
        why = answers.reason(key, exercise, checked)
        show(sentences(in_words(checked.summary()), in_words(why) if why else ""))
    _draw_score(exercises, checks)
    if revealed and isinstance(exercise, Problem):
        _draw_steps(exercise)
    address.keep(Calculator.fields)


def _choose_exercise(count: int) -> None:
    """Draw the choice of the question and the exercise; the set is among the options."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Calculator.ask.draw()
        Calculator.exercise.draw(options={n: str(n + 1) for n in range(count)})
        with st.popover(_("Options"), icon=":material/tune:", key="options"):
            Calculator.level.draw()
            Calculator.seed.draw()
            if Calculator.ask.value != "mask":
                Calculator.decimals.draw()
            # Not for students who opened a link without answers.
            if Calculator.reveal.value or st.session_state.get("teacher"):
                st.session_state["teacher"] = True
                Calculator.reveal.draw()


def _draw_grids(key: Key, exercise: Exercise, checked: Checked | None, revealed: bool) -> None:
    """Draw the given matrices, the grid to fill in and, of a mask, the right one if revealed."""
    cells, mask = answers.filled_in(key, exercise), key.question == "mask"
    title = _("queries down, keys across") if mask else in_words(QUESTIONS[key.question])
    states = (_("allowed"), _("hidden")) if mask else None
    drawn = [
        grids.Grid(name, name, _numbers(matrix))
        for name, matrix in exercise.given(key.question).items()
    ]
    drawn.append(
        grids.Grid(
            key.question,
            "allowed" if mask else key.question,
            cells,
            label=title,
            title=title,
            locked=False,
            marks=answers.marks(key, cells, checked),
            toggles=states,
        )
    )
    if revealed and isinstance(exercise, MaskExercise):
        right = [[ALLOWED if x else HIDDEN for x in row] for row in exercise.true().tolist()]
        name = _("The right mask")
        drawn.append(
            grids.Grid("right_mask", "allowed", right, label=name, title=name, toggles=states)
        )
    grids.draw(
        drawn,
        key=answers.GRIDS,
        on_edited=partial(answers.store_edits, key),
        strings={
            "kept": _("Your answers stay in this browser. A link does not contain them."),
            "clear": _("Clear my answers to this set"),
        },
        stored=answers.stored(key),
    )


def _numbers(matrix: Tensor) -> GridCells:
    return [[f"{x:g}" for x in row] for row in matrix.tolist()]


def _draw_buttons(key: Key) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Check"), key="check", type="primary", on_click=partial(answers.hand_in, key))
        if Calculator.reveal.value:
            shown = key in st.session_state["revealed"]
            st.button(
                _("Hide the answer") if shown else _("Show the answer"),
                key="show_answer",
                on_click=partial(_toggle_answer, key),
            )


def _toggle_answer(key: Key) -> None:
    """Show the answer, or hide it; a callback."""
    st.session_state["revealed"] ^= {key}


def _draw_score(exercises: tuple[Exercise, ...], checks: list[Checked | None]) -> None:
    """Draw the score of the set for the current question and decimals."""
    found = [checked for checked in checks if checked is not None]
    score = _("**Solved: {done} of {count} exercises, {right} of {cells} cells.**").format(
        done=sum(checked.complete for checked in found),
        count=len(exercises),
        right=sum(checked.right for checked in found),
        cells=sum(prod(each.shape(Calculator.ask.value)) for each in exercises),
    )
    st.caption(score)


def _draw_steps(problem: Problem) -> None:
    tokens = tuple(map(str, range(len(problem.q))))
    names = MatrixNames(tokens, tokens)
    calculated = calculate(
        lambda _settings: problem.calculation(),
        problem.settings,
        names,
        decimals=Calculator.decimals.value,
    )
    draw_steps(calculated, names, key="steps", toggles=False)
