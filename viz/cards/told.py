"""The arithmetic of a cell, told here in full: the browser writes it out and adds nothing up.

A long sum is told by its largest terms, largest first, and the sum of the rest.
"""

import math
from collections.abc import Sequence

import numpy as np

Rest = dict[str, float]
"""Terms that are not told one by one: ``count`` and ``sum``."""

Told = str | float | list[float] | Rest
"""A sign as it stands, a number, a number in a list (a factor: in brackets if below 0), a rest."""

Row = list[Told]

LONGEST = 10
"""Terms of a sum that are told."""

LARGEST = 8
"""Terms of a longer one that are."""


def product(left: np.ndarray, right: np.ndarray, result: float, bias: float | None = None) -> Row:
    """A dot product, and a bias added to it.

    Args:
        left: (I,).
        right: (I,).
        result: What it comes to.
        bias: b, if there is one.
    """
    told: Row = ["= "]
    kept, rest = _largest(left * right)
    for place in kept:
        term: Row = [[float(left[place])], " × ", [float(right[place])], " + "]
        told += term
    told += _rest(rest)
    if bias is not None:
        told += [[float(bias)], " + "]
    return [*told[:-1], " = ", result]


def mean(name: str, values: np.ndarray, result: float) -> Row:
    """A sum divided by the number of its terms.

    Args:
        name: What it is called, e.g. μ.
        values: (D,).
        result: Their mean.
    """
    return [f"{name} = (", *_sum(values), f") ÷ {len(values)} = ", said(result)]


def variance(values: np.ndarray, centre: float, result: float) -> Row:
    """The mean of squared distances from the mean.

    Args:
        values: (D,).
        centre: Their mean.
        result: Their variance.
    """
    told: Row = ["σ² = ("]
    kept, rest = _largest((values - centre) ** 2)
    for place in kept:
        told += ["(", said(values[place]), " − ", [centre], ")²", " + "]
    told += _rest(rest)
    return [*told[:-1], f") ÷ {len(values)} = ", said(result)]


def norm(
    values: tuple[float, float, float], gain: float, bias: float, eps: float, result: float
) -> Row:
    """A number centred, scaled, stretched and moved.

    Args:
        values: The number, the mean and the variance of its row.
        gain: Gamma.
        bias: Beta.
        eps: What is added to the variance, written as it is: few decimals would show it as 0.
        result: What it comes to.
    """
    x, centre, spread = values
    ratio: Row = ["= (", x, " − ", [centre], ") ÷ √(", spread, f" + {eps:g})"]
    return [*ratio, " × ", [gain], " + ", [bias], " = ", result]


def total(name: str, values: np.ndarray, result: float) -> Row:
    """A sum alone.

    Args:
        name: What it is called.
        values: (T,).
        result: Their sum.
    """
    return [f"{name} = ", *_sum(values), " = ", said(result)]


def power(score: float, largest: float, result: float) -> Row:
    """A power of e, as the softmax takes it: of the distance from the row's largest score."""
    if math.isinf(score):
        return ["e^(−∞) = ", result]
    return ["e^(", score, " − ", [largest], ") = ", result]


def said(number: float) -> Told:
    """A number as JSON can carry it."""
    return "−∞" if number == -math.inf else float(number)


def _sum(values: np.ndarray) -> Row:
    kept, rest = _largest(values)
    told: Row = []
    for place in kept:
        told += [[float(values[place])], " + "]
    return [*told, *_rest(rest)][:-1]


def _largest(terms: np.ndarray) -> tuple[Sequence[int], np.ndarray]:
    """Which terms are told, and those that are not; all of a short sum, in their order.

    Of a long one no term of exactly 0 is told: a mask or ReLU may leave many.
    """
    if len(terms) <= LONGEST:
        return range(len(terms)), terms[:0]
    order = np.argsort(-np.abs(terms), kind="stable")
    told = min(LARGEST, int(np.count_nonzero(terms)))
    return order[:told].tolist(), terms[order[told:]]


def _rest(terms: np.ndarray) -> Row:
    return [{"count": len(terms), "sum": float(terms.sum())}, " + "] if len(terms) else []
