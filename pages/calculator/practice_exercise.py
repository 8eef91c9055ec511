"""One exercise on screen: its matrices, its grids or choices, and the verdict on the answer."""

from collections.abc import Iterable
from functools import partial

import streamlit as st
import torch

from model.calculator.practice.exercise import (
    QUESTIONS,
    Assignment,
    Checked,
    Exercise,
    FormatError,
    NamedMatrix,
    Question,
)
from model.calculator.practice.mask import ALLOWED, HIDDEN
from model.errors import Sentence
from pages.calculator import grids
from pages.calculator import practice_answers as answers
from pages.calculator.grid_text import Cells
from pages.calculator.practice_answers import Key
from viz.cards.worksheet import written
from web.language import _, in_words, plain


def draw_exercise(key: Key, exercise: Exercise, checked: Checked | None, revealed: bool) -> None:
    """Draw an exercise with its marks.

    Args:
        key: Identifies the exercise.
        exercise: The exercise.
        checked: The result of the last check; None if no answer was handed in.
        revealed: Whether to show the right answer.
    """
    assignment = answers.current_assignment()
    given = [_locked_grid(m, "given", assignment) for m in exercise.given(assignment)]
    feedback = exercise.feedback(answers.handed_in(key), revealed)
    grids.draw(
        [
            *given,
            *_answer_grids(key, exercise, checked),
            *(_locked_grid(m, f"feedback{i}", assignment) for i, m in enumerate(feedback)),
        ],
        key=answers.GRIDS,
        on_edited=partial(answers.store_edits, key),
        strings={
            "kept": _("Your answers stay in this browser. A link does not contain them."),
            "clear": _("Clear my answers to this set"),
            "cut": _("You pasted {rows} x {columns} cells; {kept} of them fit here."),
        },
        stored=answers.stored(key),
    )
    if exercise.choices:
        _choose_answer(key, exercise)


def sentences(parts: Iterable[Sentence]) -> str:
    """Sentences in the reader's language, as one text."""
    return " ".join(map(in_words, parts))


def task_text(exercise: Exercise, assignment: Assignment) -> str:
    """What to do, and to what accuracy; Markdown."""
    return sentences(exercise.task(assignment))


def grid_title(question: Question, assignment: Assignment) -> str:
    """The title of a grid, which may belong to a step before the question."""
    if question == "mask":
        return _("queries down, keys across")
    name = in_words(QUESTIONS[question])
    if question == assignment.question:
        return name
    return _("{step} (optional)").format(step=name)


def written_cells(matrix: NamedMatrix, assignment: Assignment) -> Cells:
    """The text of a matrix's cells.

    Args:
        matrix: Numbers, or True and False.
        assignment: The decimals of rounded numbers.
    """
    if matrix.rounded:
        return [[written(x, assignment.decimals) for x in row] for row in matrix.values.tolist()]
    return [[f"{x:g}" for x in row] for row in matrix.values.tolist()]


def draw_verdict(checked: Checked) -> None:
    """Draw the number of right cells, the first slip and the format errors."""
    show = st.success if checked.complete else st.warning if checked.wrong else st.info
    show("\n\n".join([sentences(checked.summary()), *map(_format_error, checked.format_errors)]))


def _format_error(error: FormatError) -> str:
    """Where the cell is, and the format to use; Markdown."""
    return _("**{step}**, row {row}, column {column}: {wanted}").format(
        step=in_words(QUESTIONS[error.step]),
        row=error.row,
        column=error.column,
        wanted=plain(in_words(error.wanted)),  # it quotes the typed text
    )


def _locked_grid(matrix: NamedMatrix, prefix: str, assignment: Assignment) -> grids.Grid:
    """A grid to read; one without a title is identified by its name alone."""
    title = in_words(matrix.title) if matrix.title else ""
    mask = matrix.values.dtype == torch.bool
    return grids.Grid(
        f"{prefix}_{matrix.name}" if title else matrix.name,
        matrix.name,
        [[ALLOWED if x else HIDDEN for x in row] for row in matrix.values.tolist()]
        if mask
        else written_cells(matrix, assignment),
        label=title,
        title=title,
        toggles=_mask_states() if mask else None,
    )


def _answer_grids(key: Key, exercise: Exercise, checked: Checked | None) -> list[grids.Grid]:
    """The grids to fill in; none if the answer is a choice."""
    if exercise.choices:
        return []
    assignment = answers.current_assignment()
    return [
        grids.Grid(
            question,
            "allowed" if question == "mask" else question,
            cells,
            label=grid_title(question, assignment),
            title=grid_title(question, assignment),
            locked=False,
            marks=answers.marks(key, question, cells, checked),
            toggles=_mask_states() if question == "mask" else None,
        )
        for question, cells in answers.filled_in(key, exercise).items()
    ]


def _mask_states() -> tuple[str, str]:
    return _("seen"), _("hidden")


def _choose_answer(key: Key, exercise: Exercise) -> None:
    """Draw the possible answers; none is chosen at first."""
    known = st.session_state["answers"].get(key)
    st.session_state["guess"] = known["mistake"][0][0] if known else None
    st.radio(
        _("The mistake"),
        [*exercise.choices],
        format_func=lambda name: in_words(exercise.choices[name]),
        key="guess",
        horizontal=True,
        label_visibility="collapsed",
        on_change=partial(_store_choice, key),
    )


def _store_choice(key: Key) -> None:
    """Store the chosen answer; a callback."""
    st.session_state["answers"][key] = {"mistake": [[st.session_state["guess"]]]}
