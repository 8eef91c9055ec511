"""The arithmetic of one cell as text and numbers, for the browser to print.

A long sum consists of its largest terms, in descending order, and the sum of the rest. The browser
adds nothing up.

Axes: D dimensions, I inputs of a linear map, T tokens.
"""

import math
from collections.abc import Sequence

import numpy as np

Rest = dict[str, float]
"""The terms that a long sum omits: their ``count`` and ``sum``."""

Part = str | float | list[float] | Rest
"""Text, a number, a factor (in a list, with brackets if negative), or the rest of a sum."""

Row = list[Part]

MAX_TERMS = 10
"""A longer sum is shortened."""

LARGEST_TERMS = 8
"""Number of terms in a shortened sum."""


def product(left: np.ndarray, right: np.ndarray, result: float, bias: float | None = None) -> Row:
    """A dot product, plus a bias if there is one.

    Args:
        left: (I,).
        right: (I,).
        result: The result.
        bias: The number that is added, or None.
    """
    row: Row = ["= "]
    places, rest = _largest(left * right)
    for place in places:
        row += [[float(left[place])], " × ", [float(right[place])], " + "]
    row += _rest(rest)
    if bias is not None:
        row += [[float(bias)], " + "]
    return [*row[:-1], " = ", result]


def mean(name: str, values: np.ndarray, result: float) -> Row:
    """A mean: the sum of the values, divided by their number.

    Args:
        name: Its symbol, e.g. μ.
        values: (D,).
        result: The mean.
    """
    return [f"{name} = (", *_sum(values), f") ÷ {len(values)} = ", number(result)]


def variance(values: np.ndarray, centre: float, result: float) -> Row:
    """A variance: the mean of the squared distances from the mean.

    Args:
        values: (D,).
        centre: Their mean.
        result: The variance.
    """
    row: Row = ["σ² = ("]
    places, rest = _largest((values - centre) ** 2)
    for place in places:
        row += ["(", number(values[place]), " − ", [centre], ")²", " + "]
    row += _rest(rest)
    return [*row[:-1], f") ÷ {len(values)} = ", number(result)]


def norm(
    values: tuple[float, float, float], gain: float, bias: float, eps: float, result: float
) -> Row:
    """One number through LayerNorm (Ba et al. 2016, eq. 3 and 4).

    Args:
        values: The number, and the mean and variance of its row.
        gain: Gamma.
        bias: Beta.
        eps: The constant under the root. It is printed in full: few decimals would print 0.
        result: The result.
    """
    x, centre, spread = values
    ratio: Row = ["= (", x, " − ", [centre], ") ÷ √(", spread, f" + {eps:g})"]
    return [*ratio, " × ", [gain], " + ", [bias], " = ", result]


def total(name: str, values: np.ndarray, result: float) -> Row:
    """A sum.

    Args:
        name: Its name.
        values: (T,).
        result: The sum.
    """
    return [f"{name} = ", *_sum(values), " = ", number(result)]


def power(score: float, largest: float, result: float) -> Row:
    """A power of e in a softmax: of the score minus the largest score of its row.

    Args:
        score: The score; -inf if it is masked.
        largest: The largest score of the row.
        result: The power.
    """
    if math.isinf(score):
        return ["e^(−∞) = ", result]
    return ["e^(", score, " − ", [largest], ") = ", result]


def number(value: float) -> Part:
    """A number that JSON can encode; -inf becomes text.

    Args:
        value: The number.
    """
    return "−∞" if value == -math.inf else float(value)


def _sum(values: np.ndarray) -> Row:
    places, rest = _largest(values)
    row: Row = []
    for place in places:
        row += [[float(values[place])], " + "]
    return [*row, *_rest(rest)][:-1]


def _largest(terms: np.ndarray) -> tuple[Sequence[int], np.ndarray]:
    """The places of the terms to print, and the other terms; a short sum keeps its order.

    A long sum omits terms of exactly 0: a mask or ReLU may produce many.
    """
    if len(terms) <= MAX_TERMS:
        return range(len(terms)), terms[:0]
    order = np.argsort(-np.abs(terms), kind="stable")
    n_printed = min(LARGEST_TERMS, int(np.count_nonzero(terms)))
    return order[:n_printed].tolist(), terms[order[n_printed:]]


def _rest(terms: np.ndarray) -> Row:
    return [{"count": len(terms), "sum": float(terms.sum())}, " + "] if len(terms) else []
