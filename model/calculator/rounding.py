"""What honest rounding on the way may come to: an answer that follows from it is right.

Whoever works on paper rounds between the steps as well as at the end, and a rounded number carried
on moves what comes after it by more than its own last decimal. Here every way to do so is gone
through: each number between the steps kept as it is, rounded to the decimals that are asked for,
or to one more; and the numbers that were filled in, where they are right. A chain that strays
further is no longer rounding: where all powers of e are small, two decimals of them are not enough
to divide.

Axes: C chains of such choices, Tq queries, Tk keys, Kv d_v of the values.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from model.calculator.exercises import Exercise, Step
from model.calculator.settings import Settings

_HAIR = 1e-9  # 0.285 is a little less than that in binary, and still half-way
_FARTHEST = 5  # units of the last decimal; the chains of nearly all exercises stay within 4


def rounded_off(decimals: int) -> float:
    """How far an answer may be from what a chain comes to: rounded, after two more decimals."""
    return 0.55 * 10.0**-decimals + _HAIR


def reached(exercise: Exercise, step: Step, before: Tensor, decimals: int) -> Tensor:
    """What a step comes to, not yet rounded, on every chain that leads to it.

    Args:
        exercise: What is worked out.
        step: Which step of it.
        before: The step before on every chain, as :func:`carried` gave it; unread at the first.
        decimals: How many are asked for.

    Returns:
        float64 (C, Tq, Tk), of the context (C, Tq, Kv); the true number where a chain strays.
    """
    true = exercise.true(step)
    if step == "scaled_scores":
        raw_scores = exercise.q @ exercise.k.T  # (Tq, K) @ (K, Tk) -> (Tq, Tk)
        results = torch.stack([raw_scores / each for each in _divisors(exercise, decimals)])
    elif step == "weights":
        allowed = exercise.calculation().allowed
        scores = before if allowed is None else before.masked_fill(~allowed, -torch.inf)
        results = torch.cat([*_softmaxes(scores, decimals)])
    else:
        results = before @ exercise.v  # (C, Tq, Tk) @ (Tk, Kv) -> (C, Tq, Kv)
    stays = (results - true).abs() <= _FARTHEST * 10.0**-decimals  # not of nan either: 0 / 0
    return torch.where(stays, results, true).unique(dim=0)


def carried(results: Tensor, own: Tensor, decimals: int) -> Tensor:
    """What somebody may go on with from a step.

    Args:
        results: Of the step on every chain, as :func:`reached` gave it, (C, Tq, ...).
        own: The right numbers that were filled in, nan where there is none, (Tq, ...).
        decimals: How many are asked for.

    Returns:
        float64 (C, Tq, ...), with more chains: what was filled in, and what may be behind it.
    """
    numbers = torch.cat([*_roundings(results, decimals)])
    unknown = own.isnan()
    behind = unknown | ((numbers - own).abs() <= rounded_off(decimals))
    filled_in = [torch.where(fits, numbers, own) for fits in (behind, unknown)]
    return torch.cat(filled_in).unique(dim=0)


def _roundings(numbers: Tensor, decimals: int) -> Iterator[Tensor]:
    """Numbers as they are, and rounded: halves up (away from 0), or to the even digit."""
    yield numbers
    for places in (decimals, decimals + 1):
        shifted = numbers.abs() * 10**places
        lower = shifted.floor()
        half_way = (shifted - lower - 0.5).abs() <= _HAIR * 10**places
        half_up = torch.where(half_way, lower + 1, shifted.round())
        half_even = torch.where(half_way, lower + lower % 2, shifted.round())
        for digits in (half_up, half_even):
            yield numbers.sign() * digits / 10**places


def _divisors(exercise: Exercise, decimals: int) -> list[float]:
    """What the scores are divided by: the root may be rounded, and the root times temperature."""
    temperature = exercise.settings.temperature
    root = torch.tensor(Settings().divisor(exercise.q.shape[1]), dtype=torch.float64)
    roots = [number * temperature for number in _roundings(root, decimals)]
    products = _roundings(root * temperature, decimals)
    return sorted({number.item() for number in (*roots, *products)})


def _softmaxes(scores: Tensor, decimals: int) -> Iterator[Tensor]:
    """The softmax of each row with its powers of e and their sum rounded, or kept.

    With the row's largest score subtracted first, as the calculator does, or without.
    """
    for shift in (0, scores.amax(-1, keepdim=True)):
        for powers in _roundings((scores - shift).exp(), decimals):
            for total in _roundings(powers.sum(-1, keepdim=True), decimals):
                yield powers / total
