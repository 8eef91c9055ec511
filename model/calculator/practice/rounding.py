"""All results that honest rounding between the steps can lead to.

A person who works on paper rounds between the steps too. The error of a rounded number grows in the
next step, and the final result can be off by more than one unit of its last decimal. This module
tries every way to round. Each number between the steps is exact, rounded to the required decimals,
or rounded to one more. Right numbers that were filled in are possible values too. Results that are
too far off are dropped: two decimals of small powers of e are not enough to divide.

Axes: C chains of such choices, Tq queries, Tk keys, Kv d_v of the values.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from model.calculator.practice.exercise import Step
from model.calculator.practice.problem import Problem
from model.calculator.settings import Settings

_EPSILON = 1e-9  # in binary, 0.285 is slightly less than half-way
_MAX_UNITS_OFF = 5  # of the last decimal; nearly all exercises stay within 4


def rounding_error(decimals: int) -> float:
    """How far a rounded answer may be from the result of a chain.

    Args:
        decimals: Required number of decimals.

    Returns:
        Half a unit of the last decimal, and a tenth of that for numbers that were rounded twice.
    """
    return 0.55 * 10.0**-decimals + _EPSILON


def reachable_results(problem: Problem, step: Step, before: Tensor, decimals: int) -> Tensor:
    """The results of a step on every chain of roundings, not yet rounded.

    Args:
        problem: The problem to solve.
        step: The step to work out.
        before: The previous step on every chain, from :func:`carry_on`: (C, Tq, Tk). The first
            step does not read it.
        decimals: Required number of decimals.

    Returns:
        float64 (C, Tq, Tk); for the context (C, Tq, Kv). The true number where a chain is too far
        off.
    """
    true = problem.true(step)
    if step == "scaled_scores":
        raw_scores = problem.q @ problem.k.T  # (Tq, K) @ (K, Tk) -> (Tq, Tk)
        # C x (Tq, Tk) -> (C, Tq, Tk)
        results = torch.stack([raw_scores / each for each in _divisors(problem, decimals)])
    elif step == "weights":
        allowed = problem.calculation().allowed
        scores = before if allowed is None else before.masked_fill(~allowed, -torch.inf)
        results = torch.cat([*_softmaxes(scores, decimals)])
    else:
        results = before @ problem.v  # (C, Tq, Tk) @ (Tk, Kv) -> (C, Tq, Kv)
    # The comparison is False for nan (0 / 0), too.
    close = (results - true).abs() <= _MAX_UNITS_OFF * 10.0**-decimals
    return torch.where(close, results, true).unique(dim=0)


def carry_on(results: Tensor, filled_in: Tensor, decimals: int) -> Tensor:
    """The numbers from which a person may continue after a step.

    Args:
        results: The step on every chain, from :func:`reachable_results`: (C, Tq, ...).
        filled_in: The right numbers that were filled in, nan where there is none: (Tq, ...).
        decimals: Required number of decimals.

    Returns:
        float64 (C, Tq, ...) with more chains: the numbers filled in, and those that may be behind
        them.
    """
    numbers = torch.cat([*_roundings(results, decimals)])
    unknown = filled_in.isnan()
    consistent = unknown | ((numbers - filled_in).abs() <= rounding_error(decimals))
    chains = [torch.where(fits, numbers, filled_in) for fits in (consistent, unknown)]
    return torch.cat(chains).unique(dim=0)


def _roundings(numbers: Tensor, decimals: int) -> Iterator[Tensor]:
    """Numbers as they are, and rounded: half away from 0, or half to the even digit."""
    yield numbers
    for places in (decimals, decimals + 1):
        shifted = numbers.abs() * 10**places
        lower = shifted.floor()
        half_way = (shifted - lower - 0.5).abs() <= _EPSILON * 10**places
        half_up = torch.where(half_way, lower + 1, shifted.round())
        half_even = torch.where(half_way, lower + lower % 2, shifted.round())
        for digits in (half_up, half_even):
            yield numbers.sign() * digits / 10**places


def _divisors(problem: Problem, decimals: int) -> list[float]:
    """The divisors of the scores: the root may be rounded, or its product with the temperature."""
    temperature = problem.settings.temperature
    root = torch.tensor(Settings().divisor(problem.q.shape[1]), dtype=torch.float64)
    roots = [number * temperature for number in _roundings(root, decimals)]
    products = _roundings(root * temperature, decimals)
    return sorted({number.item() for number in (*roots, *products)})


def _softmaxes(scores: Tensor, decimals: int) -> Iterator[Tensor]:
    """The softmax of each row with its powers of e and their sum rounded, or exact.

    The row's largest score may be subtracted first, as the Calculator does.
    """
    for shift in (0, scores.amax(-1, keepdim=True)):
        for powers in _roundings((scores - shift).exp(), decimals):
            for total in _roundings(powers.sum(-1, keepdim=True), decimals):
                yield powers / total
