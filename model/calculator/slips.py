"""A student's slip in an exercise: where it is, the rule it breaks, and what was probably done.

Axes as in practice.py.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from model.calculator.exercises import STEPS, Asked, Exercise, Step
from model.errors import Sentence


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

    step: Asked
    row: int
    column: int
    rule: Sentence
    guess: Sentence | None


def slip_at(
    exercise: Exercise,
    step: Step,
    cell: tuple[int, int],
    read: Mapping[Step, Tensor],
    near: float,
) -> Slip:
    """Say of a wrong cell how it is worked out, and what was probably done to its step instead.

    Args:
        exercise: What was to be worked out.
        step: The first step with a wrong cell.
        cell: Row and column of its first wrong cell.
        read: The numbers filled in, by step, nan where there is none.
        near: How far a number may be off.
    """
    rule, guess = _rule(exercise, step, *cell), _guess(exercise, step, read, near)
    return Slip(step, *cell, rule=rule, guess=guess)


def _rule(exercise: Exercise, step: Step, row: int, column: int) -> Sentence:
    calculation = exercise.calculation()
    where = {"row": row, "column": column}
    if step == "scaled_scores":
        return Sentence(
            "Row {row} of Q times row {column} of K, then divided by {divisor:.4g}.",
            divisor=calculation.divisor,
            **where,
        )
    if step == "context":
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
    exercise: Exercise, step: Step, read: Mapping[Step, Tensor], near: float
) -> Sentence | None:
    answer, true = read[step], exercise.true(step)
    filled = ~answer.isnan()
    for sentence, wrong in _wrong_ways(exercise, step, read):
        if wrong.shape == answer.shape:
            fits = ((wrong - answer).abs() <= near)[filled].all()
            if fits and ((wrong - true).abs() > near)[filled].any():
                return sentence
    return None


def _wrong_ways(exercise: Exercise, step: Step, read: Mapping[Step, Tensor]) -> _Wrong:
    true = {name: exercise.true(name) for name in STEPS}
    # The slip may have been made with earlier numbers as rounded by hand, or with exact ones.
    own = {name: torch.where(cells.isnan(), true[name], cells) for name, cells in read.items()}
    for before in ({**true, **own}, true):
        if step == "weights":
            yield from _wrong_weights(exercise, before["scaled_scores"])
        elif step == "context":
            yield from _wrong_contexts(exercise, before["scaled_scores"], before["weights"])
    for sentence, other in _wrong_exercises(exercise):
        yield sentence, other.true(step)


def _wrong_exercises(exercise: Exercise) -> Iterator[tuple[Sentence, Exercise]]:
    """Slips that are the right way through another exercise; they may show at any step."""

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


def _wrong_weights(exercise: Exercise, scaled_scores: Tensor) -> _Wrong:
    allowed = exercise.calculation().allowed
    masked_scores = (
        scaled_scores if allowed is None else scaled_scores.masked_fill(~allowed, -math.inf)
    )
    if allowed is not None:
        said = Sentence("It looks as if the mask was applied only after the softmax.")
        yield said, scaled_scores.softmax(-1) * allowed
        said = Sentence("It looks as if the mask hid the keys that it should show.")
        for seen in (~allowed, allowed.T) if exercise.settings.mask == "causal" else (~allowed,):
            # A query that sees no key gets 0/0 = nan, which a person would leave at 0.
            yield said, scaled_scores.masked_fill(~seen, -math.inf).softmax(-1).nan_to_num(0.0)
    said = Sentence("It looks as if the softmax ran down the columns: it runs along each row.")
    yield said, masked_scores.softmax(-2).nan_to_num(0.0)  # nan where no query sees the key
    said = Sentence("It looks as if the powers of e were not divided by the sum of their row.")
    yield said, masked_scores.exp()
    yield said, (masked_scores - masked_scores.amax(-1, keepdim=True)).exp()
    said = Sentence("It looks as if the scores were divided by their sum: take powers of e first.")
    visible = scaled_scores if allowed is None else scaled_scores * allowed
    yield said, visible / visible.sum(-1, keepdim=True)


def _wrong_contexts(exercise: Exercise, scaled_scores: Tensor, weights: Tensor) -> _Wrong:
    # True weights give the true context, which is no guess: these are rounded by hand.
    said = Sentence("This follows from your weights as you rounded them: keep more decimals.")
    yield said, weights @ exercise.v
    if weights.shape[0] == weights.shape[1]:
        said = Sentence("It looks as if the weights were transposed before the product with V.")
        yield said, weights.T @ exercise.v
    if exercise.v.shape[0] == exercise.v.shape[1]:
        said = Sentence("It looks as if V was transposed before the product with the weights.")
        yield said, weights @ exercise.v.T
    said = Sentence("It looks as if the scores were multiplied by V in place of the weights.")
    yield said, scaled_scores @ exercise.v
    raw_scores = exercise.calculation().steps.raw_scores[0]  # (H = 1, Tq, Tk) -> (Tq, Tk)
    yield said, raw_scores @ exercise.v
