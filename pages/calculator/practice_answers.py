"""The session's answers to exercises: filled in, handed in, and checked.

The browser stores what is filled in (see the component ``grids``). After a reload or a restart of
the server, the new session reads it from there. Links carry no answers, so another person's link
opens the set with the answers of this browser.
"""

from typing import NamedTuple

import streamlit as st

from model.calculator.practice import Exercise, exercise_set
from model.calculator.practice.exercise import Assignment, Checked, PracticeQuestion
from model.calculator.practice.numeric import NumericExercise
from model.errors import Sentence
from pages.calculator import grids
from pages.calculator.grid_text import GridCells
from pages.calculator.url import Calculator

GRIDS = "answer_grids"
"""The component key of the grid to fill in."""


class Key(NamedTuple):
    """Identifies an exercise: its set, its number in it from 0, and the question."""

    seed: int
    level: int
    number: int
    question: PracticeQuestion

    @property
    def set_name(self) -> str:
        """Name of the set. It must not change, because browsers store answers under this name."""
        return f"{self.seed}.{self.level}.{self.question}"

    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises of its set."""
        return exercise_set(self.question, self.seed, self.level)


def initialise() -> None:
    """Create the session's empty records."""
    for name in ("answers", "handed_in"):
        st.session_state.setdefault(name, {})
    for name in ("revealed", "recalled"):
        st.session_state.setdefault(name, set())


def current_key() -> Key:
    """The exercise on screen."""
    return Key(
        Calculator.seed.value,
        Calculator.level.value,
        Calculator.exercise.value,
        Calculator.ask.value,
    )


def current_assignment() -> Assignment:
    """The question on screen, and its decimals."""
    return Assignment(Calculator.ask.value, Calculator.decimals.value)


def filled_in(key: Key, exercise: Exercise) -> GridCells:
    """Text of the grid; empty cells where nothing was typed."""
    rows, columns = exercise.shape(key.question)
    known: GridCells | None = st.session_state["answers"].get(key)
    return known or [[""] * columns for _row in range(rows)]


def checked(key: Key, exercise: Exercise) -> Checked | None:
    """The check of the answers that were last handed in; None if none were."""
    answers = st.session_state["handed_in"].get(key)
    return None if answers is None else exercise.check(answers, current_assignment())


def reason(key: Key, exercise: Exercise, found: Checked) -> Sentence | None:
    """The mistake that explains the wrong cells; None if none does, or nothing is wrong."""
    if not found.wrong or not isinstance(exercise, NumericExercise):
        return None
    return exercise.slip(st.session_state["handed_in"][key], found, current_assignment())


def marks(key: Key, cells: GridCells, found: Checked | None) -> list[list[str]] | None:
    """A mark for each cell; blank for cells that changed since they were handed in."""
    if found is None:
        return None
    old = st.session_state["handed_in"][key]
    return [
        [mark if cells[i][j] == old[i][j] else "" for j, mark in enumerate(row)]
        for i, row in enumerate(found.marks)
    ]


# -- callbacks -------------------------------------------------------------------------------------


def store_edits(key: Key) -> None:
    """Store the edits, and the answers that the browser has stored of the set; a callback."""
    edits = grids.edits(GRIDS)
    state = st.session_state
    if edits.cleared == key.set_name:
        for name in ("answers", "handed_in"):
            state[name] = {k: v for k, v in state[name].items() if k.set_name != key.set_name}
    # Handed in before the session had the answers that the user saw: handed in again, with them.
    again = edits.recalled and key.set_name not in state["recalled"] and key in state["handed_in"]
    if key.set_name in edits.stored:
        _recall(key, edits.stored[key.set_name])
    if key.question in edits.cells:
        state["answers"][key] = edits.cells[key.question]
    if again:
        _hand_in(key)


def hand_in(key: Key) -> None:
    """Check the answers; a callback."""
    # The last edit and the click may arrive in one message, and this callback may run first.
    store_edits(key)
    _hand_in(key)


def stored(key: Key) -> grids.Stored:
    """What the browser stores of the exercise."""
    unknown = key.set_name not in st.session_state["recalled"]
    return grids.Stored(key.set_name, str(key.number), unknown)


def _hand_in(key: Key) -> None:
    # A copy: later edits must not change what was handed in.
    cells = filled_in(key, key.exercises()[key.number])
    st.session_state["handed_in"][key] = [list(row) for row in cells]


def _recall(key: Key, items: dict[str, dict[str, GridCells]]) -> None:
    """Take over the answers that the browser has stored of a set, where the session has none.

    Another version or a person may have written them: grids of another size are ignored.
    """
    st.session_state["recalled"].add(key.set_name)
    for number, exercise in enumerate(key.exercises()):
        cells = items.get(str(number), {}).get(key.question, [])
        rows, columns = exercise.shape(key.question)
        if [len(row) for row in cells] == [columns] * rows:
            at = key._replace(number=number)
            st.session_state["answers"].setdefault(at, cells)
            if all(text for row in cells for text in row):  # probably handed in before
                st.session_state["handed_in"].setdefault(at, cells)
