"""Claims of a lesson's file: comparisons of its numbers, such as ``animal > 0.5``."""

import ast
import math
import operator
import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache

from lessons.value import Value
from model import HeadlightError

_SIDES = re.compile(r"([^<>=!]+)(<|>|=|!=)([^<>=!]+)")
"""A claim; a side is arithmetic (+ - * /) of named numbers."""

_OPERATORS: Mapping[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
SAME = 1e-6
"""Largest difference of two sides that are equal."""


def check_claims(claims: Iterable[str], names: Container[str]) -> None:
    """Check that claims are comparisons of these numbers, or raise a ValueError."""

    def known(name: str) -> float:
        if name not in names:
            raise ValueError(f"no number is called {name}")
        return math.nan

    for claim in claims:
        try:
            _holds(claim, known)
        except (HeadlightError, SyntaxError, ValueError) as error:
            raise ValueError(f"not a claim: {claim}: {error}") from error


def false_claims(claims: Iterable[str], numbers: Mapping[str, Value]) -> list[str]:
    """Return the claims that are not true. Each number is computed once."""
    compute = cache(lambda name: numbers[name].compute())
    return [claim for claim in claims if not _holds(claim, compute)]


def _holds(claim: str, number: Callable[[str], float]) -> bool:
    sides = _SIDES.fullmatch(claim)
    if sides is None:
        raise ValueError("it has no two sides")
    left, sign, right = sides.groups()
    try:
        difference = _value(_parsed(left), number) - _value(_parsed(right), number)
    except ZeroDivisionError as error:
        raise HeadlightError("The claim {claim} divides by 0.", claim=claim) from error
    if sign in ("=", "!="):
        return (abs(difference) < SAME) == (sign == "=")
    return difference > 0 if sign == ">" else difference < 0


def _parsed(side: str) -> ast.AST:
    return ast.parse(side.strip(), mode="eval").body


def _value(side: ast.AST, number: Callable[[str], float]) -> float:
    match side:
        case ast.Name(id=name):
            return number(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, number)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(left, number), _value(right, number))
        case ast.Constant(value=int() | float() as constant) if type(constant) is not bool:
            return float(constant)
    raise ValueError("a side is no arithmetic")
