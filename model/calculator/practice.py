"""Practice: a person works attention out by hand, and is told cell by cell how it went.

Axes: Tq queries, Tk keys, K d_k of the queries and keys, Kv d_v of the values. Rows and columns
count from 0.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor

from model.calculator.cells import CellError, Place, number
from model.calculator.exercises import STEPS, Exercise, Step
from model.errors import HeadlightError, Sentence

Mark = Literal["right", "wrong", "empty", "unreadable"]


@dataclass(frozen=True)
class Slip:
    """Where an answer first went wrong.

    Attributes:
        step: The first step with a wrong cell.
        row: Row of its first wrong cell.
        column: Column of it.
        rule: How that cell is worked out; it does not tell the result.
        guess: What was probably done instead, if all filled cells of the step fit it.
    """

    step: Step
    row: int
    column: int
    rule: Sentence
    guess: Sentence | None


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
        answers: Grids of text as typed, (Tq, Tk) cells for scores and weights, (Tq, Kv) for the
            output. Steps may be left out and cells may be empty.
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
        slip=_slip(exercise, marks, read, near),
        right=counted.count("right"),
        total=exercise.true(asked).numel(),
    )


# Marks and the slip


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


def _slip(
    exercise: Exercise, marks: dict[Step, list[list[Mark]]], read: dict[Step, Tensor], near: float
) -> Slip | None:
    for step, grid in marks.items():
        for i, row in enumerate(grid):
            if "wrong" in row:
                j = row.index("wrong")
                guess = _guess(exercise, step, read, near)
                return Slip(step, i, j, rule=_rule(exercise, step, i, j), guess=guess)
    return None


def _rule(exercise: Exercise, step: Step, row: int, column: int) -> Sentence:
    calculation = exercise.calculation()
    where = {"row": row, "column": column}
    if step == "scores":
        return Sentence(
            "Row {row} of Q times row {column} of K, then divided by {divisor:.4g}.",
            divisor=calculation.divisor,
            **where,
        )
    if step == "output":
        return Sentence("Row {row} of the weights times column {column} of V.", **where)
    if calculation.allowed is None:
        return Sentence(
            "e to the power of the score in column {column}, divided by the sum of these powers "
            "over row {row}.",
            **where,
        )
    return Sentence(
        "e to the power of the score in column {column}, divided by the sum of these powers "
        "over row {row}; a masked score counts as minus infinity.",
        **where,
    )


# Guesses: the step worked out in every wrong way we know, to see which one fits

_Wrong = Iterator[tuple[Sentence, Tensor]]


def _guess(
    exercise: Exercise, step: Step, read: dict[Step, Tensor], near: float
) -> Sentence | None:
    answer, true = read[step], exercise.true(step)
    filled = ~answer.isnan()
    for sentence, wrong in _wrong_ways(exercise, step, read):
        if wrong.shape == answer.shape:
            fits = ((wrong - answer).abs() <= near)[filled].all()
            if fits and ((wrong - true).abs() > near)[filled].any():
                return sentence
    return None


def _wrong_ways(exercise: Exercise, step: Step, read: dict[Step, Tensor]) -> _Wrong:
    true = {name: exercise.true(name) for name in STEPS}
    # The mistake may have been made with earlier numbers as rounded by hand, or with exact ones.
    own = {name: torch.where(cells.isnan(), true[name], cells) for name, cells in read.items()}
    for before in ({**true, **own}, true):
        if step == "weights":
            yield from _wrong_weights(exercise, before["scores"])
        elif step == "output":
            yield from _wrong_outputs(exercise, before["scores"], before["weights"])
    for sentence, other in _wrong_exercises(exercise):
        yield sentence, other.true(step)


def _wrong_exercises(exercise: Exercise) -> Iterator[tuple[Sentence, Exercise]]:
    """Mistakes that are the right way through another exercise; they may show at any step."""

    def with_settings(**changes: Any) -> Exercise:
        return replace(exercise, settings=replace(exercise.settings, **changes))

    d_k, temperature = exercise.q.shape[1], exercise.settings.temperature
    said = Sentence("It looks as if the square root of d_k = {d_k} was left out.", d_k=d_k)
    yield said, with_settings(scaled=False)
    said = Sentence("It looks as if d_k = {d_k} was used in place of its square root.", d_k=d_k)
    yield said, with_settings(scaled=False, temperature=temperature * d_k)
    said = Sentence("It looks as if the temperature {t:g} was left out.", t=temperature)
    yield said, with_settings(temperature=1.0)
    said = Sentence("It looks as if the product of Q and K was not divided by anything.")
    yield said, with_settings(scaled=False, temperature=1.0)
    said = Sentence("It looks as if the mask was left out.")
    yield said, with_settings(mask="none")
    if exercise.k.shape[0] == d_k:  # else q @ k is no product
        said = Sentence("It looks as if Q was multiplied by K where it takes K transposed.")
        yield said, replace(exercise, k=exercise.k.T)


def _wrong_weights(exercise: Exercise, scores: Tensor) -> _Wrong:
    allowed = exercise.calculation().allowed
    masked = scores if allowed is None else scores.masked_fill(~allowed, -math.inf)
    if allowed is not None:
        said = Sentence("It looks as if the mask was applied only after the softmax.")
        yield said, scores.softmax(-1) * allowed
        said = Sentence("It looks as if the mask hid the keys that it should show.")
        for seen in (~allowed, allowed.T) if exercise.settings.mask == "causal" else (~allowed,):
            # A query that sees no key gets 0/0 = nan, which a person would leave at 0.
            yield said, scores.masked_fill(~seen, -math.inf).softmax(-1).nan_to_num(0.0)
    said = Sentence("It looks as if the softmax ran down the columns: it runs along each row.")
    yield said, masked.softmax(-2).nan_to_num(0.0)  # nan where no query sees the key
    said = Sentence("It looks as if the powers of e were not divided by the sum of their row.")
    yield said, masked.exp()
    yield said, (masked - masked.amax(-1, keepdim=True)).exp()
    said = Sentence("It looks as if the scores were divided by their sum: take powers of e first.")
    visible = scores if allowed is None else scores * allowed
    yield said, visible / visible.sum(-1, keepdim=True)


def _wrong_outputs(exercise: Exercise, scores: Tensor, weights: Tensor) -> _Wrong:
    # True weights give the true output, which is no guess: these are rounded by hand.
    said = Sentence("This follows from your weights as you rounded them: keep more decimals.")
    yield said, weights @ exercise.v
    if weights.shape[0] == weights.shape[1]:
        said = Sentence("It looks as if the weights were transposed before the product with V.")
        yield said, weights.T @ exercise.v
    if exercise.v.shape[0] == exercise.v.shape[1]:
        said = Sentence("It looks as if V was transposed before the product with the weights.")
        yield said, weights @ exercise.v.T
    said = Sentence("It looks as if the scores were multiplied by V in place of the weights.")
    yield said, scores @ exercise.v
    raw_scores = exercise.calculation().steps.raw_scores[0]  # (H = 1, Tq, Tk) -> (Tq, Tk)
    yield said, raw_scores @ exercise.v
