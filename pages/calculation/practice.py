"""Practice: work it out on paper, fill it in, be told cell by cell how it went."""

from functools import partial
from typing import Any

import streamlit as st

from model.calculator import Settings
from model.calculator.exercises import LEVELS, STEPS, Exercise, Step, exercises
from model.calculator.practice import Checked, check, tolerance
from pages import components
from pages.calculation.address import PARAMETERS, Cells, clean
from pages.calculation.cards import draw_steps
from pages.calculation.controls import choose_decimals
from pages.calculation.work import Shown, work_out
from pages.common import link
from pages.common.i18n import _, in_words, ngettext
from viz.formula import mathml
from viz.steps import SYMBOLS, Names

MATRIX = {"scores": "scaled", "weights": "weights", "output": "output"}
"""The name that the steps give to what is asked."""

Key = tuple[int, int, int]
"""Seed, level and number of an exercise."""


@st.fragment(key="practice")
def draw() -> None:
    """Draw the set, one exercise of it, and what became of the answers."""
    _choose_set()
    state = st.session_state
    level, seed, asked = state["level"], state["seed"], state["ask"]
    exercise_set = exercises(seed, level)
    _choose_exercise(len(exercise_set))
    key = (seed, level, state["exercise"])
    exercise = exercise_set[state["exercise"]]
    steps = STEPS[: STEPS.index(asked) + 1]
    st.markdown(_task(exercise, asked))
    answers = _answers(key, exercise, steps)
    checked = _checked(key, exercise)
    _grids(key, exercise, answers, checked)
    _buttons(key)
    if checked is not None:
        _verdict(checked)
    _score(exercise_set)
    if key in state["revealed"] and state["reveal"]:
        shown = _solution(exercise)
        draw_steps(shown, _names(exercise), key="steps", toggles=False)
    link.keep(PARAMETERS)


# -- the set -------------------------------------------------------------------------------------


def _choose_set() -> None:
    for name in ("answers", "snapshots", "scores"):
        st.session_state.setdefault(name, {})
    st.session_state.setdefault("revealed", set())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Level"), LEVELS, key="level", required=True, persist_state="session"
        )
        st.number_input(
            _("Set"),
            min_value=0,
            max_value=9_999,
            key="seed",
            persist_state="session",
            width=130,
            help=_("The same number gives everyone the same exercises; the link carries it."),
        )
        st.segmented_control(
            _("Asked"),
            STEPS,
            format_func=lambda step: _step_name(step),
            key="ask",
            required=True,
            persist_state="session",
        )
        choose_decimals()
        _choose_reveal()


def _choose_reveal() -> None:
    """Whoever made the set decides; whoever got it by a link without reveal is not asked."""
    if st.session_state["reveal"] or st.session_state.get("teacher"):
        st.session_state["teacher"] = True
        st.toggle(
            _("Answers can be revealed"),
            key="reveal",
            persist_state="session",
            help=_("Turn it off and copy the link: a class gets the set without the answers."),
        )


def _choose_exercise(count: int) -> None:
    state = st.session_state
    done = {k[2] for k, score in state["scores"].items() if _counts(k, score)}
    st.segmented_control(
        _("Exercise"),
        range(count),
        format_func=lambda i: f"{i + 1} ✓" if i in done else str(i + 1),
        key="exercise",
        required=True,
        persist_state="session",
    )


def _counts(key: Key, score: tuple[Step, int, int, int]) -> bool:
    """Whether an exercise of this set was fully right, as it is asked now."""
    state = st.session_state
    step, decimals, right, total = score
    same = key[:2] == (state["seed"], state["level"])
    return same and (step, decimals) == (state["ask"], state["decimals"]) and right == total


def _step_name(step: str) -> str:
    return {"scores": _("Scores"), "weights": _("Weights"), "output": _("Output")}[step]


# -- one exercise --------------------------------------------------------------------------------


def _names(exercise: Exercise) -> Names:
    rows = tuple(map(str, range(max(len(exercise.q), len(exercise.k)))))
    return Names(rows[: len(exercise.q)], rows[: len(exercise.k)])


def _task(exercise: Exercise, asked: Step) -> str:
    tasks = {
        "scores": _("Work out the **scaled scores** QKᵀ / {divisor}, before any mask."),
        "weights": _("Work out the **weights**: the softmax of QKᵀ / {divisor} along each row."),
        "output": _("Work out the **output**: softmax(QKᵀ / {divisor}) times V."),
    }
    settings = exercise.settings
    divisor = f"√{exercise.q.shape[1]}"
    if settings.temperature != 1:
        divisor = f"({divisor} × {settings.temperature:g})"
    near = f"{tolerance(st.session_state['decimals']):.{st.session_state['decimals']}f}"
    masks = {
        "none": "",
        "causal": _(" Causal mask: query i sees the keys 0 to i."),
        "padding": _(" The last key is padding: no query sees it."),
    }
    decimals = _(" {decimals} decimals; right is what lies within {near}.").format(
        decimals=st.session_state["decimals"], near=near
    )
    return tasks[asked].format(divisor=divisor) + masks[settings.mask] + decimals


def _answers(key: Key, exercise: Exercise, steps: tuple[Step, ...]) -> dict[Step, Cells]:
    """What was filled in so far, empty where nothing was."""
    known = st.session_state["answers"].get(key, {})
    empty = {step: [[""] * len(row) for row in exercise.true(step).tolist()] for step in steps}
    return {step: known.get(step, empty[step]) for step in steps}


