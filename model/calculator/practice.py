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
from model.calculator.exercises import STEPS, Exercise, Step
from model.calculator.slips import Slip, slip_at
from model.errors import HeadlightError

Mark = Literal["right", "wrong", "empty", "unreadable"]


@dataclass(frozen=True)
class Checked:
    """What became of a person's answers.

    Attributes:
        marks: One mark per cell, for every step that was answered.
        slip: The first wrong step; None if no filled cell is wrong.
        right: How many cells of the step asked for are right.
        total: How many cells that step has.
    """

    marks: dict[Step, list[list[Mark]]]
    slip: Slip | None
    right: int
    total: int

    @property
    def complete(self) -> bool:
        """Whether every cell of the step asked for is right."""
        return self.right == self.total


def tolerance(decimals: int) -> float:
    """How far a right answer may be off: one unit of the last decimal, for rounding on the way."""
    return 10.0**-decimals + 1e-9  # and a hair: 0.59 - 0.58 is more than 0.01 in binary


def check(
    exercise: Exercise,
    answers: Mapping[Step, Sequence[Sequence[str]]],
    asked: Step,
    decimals: int,
) -> Checked:
    """Compare what a person wrote with the right answers.

    Args:
        exercise: What was to be worked out.
        answers: Grids of text as typed, (Tq, Tk) cells for scaled scores and weights, (Tq, Kv)
            for the context. Steps may be left out and cells may be empty.
        asked: The step whose right cells are counted.
        decimals: How many decimals were asked for.

    Raises:
        HeadlightError: If a grid is not of its step's size.
    """
    near = tolerance(decimals)
    read: dict[Step, Tensor] = {}
    marks: dict[Step, list[list[Mark]]] = {}
    for step in STEPS:  # in this order: the first wrong step is looked for in it
        if step in answers:
            true = exercise.true(step)
            read[step] = _read(step, answers[step], true)
            marks[step] = [
                [_mark(*cell, near) for cell in zip(*row, strict=True)]
                for row in zip(answers[step], read[step].tolist(), true.tolist(), strict=True)
            ]
    counted = [mark for row in marks.get(asked, []) for mark in row]
    return Checked(
        marks=marks,
        slip=_first_slip(exercise, marks, read, near),
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


def _mark(text: str, value: float, true: float, near: float) -> Mark:
    if math.isnan(value):
        return "unreadable" if text.strip() else "empty"
    return "right" if abs(value - true) <= near else "wrong"


def _first_slip(
    exercise: Exercise, marks: dict[Step, list[list[Mark]]], read: dict[Step, Tensor], near: float
) -> Slip | None:
    for step, grid in marks.items():
        for i, row in enumerate(grid):
            if "wrong" in row:
                return slip_at(exercise, step, (i, row.index("wrong")), read, near)
    return None
