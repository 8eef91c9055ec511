"""Claims of a lesson's file: comparisons of its numbers, such as ``animal > 0.5``."""

import ast
import operator
import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache

from lessons.value import Value
from model import HeadlightError

_SIDES = re.compile(r"(?P<left>[^<>=!]+)(?P<sign><|>|=|!=)(?P<right>[^<>=!]+)")
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
    for claim in claims:
        for side in _read(claim)[::2]:
            unknown = {each.id for each in ast.walk(side) if isinstance(each, ast.Name)}
            if missing := [name for name in sorted(unknown) if name not in names]:
                raise ValueError(f"not a claim: {claim}: no number is called {missing[0]}")


def false_claims(claims: Iterable[str], numbers: Mapping[str, Value]) -> list[str]:
    """Return the claims that are not true. Each number is computed once."""
    compute = cache(lambda name: numbers[name].compute())
    return [claim for claim in claims if not _holds(claim, compute)]


def _holds(claim: str, compute: Callable[[str], float]) -> bool:
    left, sign, right = _read(claim)
    try:
        difference = _value(left, compute) - _value(right, compute)
    except ZeroDivisionError as error:
        raise HeadlightError("The claim {claim} divides by 0.", claim=claim) from error
    if sign in ("=", "!="):
        return (abs(difference) < SAME) == (sign == "=")
    return difference > 0 if sign == ">" else difference < 0


def _read(claim: str) -> tuple[ast.AST, str, ast.AST]:
    """Return the left side, the sign and the right side."""
    sides = _SIDES.fullmatch(claim)
    if sides is None:
        raise ValueError(f"not a claim: {claim}")
    try:
        left, right = (ast.parse(sides[end].strip(), mode="eval").body for end in ("left", "right"))
    except SyntaxError as error:
        raise ValueError(f"not a claim: {claim}") from error
    for side in (left, right):
        if not _is_arithmetic(side):
            raise ValueError(f"not a claim: {claim}")
    return left, sides["sign"], right


def _is_arithmetic(side: ast.AST) -> bool:
    match side:
        case ast.Name():
            return True
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_arithmetic(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            return type(sign) in _OPERATORS and _is_arithmetic(left) and _is_arithmetic(right)
    return False


def _value(side: ast.AST, compute: Callable[[str], float]) -> float:
    match side:
        case ast.Name(id=name):
            return compute(name)
        case ast.UnaryOp(operand=operand):
            return -_value(operand, compute)
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](_value(left, compute), _value(right, compute))
        case ast.Constant(value=int() | float() as number):
            return float(number)
    raise ValueError(ast.dump(side))  # _read lets nothing else pass
