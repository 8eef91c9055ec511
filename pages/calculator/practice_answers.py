"""The session's answers to exercises: filled in, handed in, and checked.

The browser stores the answers too (see the component ``grids``). After a reload or a restart of the
server, the new session reads them from there. Links carry no answers, so another person's link
opens the set with the answers of this browser.
"""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from model.calculator.practice import exercise_set
from model.calculator.practice.exercise import (
    Answers,
    Assignment,
    Checked,
    Exercise,
    Kind,
    Question,
    grids_to_fill_in,
)
from pages.calculator import grids
from pages.calculator.grid_text import Cells

GRIDS = "answer_grids"
"""The component key of the grids to fill in."""


class Key(NamedTuple):
    """Identifies an exercise: its set, its number in it from 0, and its kind."""

    seed: int
    level: int
    number: int
    kind: Kind = "numbers"

    @property
    def set_name(self) -> str:
        """Name of the set. It must not change, because browsers store answers under this name."""
        suffix = "" if self.kind == "numbers" else f".{self.kind}"
        return f"{self.seed}.{self.level}{suffix}"

    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises of its set."""
        return exercise_set(self.kind, self.seed, self.level)


def kind_of(question: Question) -> Kind:
    """The kind of exercise that has a question."""
    return question if question in ("mask", "mistake") else "numbers"


def initialise() -> None:
    """Create the session's empty records."""
    for name in ("answers", "handed_in", "results"):
        st.session_state.setdefault(name, {})
    for name in ("revealed", "recalled"):
        st.session_state.setdefault(name, set())


def current_key() -> Key:
    """The exercise on screen."""
    state = st.session_state
    return Key(state["seed"], state["level"], state["exercise"], kind_of(state["ask"]))


def current_assignment() -> Assignment:
    """The question on screen, and its decimals."""
    return Assignment(st.session_state["ask"], st.session_state["decimals"])


def filled_in(key: Key, exercise: Exercise) -> dict[Question, Cells]:
    """Text of the grids up to the asked step; empty cells where nothing was typed."""
    known = st.session_state["answers"].get(key, {})
    # Empty if the link has changed to another kind of exercise.
    sizes = grids_to_fill_in(exercise, st.session_state["ask"])
    return {
        question: known.get(question) or [[""] * columns for _row in range(rows)]
        for question, (rows, columns) in sizes.items()
    }


def handed_in(key: Key) -> Answers | None:
    """The answers as they were last handed in; None if they were not."""
    answers: Answers | None = st.session_state["handed_in"].get(key)
    return answers


def checked(key: Key, exercise: Exercise) -> Checked | None:
    """The check of the answers that were last handed in; None if none were."""
    answers = handed_in(key)
    return None if answers is None else exercise.check(answers, current_assignment())


def marks(
    key: Key, question: Question, cells: Cells, found: Checked | None
) -> list[list[str]] | None:
    """A mark for each cell of a grid; blank for cells that changed since they were handed in."""
    if found is None or question not in found.marks:
        return None
    old = st.session_state["handed_in"][key][question]
    return [
        [mark if cells[i][j] == old[i][j] else "" for j, mark in enumerate(row)]
        for i, row in enumerate(found.marks[question])
    ]


def results() -> dict[int, tuple[int, int]]:
    """Right cells and all cells of each exercise that was handed in for this question."""
    set_name, current = current_key().set_name, current_assignment()
    return {
        key.number: counts
        for key, (assignment, counts) in st.session_state["results"].items()
        if (key.set_name, assignment) == (set_name, current)
    }


# -- callbacks -------------------------------------------------------------------------------------


def store_edits(key: Key) -> None:
    """Store the edits, and the answers that the browser has stored of the set; a callback."""
    edits = grids.edits(GRIDS)
    if edits.cleared == key.set_name:
        _clear(key.set_name)
    if key.set_name in edits.stored:
        _recall(key, edits.stored[key.set_name])
    editable = key.exercises()[key.number].grid_sizes()
    known = st.session_state["answers"].setdefault(key, {})
    known.update({name: edits.cells[name] for name in editable if name in edits.cells})


def hand_in(key: Key) -> None:
    """Check the answers; a callback."""
    # The last edit and the click may arrive in one message, and this callback may run first.
    store_edits(key)
    exercise = key.exercises()[key.number]
    # A copy: later edits must not change what was handed in.
    given = {name: [list(row) for row in grid] for name, grid in filled_in(key, exercise).items()}
    if given:
        _record(key, exercise, given)


def stored(key: Key) -> grids.Stored:
    """What the browser stores of the exercise."""
    return grids.Stored(
        set_name=key.set_name,
        item=str(key.number),
        unknown=key.set_name not in st.session_state["recalled"],
        handed_in=handed_in(key),
    )


def _record(key: Key, exercise: Exercise, given: Answers) -> None:
    """Record answers that were handed in, and their result."""
    st.session_state["handed_in"][key] = given
    assignment = current_assignment()
    if kind_of(assignment.question) != key.kind:  # the question changed in the same message
        return
    found = exercise.check(given, assignment)
    st.session_state["results"][key] = (assignment, (found.right, found.total))


def _recall(key: Key, items: grids.RecalledAnswers) -> None:
    """Take over the answers that the browser has stored of a set, where the session has none.

    Another version or a person may have written them: grids of another size are ignored.
    """
    state = st.session_state
    state["recalled"].add(key.set_name)
    for number, exercise in enumerate(key.exercises()):
        parts, item_key = items.get(str(number), {}), key._replace(number=number)
        known = state["answers"].setdefault(item_key, {})
        handed = _of_right_size(exercise, parts.get("handed", {}))
        for question, grid in _of_right_size(exercise, parts.get("filled", {})).items():
            known.setdefault(question, grid)
        if "mistake" in handed:  # no grid holds it: the browser has only what was handed in
            known.setdefault("mistake", handed["mistake"])
        if handed and item_key not in state["handed_in"]:
            _record(item_key, exercise, handed)


def _of_right_size(exercise: Exercise, found: Mapping[str, Cells]) -> dict[Question, Cells]:
    return {
        question: found[question]
        for question, (rows, columns) in exercise.grid_sizes().items()
        if question in found and [len(row) for row in found[question]] == [columns] * rows
    }


def _clear(set_name: str) -> None:
    """Delete the session's answers to a set."""
    for name in ("answers", "handed_in", "results"):
        known = st.session_state[name]
        for key in [key for key in known if key.set_name == set_name]:
            del known[key]
