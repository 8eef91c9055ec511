"""What was filled in, handed in and got right, exercise by exercise, in the session."""

import streamlit as st

from model.calculator.exercises import STEPS, Exercise, Step, exercises
from model.calculator.practice import Checked, check
from pages.calculator import grids
from pages.calculator.grid_text import Cells

GRIDS = "answer_grids"
"""The key of the grids that are filled in."""

Key = tuple[int, int, int]
"""Seed, level and number of an exercise."""


def begin() -> None:
    """Nothing was filled in yet."""
    for name in ("answers", "snapshots", "results"):
        st.session_state.setdefault(name, {})
    st.session_state.setdefault("revealed", set())


def filled(key: Key, exercise: Exercise) -> dict[Step, Cells]:
    """What was filled in so far, up to the step that is asked; empty cells where nothing was."""
    known = st.session_state["answers"].get(key, {})
    steps = STEPS[: STEPS.index(st.session_state["ask"]) + 1]
    empty = {step: [[""] * len(row) for row in exercise.true(step).tolist()] for step in steps}
    return {step: known.get(step, empty[step]) for step in steps}


def keep(key: Key) -> None:
    """Keep what was filled in, if anything was; a callback."""
    cells, _names = grids.edit(GRIDS)
    known = st.session_state["answers"].setdefault(key, {})
    known.update({step: cells[step] for step in STEPS if step in cells})


def hand_in(key: Key) -> None:
    """Check the answers; a callback."""
    # The last cell and the button may arrive in one message, and Streamlit call this first.
    keep(key)
    state = st.session_state
    exercise = exercises(*key[:2])[key[2]]
    given = {step: [list(row) for row in grid] for step, grid in filled(key, exercise).items()}
    found = check(exercise, given, state["ask"], state["decimals"])
    state["snapshots"][key] = given
    state["results"][key] = (state["ask"], state["decimals"], found.right, found.total)


def checked(key: Key, exercise: Exercise) -> Checked | None:
    """What the answers were worth when they were last handed in."""
    snapshot = st.session_state["snapshots"].get(key)
    if snapshot is None:
        return None
    return check(exercise, snapshot, st.session_state["ask"], st.session_state["decimals"])


def marks(key: Key, step: Step, cells: Cells, found: Checked | None) -> list[list[str]] | None:
    """What became of each cell; nothing of those that were changed since they were handed in."""
    if found is None or step not in found.marks:
        return None
    old = st.session_state["snapshots"][key][step]
    return [
        [mark if cells[i][j] == old[i][j] else "" for j, mark in enumerate(row)]
        for i, row in enumerate(found.marks[step])
    ]


def results() -> dict[int, tuple[int, int]]:
    """Cells right and cells in all of each exercise handed in, as the set is asked now."""
    state = st.session_state
    return {
        key[2]: result[2:]
        for key, result in state["results"].items()
        if key[:2] == (state["seed"], state["level"])
        and result[:2] == (state["ask"], state["decimals"])
    }
