"""Practice: a person works attention out by hand, and is told cell by cell how it went.

Axes: Tq queries, Tk keys, K d_k of the queries and keys, Kv d_v of the values. Rows and columns
count from 0.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from model.calculator.cells import CellError, Place, number
from model.calculator.exercises import STEPS, Asked, Exercise, Step
from model.calculator.rounding import carried, reached, rounded_off
from model.calculator.slips import Slip, slip_at
from model.calculator.unasked import Unasked, too_short, unreadable
from model.errors import HeadlightError, Sentence

Mark = Literal["right", "wrong", "empty", "unreadable"]
Answers = Mapping[Step, Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Checked:
    """What became of a person's answers.

    Attributes:
        marks: One mark per cell, for every step that was answered.
        slip: The first wrong step; None if no filled cell is wrong, or rounded too far at most.
        unasked: Cells that are written otherwise than was asked, the first of each kind.
        right: How many cells of the step asked for are right.
        total: How many cells that step has.
    """

    marks: Mapping[Asked, list[list[Mark]]]
    slip: Slip | None
    unasked: tuple[Unasked, ...]
    right: int
    total: int

    @property
    def complete(self) -> bool:
        """Whether every cell of the step asked for is right."""
        return self.right == self.total


def tolerance(decimals: int) -> float:
    """How far a right answer may be off: one unit of the last decimal, for rounding on the way."""
    return 10.0**-decimals + 1e-9  # and a hair: 0.59 - 0.58 is more than 0.01 in binary


def check(exercise: Exercise, answers: Answers, asked: Step, decimals: int) -> Checked:
    """Compare what a person wrote with the right answers.

    A number is right within the tolerance of the true one, and where it follows, rounded, from
    steps that were rounded on the way: from those filled in, or from any that may be behind it.

    Args:
        exercise: What was to be worked out.
        answers: Grids of text as typed, (Tq, Tk) cells for scaled scores and weights, (Tq, Kv)
            for the context. Steps may be left out and cells may be empty.
        asked: The step whose right cells are counted.
        decimals: How many decimals were asked for.

    Raises:
        HeadlightError: If a grid is not of its step's size.
    """
    read = {
        step: _read(step, answers[step], exercise.true(step)) for step in STEPS if step in answers
    }
    marks: dict[Step, list[list[Mark]]] = {
        step: [
            [_mark(*cell) for cell in zip(*row, strict=True)]
            for row in zip(answers[step], read[step].tolist(), right.tolist(), strict=True)
        ]
        for step, right in _right(exercise, read, decimals).items()
    }
    unasked = _unasked(exercise, answers, marks, read, decimals)
    kinds: dict[str, Unasked] = {}
    for cell, wanted in unasked.items():
        kinds.setdefault(wanted.message, Unasked(*cell, wanted=wanted))
    counted = [mark for row in marks.get(asked, []) for mark in row]
    return Checked(
        marks=dict(marks.items()),
        slip=_first_slip(exercise, marks, {*unasked}, read, tolerance(decimals)),
        unasked=tuple(kinds.values()),
        right=counted.count("right"),
        total=exercise.true(asked).numel(),
    )


def _read(step: Step, cells: Sequence[Sequence[str]], true: Tensor) -> Tensor:
    """The numbers in the cells, nan where there is none."""
    rows, columns = true.shape
    if [len(row) for row in cells] != [columns] * rows:
        raise HeadlightError(
            "The answers for {step} need {rows} rows of {columns} cells.",
            step=step,
            rows=rows,
            columns=columns,
        )
    return torch.tensor([[_value(text) for text in row] for row in cells], dtype=torch.float64)


def _value(text: str) -> float:
    try:
        return number(text, Place("answer"))
    except CellError:
        return math.nan


def _right(exercise: Exercise, read: Mapping[Step, Tensor], decimals: int) -> dict[Step, Tensor]:
    """Which of the numbers filled in are right: boolean grids, for the steps that were answered."""
    right: dict[Step, Tensor] = {}
    before = exercise.q  # of no use to the first step, and never read
    for step in STEPS:
        true = exercise.true(step)
        results = reached(exercise, step, before, decimals)  # (C, Tq, ...)
        own = torch.full_like(true, math.nan)
        if step in read:
            follows = ((results - read[step]).abs() <= rounded_off(decimals)).any(0)
            right[step] = ((read[step] - true).abs() <= tolerance(decimals)) | follows
            own = read[step].where(right[step], own)  # nobody is right who goes on from a slip
        before = carried(results, own, decimals)
    return right


def _mark(text: str, value: float, right: bool) -> Mark:
    if math.isnan(value):
        return "unreadable" if text.strip() else "empty"
    return "right" if right else "wrong"


_Cell = tuple[Step, int, int]


def _unasked(
    exercise: Exercise,
    answers: Answers,
    marks: dict[Step, list[list[Mark]]],
    read: dict[Step, Tensor],
    decimals: int,
) -> dict[_Cell, Sentence]:
    """The cells that are written otherwise than was asked, in order, and what is."""
    found: dict[_Cell, Sentence] = {}
    for step, grid in marks.items():
        values, true = read[step].tolist(), exercise.true(step).tolist()
        for i, row in enumerate(grid):
            for j, mark in enumerate(row):
                wanted = None
                if mark == "unreadable":
                    wanted = unreadable(answers[step][i][j], decimals)
                elif mark == "wrong":
                    wanted = too_short(answers[step][i][j], values[i][j], true[i][j], decimals)
                if wanted:
                    found[step, i, j] = wanted
    return found


def _first_slip(
    exercise: Exercise,
    marks: dict[Step, list[list[Mark]]],
    unasked: set[_Cell],
    read: dict[Step, Tensor],
    near: float,
) -> Slip | None:
    for step, grid in marks.items():
        for i, row in enumerate(grid):
            for j, mark in enumerate(row):
                if mark == "wrong" and (step, i, j) not in unasked:
                    return slip_at(exercise, step, (i, j), read, near)
    return None
