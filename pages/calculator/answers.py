"""What was filled in, handed in and got right, exercise by exercise, in the session.

The reader's own browser keeps it too, a set under a name of its own: a session that knows nothing
of a set, after a reload or a restart, is told. No link carries answers: a set that is opened by
somebody else's link shows what was filled in in this browser, and nothing of theirs.
"""

import streamlit as st

from model.calculator.exercises import STEPS, Asked
from model.calculator.practice import Checked
from pages.calculator import grids
from pages.calculator.grid_text import Cells
from pages.calculator.practice_kinds import AnyExercise, Asking, Given, Key, kind_of, sizes, worth

GRIDS = "answer_grids"
"""The key of the grids that are filled in."""


def begin() -> None:
    """Nothing was filled in yet."""
    for name in ("answers", "snapshots", "results"):
        st.session_state.setdefault(name, {})
    for name in ("revealed", "told"):
        st.session_state.setdefault(name, set())


def key_now() -> Key:
    """The exercise that is shown."""
    state = st.session_state
    return Key(state["seed"], state["level"], state["exercise"], kind_of(state["ask"]))


def asking_now() -> Asking:
    """What is asked of it."""
    return Asking(st.session_state["ask"], st.session_state["decimals"])


def filled(key: Key, exercise: AnyExercise) -> dict[Asked, Cells]:
    """What was filled in so far, up to the step that is asked; empty cells where nothing was."""
    known = st.session_state["answers"].get(key, {})
    asked: Asked = st.session_state["ask"]
    steps = [*sizes(exercise)]
    if asked not in steps:  # the link has another kind by now
        return {}
    steps = steps[: steps.index(asked) + 1]
    return {step: known.get(step) or _empty(sizes(exercise)[step]) for step in steps}


def kept(key: Key) -> grids.Keep:
    """What the browser keeps of a set, and what it is to do with one exercise of it."""
    return grids.Keep(
        name=key.set_name,
        item=str(key.number),
        unknown=key.set_name not in st.session_state["told"],
        handed=st.session_state["snapshots"].get(key),
    )


def keep(key: Key) -> None:
    """Keep what was filled in, or cleared, if anything was; a callback."""
    if grids.cleared(GRIDS) == key.set_name:
        _clear(key.set_name)
    _take(key)


def hand_in(key: Key) -> None:
    """Check the answers; a callback."""
    # The last cell and the button may arrive in one message, and Streamlit call this first.
    _take(key)
    exercise = key.whole_set()[key.number]
    given = {step: [list(row) for row in grid] for step, grid in filled(key, exercise).items()}
    if given:
        _note(key, exercise, given)


def checked(key: Key, exercise: AnyExercise) -> Checked | None:
    """What the answers were worth when they were last handed in."""
    snapshot = st.session_state["snapshots"].get(key)
    if snapshot is None:
        return None
    return worth(exercise, snapshot, st.session_state["ask"], st.session_state["decimals"])


def marks(key: Key, step: Asked, cells: Cells, found: Checked | None) -> list[list[str]] | None:
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
    of_set = Key(state["seed"], state["level"], 0, kind_of(state["ask"])).set_name
    return {
        key.number: result[2:]
        for key, result in state["results"].items()
        if key.set_name == of_set and result[:2] == (state["ask"], state["decimals"])
    }


def _empty(size: tuple[int, int]) -> Cells:
    return [[""] * size[1] for _row in range(size[0])]


def _take(key: Key) -> None:
    """Take over what was filled in, and what the browser has kept of the set."""
    told = grids.kept(GRIDS)
    if told is not None and told[0] == key.set_name:
        _recall(key, told[1])
    cells, _names = grids.edit(GRIDS)
    known = st.session_state["answers"].setdefault(key, {})
    known.update({step: cells[step] for step in (*STEPS, "mask") if step in cells})


def _note(key: Key, exercise: AnyExercise, given: Given) -> None:
    """Note what was handed in, and what it is worth as the set is asked now."""
    state = st.session_state
    state["snapshots"][key] = given
    if kind_of(state["ask"]) != key.kind:  # asked otherwise in the very same moment
        return
    found = worth(exercise, given, state["ask"], state["decimals"])
    state["results"][key] = (state["ask"], state["decimals"], found.right, found.total)


def _recall(of_set: Key, items: grids.Kept) -> None:
    """Take over what the browser has kept of a set, where the session knows no better.

    It may have been kept by another version, or changed by hand: what fits no grid is left.
    """
    state = st.session_state
    state["told"].add(of_set.set_name)
    for number, exercise in enumerate(of_set.whole_set()):
        parts, key = items.get(str(number), {}), of_set._replace(number=number)
        known = state["answers"].setdefault(key, {})
        handed = _fitting(exercise, parts.get("handed", {}))
        for step, grid in _fitting(exercise, parts.get("filled", {})).items():
            known.setdefault(step, grid)
        if "mistake" in handed:  # no grid of the browser's: it knows what was handed in alone
            known.setdefault("mistake", handed["mistake"])
        if handed and key not in state["snapshots"]:
            _note(key, exercise, handed)


def _fitting(exercise: AnyExercise, found: dict[str, Cells]) -> dict[Asked, Cells]:
    """The grids that have their step's size."""
    return {
        step: found[step]
        for step, (rows, columns) in sizes(exercise).items()
        if step in found and [len(row) for row in found[step]] == [columns] * rows
    }


def _clear(set_name: str) -> None:
    """Forget the answers to a set, as the browser has."""
    for name in ("answers", "snapshots", "results"):
        known = st.session_state[name]
        for key in [key for key in known if key.set_name == set_name]:
            del known[key]
