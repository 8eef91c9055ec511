"""Kinds of question: what is an answer to each, and which answers are right."""

import math
from collections.abc import Mapping
from typing import Any

from classroom.errors import RoomError

KINDS = ("token", "head", "layer", "number", "choice")


def checked(kind: str, items: Mapping[str, Any], answer: Any) -> Any:
    """An answer as it is kept.

    Args:
        kind: Of the question, one of KINDS.
        items: What the question lets one choose from.
        answer: As it came: an index; for ``head`` layer and head; for ``number`` a number.

    Raises:
        RoomError: ``bad``: it is no answer to this question.
    """
    if kind == "number":
        return _number(answer)
    if kind == "head":
        if not isinstance(answer, list) or len(answer) != 2:
            raise RoomError("bad")
        return [_below(items["layers"], answer[0]), _below(items["heads"], answer[1])]
    if kind == "layer":
        return _below(items["layers"], answer)
    return _below(len(items["tokens" if kind == "token" else "options"]), answer)


def is_right(kind: str, truth: Mapping[str, Any], answer: Any) -> bool | None:
    """Whether an answer is right; None where none is: an opinion was asked for."""
    if kind == "number":
        return bool(abs(answer - truth["value"]) <= truth["tolerance"])
    return answer in truth["right"] if truth["right"] else None


def _below(count: int, index: Any) -> int:
    # True and False are whole numbers to Python.
    if type(index) is not int or not 0 <= index < count:
        raise RoomError("bad")
    return index


def _number(answer: Any) -> float:
    if type(answer) not in (int, float):
        raise RoomError("bad")
    try:
        value = float(answer)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise RoomError("bad")
    return value
