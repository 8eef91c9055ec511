"""Kinds of questions: valid answers, right answers and tallies of each."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rooms.store.errors import RoomError

Tally = list[list[Any]]
"""Pairs of an answer and the number of students who gave it."""

KINDS = ("token", "head", "number", "choice", "next")


def validate_answer(kind: str, items: Mapping[str, Any], answer: Any) -> Any:
    """Check an answer from a browser.

    Args:
        kind: One of KINDS.
        items: The question's choices.
        answer: An index; for ``head`` a layer and a head; for ``number`` a number.

    Returns:
        The answer; a number as a float.

    Raises:
        RoomError: ``bad`` if it does not answer this question.
    """
    if kind == "number":
        return _finite_number(answer)
    if kind == "head":
        if not isinstance(answer, list) or len(answer) != 2:
            raise RoomError("bad")
        return [_index(answer[0], items["layers"]), _index(answer[1], items["heads"])]
    return _index(answer, len(items["tokens" if kind == "token" else "options"]))


def is_right(kind: str, truth: Mapping[str, Any], answer: Any) -> bool | None:
    """Whether an answer is right; None for an opinion, which has no right answer."""
    if kind == "number":
        return bool(abs(answer - truth["value"]) <= truth["tolerance"])
    return answer in truth["right"] if truth["right"] else None


def answer_name(kind: str, items: Mapping[str, Any], answer: Any) -> Any:
    """Return an answer in words, as on the screen: a token, an option, L3·H1, or a number."""
    if kind == "number":
        shown = float(f"{answer:.6g}")
        return int(shown) if shown.is_integer() else shown
    if kind == "head":
        return "L{}·H{}".format(*answer)
    return items["tokens" if kind == "token" else "options"][answer]


def tally_of(answers: Iterable[Any]) -> Tally:
    """Return the tally of some answers, in ascending order."""
    # An answer may be a list, which cannot be a key.
    counts = Counter(json.dumps(each) for each in answers)
    return sorted([json.loads(answer), count] for answer, count in counts.items())


def _index(value: Any, count: int) -> int:
    # A bool is an int in Python.
    if type(value) is not int or not 0 <= value < count:
        raise RoomError("bad")
    return value


def _finite_number(answer: Any) -> float:
    if type(answer) not in (int, float):
        raise RoomError("bad")
    try:
        value = float(answer)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise RoomError("bad")
    return value
