"""Check of the numbers in a numeric exercise, cell by cell.

Axes: C chains of roundings, Tq queries, Tk keys, Kv d_v of the values. Rows and columns count
from 0.
"""

import math
from collections.abc import Iterator, Mapping
from math import prod

import torch
from torch import Tensor

from model.calculator.practice.answer_format import format_error
from model.calculator.practice.exercise import (
    STEPS,
    Answers,
    Assignment,
    Cells,
    Checked,
    FormatError,
    Mark,
    Slip,
    Step,
)
from model.calculator.practice.problem import Problem
from model.calculator.practice.rounding import carry_on, reachable_results, rounding_error
from model.calculator.practice.slips import find_slip
from model.errors import HeadlightError
from model.typed_numbers import readings


def tolerance(decimals: int) -> float:
    """How far a right answer may be off: one unit of the last decimal.

    Args:
        decimals: Required number of decimals.
    """
    return 10.0**-decimals + 1e-9  # in binary, 0.59 - 0.58 is slightly more than 0.01


def check_numbers(problem: Problem, answers: Answers, assignment: Assignment) -> Checked:
    """Compare numbers with the right ones.

    A number is right within the tolerance of the true one. It is also right if it follows from
    earlier steps that were rounded: from those filled in, or from any that may be behind it.

    Args:
        problem: The problem to solve.
        answers: Grids of text: (Tq, Tk) for scaled scores and weights, (Tq, Kv) for the context.
            Steps may be missing and cells may be empty.
        assignment: The step to count, and the decimals of its numbers.

    Raises:
        HeadlightError: If a grid does not have the size of its step.
    """
    question, decimals = assignment
    read = {
        step: _read(step, answers[step], problem.true(step)) for step in STEPS if step in answers
    }
    marks: dict[Step, list[list[Mark]]] = {
        step: [
            [_mark(*cell) for cell in zip(*row, strict=True)]
            for row in zip(answers[step], read[step].tolist(), right.tolist(), strict=True)
        ]
        for step, right in _right_cells(problem, read, decimals).items()
    }
    errors = [*_format_errors(problem, answers, marks, read, decimals)]
    first_of_kind: dict[str, FormatError] = {}
    for error in errors:
        first_of_kind.setdefault(error.wanted.message, error)
    counted = [mark for step, _row, _column, mark in _cells_of(marks) if step == question]
    return Checked(
        marks=dict(marks.items()),
        right=counted.count("right"),
        total=prod(problem.grid_sizes()[question]),
        slip=_first_slip(problem, marks, errors, read, tolerance(decimals)),
        format_errors=tuple(first_of_kind.values()),
    )


def _read(step: Step, cells: Cells, true: Tensor) -> Tensor:
    """The numbers in the cells, nan where there is none."""
    rows, columns = true.shape
    if [len(row) for row in cells] != [columns] * rows:
        raise HeadlightError(
            "The answer for {step} needs {rows} rows of {columns} cells.",
            step=step,
            rows=rows,
            columns=columns,
        )
    return torch.tensor(
        [
            # The reading that is nearest to the right number: 1,234 may be one or the other.
            [
                min(readings(text), key=lambda value: abs(value - right), default=math.nan)
                for text, right in zip(*row, strict=True)
            ]
            for row in zip(cells, true.tolist(), strict=True)
        ],
        dtype=torch.float64,
    )


def _right_cells(
    problem: Problem, read: Mapping[Step, Tensor], decimals: int
) -> dict[Step, Tensor]:
    """Boolean grids, True where a number is right, for each step that was answered."""
    right: dict[Step, Tensor] = {}
    before = problem.q  # the first step does not read it
    for step in STEPS:
        true = problem.true(step)
        results = reachable_results(problem, step, before, decimals)  # (C, Tq, ...)
        filled_in = torch.full_like(true, math.nan)
        if step in read:
            follows = ((results - read[step]).abs() <= rounding_error(decimals)).any(0)
            right[step] = ((read[step] - true).abs() <= tolerance(decimals)) | follows
            # A number that follows from a wrong one is not right.
            filled_in = read[step].where(right[step], filled_in)
        before = carry_on(results, filled_in, decimals)
    return right


def _mark(text: str, value: float, right: bool) -> Mark:
    if math.isnan(value):
        return "unreadable" if text.strip() else "empty"
    return "right" if right else "wrong"


def _format_errors(
    problem: Problem,
    answers: Answers,
    marks: Mapping[Step, list[list[Mark]]],
    read: Mapping[Step, Tensor],
    decimals: int,
) -> Iterator[FormatError]:
    for step, row, column, mark in _cells_of(marks):
        true = problem.true(step)[row, column].item()
        wanted = format_error(answers[step][row][column], mark, true, decimals)
        if wanted:
            yield FormatError(step, row, column, wanted)


def _first_slip(
    problem: Problem,
    marks: Mapping[Step, list[list[Mark]]],
    errors: list[FormatError],
    read: Mapping[Step, Tensor],
    near: float,
) -> Slip | None:
    badly_written = {(error.step, error.row, error.column) for error in errors}
    for step, row, column, mark in _cells_of(marks):
        if mark == "wrong" and (step, row, column) not in badly_written:
            return find_slip(problem, step, (row, column), read, near)
    return None


def _cells_of(
    marks: Mapping[Step, list[list[Mark]]],
) -> Iterator[tuple[Step, int, int, Mark]]:
    """Step, row, column and mark of each cell, in order."""
    for step, grid in marks.items():
        for row, line in enumerate(grid):
            for column, mark in enumerate(line):
                yield step, row, column, mark