def _checked(key: Key, exercise: Exercise) -> Checked | None:
    """What the answers were worth when they were last handed in."""
    snapshot = st.session_state["snapshots"].get(key)
    if snapshot is None:
        return None
    return check(exercise, snapshot, st.session_state["ask"], st.session_state["decimals"])


def _grids(
    key: Key, exercise: Exercise, answers: dict[Step, Cells], checked: Checked | None
) -> None:
    asked = st.session_state["ask"]
    given = {"Q": exercise.q, "K": exercise.k} | ({"V": exercise.v} if asked == "output" else {})
    grids = [_grid(n, n, [[f"{x:g}" for x in row] for row in m.tolist()]) for n, m in given.items()]
    for step, cells in answers.items():
        grid = _grid(step, MATRIX[step], cells)
        grid["locked"] = False
        grid["label"] = grid["title"] = _step_name(step)
        if step != asked:
            grid["title"] = _("{step} (on the way, if you like)").format(step=_step_name(step))
        if checked is not None and step in checked.marks:
            old = st.session_state["snapshots"][key][step]
            grid["marks"] = [
                [mark if cells[i][j] == old[i][j] else "" for j, mark in enumerate(row)]
                for i, row in enumerate(checked.marks[step])
            ]
        grids.append(grid)
    components.grids(
        {
            "version": st.session_state.get("answers_version", 0),
            "grids": grids,
            "names": {},
            "strings": {},
        },
        key="answer_grids",
        on_edited=partial(_answered, key),
    )


def _grid(name: str, matrix: str, cells: Cells) -> dict[str, Any]:
    numbers = list(map(str, range(8)))
    return {
        "id": name,
        "label": name,
        "title": "",
        "symbol": mathml(SYMBOLS.get(matrix, matrix)),
        "cells": cells,
        "axis": None,
        "rows": numbers,
        "columns": numbers,
        "sizes": None,
        "locked": True,
        "problem": None,
    }


def _answered(key: Key) -> None:
    """Keep what was filled in, if anything was; a callback."""
    edit = st.session_state["answer_grids"].edited
    if edit is None:
        return
    st.session_state["answers_version"] = int(edit["version"])
    known = st.session_state["answers"].setdefault(key, {})
    for step in STEPS:
        if step in edit["cells"]:
            known[step] = [[clean(str(cell)) for cell in row] for row in edit["cells"][step]]


def _buttons(key: Key) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Check"), key="check", type="primary", on_click=partial(_hand_in, key))
        if st.session_state["reveal"]:
            shown = key in st.session_state["revealed"]
            st.button(
                _("Hide the answer") if shown else _("Reveal the answer"),
                key="show_answer",
                on_click=partial(_reveal, key),
            )
        else:
            st.caption(_("The reveal is turned off for this set."))
        components.copy_link({"copy": _("Copy link"), "copied": _("Link copied")})


def _hand_in(key: Key) -> None:
    """Check the answers; a callback."""
    # The last cell and the button may arrive in one message, and Streamlit call this first.
    _answered(key)
    state = st.session_state
    exercise = exercises(*key[:2])[key[2]]
    steps = STEPS[: STEPS.index(state["ask"]) + 1]
    answers = {step: [list(row) for row in c] for step, c in _answers(key, exercise, steps).items()}
    checked = check(exercise, answers, state["ask"], state["decimals"])
    state["snapshots"][key] = answers
    state["scores"][key] = (state["ask"], state["decimals"], checked.right, checked.total)


def _reveal(key: Key) -> None:
    """Show the answer, or hide it again; a callback."""
    st.session_state["revealed"] ^= {key}


def _verdict(checked: Checked) -> None:
    if checked.complete:
        st.success(_("All {total} cells are right.").format(total=checked.total))
        return
    said = _("{right} of {total} cells are right.").format(right=checked.right, total=checked.total)
    slip = checked.slip
    if slip is None:
        st.info(said)
        return
    where = _("The first wrong step is **{step}**, row {row}, column {column}.").format(
        step=_step_name(slip.step), row=slip.row, column=slip.column
    )
    rule = _("The rule: {rule}").format(rule=in_words(slip.rule))
    guess = f" {in_words(slip.guess)}" if slip.guess else ""
    st.warning(f"{said} {where}{guess} {rule}")


def _score(exercise_set: tuple[Exercise, ...]) -> None:
    """The score of the set, as it is asked now."""
    state = st.session_state
    asked = [
        score[2:]
        for key, score in state["scores"].items()
        if key[:2] == (state["seed"], state["level"])
        and score[:2] == (state["ask"], state["decimals"])
    ]
    cells = sum(e.true(state["ask"]).numel() for e in exercise_set)
    done = sum(right == total for right, total in asked)
    st.caption(
        ngettext(
            "**Score: {done} of {count} exercise, {right} of {cells} cells.**",
            "**Score: {done} of {count} exercises, {right} of {cells} cells.**",
            len(exercise_set),
        ).format(
            done=done, count=len(exercise_set), right=sum(r for r, _total in asked), cells=cells
        )
    )


def _solution(exercise: Exercise) -> Shown:
    def work(wanted: Settings) -> Any:
        return exercise.calculation()

    return work_out(work, exercise.settings, _names(exercise))
