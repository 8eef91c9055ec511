"""A printable sheet of a set: the tasks of the screen, with the answers on pages of their own."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from model.calculator.practice.exercise import (
    QUESTIONS,
    Assignment,
    Exercise,
    NamedMatrix,
    grids_to_fill_in,
)
from pages.calculator.practice_answers import Key, current_assignment
from pages.calculator.practice_exercise import grid_title, sentences, task_text, written_cells
from viz.cards.practice_sheet import PrintedExercise, Table, practice_sheet
from web.language import _, in_words
from web.widgets.export import figure_facts


def print_buttons(key: Key) -> None:
    """Draw the download buttons of the sheet; with answers only if they may be revealed."""
    offered = [("print_set", _("Set to print"), False)]
    if st.session_state["reveal"]:
        offered.append(("print_answers", _("With answers"), True))
    about = figure_facts("", [])
    for name, label, answers in offered:
        suffix = "_answers" if answers else ""
        st.download_button(
            label,
            # The download runs without a session, so it gets the assignment as an argument.
            data=partial(sheet, key, current_assignment(), answers, about),
            file_name=f"headlight_practice_{key.set_name.replace('.', '_')}{suffix}.html",
            mime="text/html",
            key=name,
            on_click="ignore",
            icon=":material/download:",
        )


def sheet(
    key: Key, assignment: Assignment, answers: bool, about: Mapping[str, Any] | None = None
) -> str:
    """The HTML page to print.

    Args:
        key: Identifies the set.
        assignment: The question, and the decimals of its answers.
        answers: Whether to add pages with the answers.
        about: JSON values for the file's metadata.
    """
    values = {
        "seed": key.seed,
        "level": key.level,
        "asked": in_words(QUESTIONS[assignment.question]),
    }
    return practice_sheet(
        [
            _printed(exercise, number, assignment, answers)
            for number, exercise in enumerate(key.exercises(), start=1)
        ],
        title=_("Practice: {asked}").format(**values),
        subtitle=_("Level {level}, set {seed}").format(**values),
        answers=answers,
        about=about or {},
        translate=_,
    )


def _printed(
    exercise: Exercise, number: int, assignment: Assignment, answers: bool
) -> PrintedExercise:
    task = task_text(exercise, assignment).replace("**", "")
    titles = {"weights": _("Weights"), "context": _("Context")}
    blanks = {} if exercise.choices else grids_to_fill_in(exercise, assignment.question)
    explanation = ""
    if answers and (parts := exercise.explanation()):
        explanation = " ".join([f"{in_words(parts[0])}.", *map(in_words, parts[1:])])
    return PrintedExercise(
        title=in_words(exercise.title(number)),
        story=sentences(exercise.story()),
        task=" ".join([task, *map(in_words, exercise.paper_note)]),
        given=[
            Table(matrix.name, written_cells(matrix, assignment), titles.get(matrix.name, ""))
            for matrix in exercise.given(assignment)
        ],
        blanks=[
            Table(
                "allowed" if question == "mask" else question,
                [[""] * columns for _row in range(rows)],
                grid_title(question, assignment),
            )
            for question, (rows, columns) in blanks.items()
        ],
        choices=[in_words(name) for name in exercise.choices.values()],
        answers=[_table(m, assignment) for m in exercise.solution(assignment)] if answers else [],
        explanation=explanation,
    )


def _table(matrix: NamedMatrix, assignment: Assignment) -> Table:
    title = in_words(matrix.title) if matrix.title else ""
    return Table(matrix.name, written_cells(matrix, assignment), title)
