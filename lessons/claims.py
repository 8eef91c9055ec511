"""Claims of a lesson's file: comparisons of its numbers, such as ``animal > 0.5``."""

import operator
import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache

from lessons.value import Value

_CLAIM = re.compile(r"(-?\w[\w.]*) (<|>|=|!=) (-?\w[\w.]*)")
"""A side is a number or the name of one."""

_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=": lambda left, right: abs(left - right) < SAME,
    "!=": lambda left, right: not abs(left - right) < SAME,
}
SAME = 1e-6
"""Largest difference of two sides that are equal."""


def check_claims(claims: Iterable[str], names: Container[str]) -> None:
    """Check that claims are comparisons of these numbers, or raise a ValueError."""
    for claim in claims:
        found = _CLAIM.fullmatch(claim)
        if found is None:
            raise ValueError(f"not a claim: {claim}")
        for side in (found[1], found[3]):
            if side not in names and not _NUMBER.fullmatch(side):
                raise ValueError(f"not a claim: {claim}: no number is called {side}")


def false_claims(claims: Iterable[str], numbers: Mapping[str, Value]) -> list[str]:
    """Return the claims that are not true. Each number is computed once."""
    compute = cache(lambda name: numbers[name].compute())

    def holds(claim: str) -> bool:
        left, sign, right = claim.split(" ")
        sides = (compute(side) if side in numbers else float(side) for side in (left, right))
        return _COMPARISONS[sign](*sides)

    return [claim for claim in claims if not holds(claim)]
