"""What was filled in, handed in and got right, exercise by exercise, in the session.

The reader's own browser keeps it too, a set under a name of its own: a session that knows nothing
of a set, after a reload or a restart, is told. No link carries answers: a set that is opened by
somebody else's link shows what was filled in in this browser, and nothing of theirs.
"""

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
    for name in ("revealed", "told"):
        st.session_state.setdefault(name, set())


def filled(key: Key, exercise: Exercise) -> dict[Step, Cells]:
    """What was filled in so far, up to the step that is asked; empty cells where nothing was."""
    known = st.session_state["answers"].get(key, {})
    steps = STEPS[: STEPS.index(st.session_state["ask"]) + 1]
    empty = {step: [[""] * len(row) for row in exercise.true(step).tolist()] for step in steps}
    return {step: known.get(step, empty[step]) for step in steps}


def kept(key: Key) -> grids.Keep:
    """What the browser keeps of a set, and what it is to do with one exercise of it."""
    seed, level, number = key
    return grids.Keep(
        name=_name(seed, level),
        item=str(number),
        unknown=(seed, level) not in st.session_state["told"],
        handed=st.session_state["snapshots"].get(key),
    )


def keep(key: Key) -> None:
    """Keep what was filled in, or cleared, if anything was; a callback."""
    seed, level, _number = key
    if grids.cleared(GRIDS) == _name(seed, level):
        _clear(seed, level)
    _take(key)


def hand_in(key: Key) -> None:
    """Check the answers; a callback."""
    # The last cell and the button may arrive in one message, and Streamlit call this first.
    _take(key)
    exercise = exercises(*key[:2])[key[2]]
    given = {step: [list(row) for row in grid] for step, grid in filled(key, exercise).items()}
    _note(key, exercise, given)


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


def _take(key: Key) -> None:
    """Take over what was filled in, and what the browser has kept of the set."""
    seed, level, _number = key
    told = grids.kept(GRIDS)
    if told is not None and told[0] == _name(seed, level):
        _recall(seed, level, told[1])
    cells, _names = grids.edit(GRIDS)
    known = st.session_state["answers"].setdefault(key, {})
    known.update({step: cells[step] for step in STEPS if step in cells})


def _name(seed: int, level: int) -> str:
    """Of a set, in the browser's storage."""
    return f"{seed}.{level}"


def _note(key: Key, exercise: Exercise, given: dict[Step, Cells]) -> None:
    """Note what was handed in, and what it is worth as the set is asked now."""
    state = st.session_state
    found = check(exercise, given, state["ask"], state["decimals"])
    state["snapshots"][key] = given
    state["results"][key] = (state["ask"], state["decimals"], found.right, found.total)


def _recall(seed: int, level: int, items: grids.Kept) -> None:
    """Take over what the browser has kept of a set, where the session knows no better.

    It may have been kept by another version, or changed by hand: what fits no grid is left.
    """
    state = st.session_state
    state["told"].add((seed, level))
    for number, exercise in enumerate(exercises(seed, level)):
        parts, key = items.get(str(number), {}), (seed, level, number)
        known = state["answers"].setdefault(key, {})
        for step, grid in _fitting(exercise, parts.get("filled", {})).items():
            known.setdefault(step, grid)
        handed = _fitting(exercise, parts.get("handed", {}))
        if handed and key not in state["snapshots"]:
            _note(key, exercise, handed)


def _fitting(exercise: Exercise, found: dict[str, Cells]) -> dict[Step, Cells]:
    """The grids that have their step's size."""
    sizes = {step: [len(row) for row in exercise.true(step).tolist()] for step in STEPS}
    return {
        step: found[step]
        for step, size in sizes.items()
        if step in found and [len(row) for row in found[step]] == size
    }


def _clear(seed: int, level: int) -> None:
    """Forget the answers to a set, as the browser has."""
    for name in ("answers", "snapshots", "results"):
        known = st.session_state[name]
        for key in [key for key in known if key[:2] == (seed, level)]:
            del known[key]
