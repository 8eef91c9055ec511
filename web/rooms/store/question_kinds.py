"""Kinds of questions: valid answers, right answers and tallies of each."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from web.rooms.store.errors import RoomError

Tally = list[list[Any]]
"""Pairs of an answer and the number of students who gave it.

Sketches and masks have one pair: their mean. Alignments count pairs of a target and a source token.
"""

KINDS = (
    "token", "sketch", "head", "layer", "number", "choice", "next", "sentence", "mask", "alignment",
)  # fmt: skip

SKETCHES = ("sketch", "mask", "alignment")
"""Kinds whose answers have a distance from the truth."""

OPTIONS = ("token", "head", "layer", "choice", "next")
"""Kinds whose answer is one of some options."""

CONFIDENCE = ("sure", "unsure", "guessing")

MAX_SENTENCE = 200
"""Characters of a student's own sentence."""


def validate_answer(kind: str, items: Mapping[str, Any], answer: Any) -> Any:
    """Check an answer from a browser.

    Args:
        kind: One of KINDS.
        items: The question's choices.
        answer: An index; for ``head`` a layer and a head; for ``number`` a number; for ``sketch``
            a share for each token; for ``mask`` a text of 0 and 1 for each query; for
            ``alignment`` the index of a source token for each target; for ``sentence`` the fields
            of :func:`validate_sentence`, and of the model the ``value`` of a measure, or the
            ``weight`` and whether the words are ``linked``.

    Returns:
        The answer; a number as a float; shares scaled to sum to 1, with four decimals.

    Raises:
        RoomError: ``bad`` if it does not answer this question.
    """
    if kind == "number":
        return _finite_number(answer)
    if kind == "sketch":
        return _shares(answer, len(items["tokens"]))
    if kind == "mask":
        return _mask_rows(answer, len(items["tokens"]))
    if kind == "alignment":
        if not isinstance(answer, list) or len(answer) != len(items["targets"]):
            raise RoomError("bad")
        return [_index(each, len(items["tokens"])) for each in answer]
    if kind == "sentence":
        sentence = validate_sentence(items, answer)
        if "measure" in items:
            return sentence | {"value": _finite_number(answer.get("value"))}
        measured = {"weight": _finite_number(answer.get("weight")), "linked": answer.get("linked")}
        if type(measured["linked"]) is not bool:
            raise RoomError("bad")
        return sentence | measured
    if kind == "head":
        if not isinstance(answer, list) or len(answer) != 2:
            raise RoomError("bad")
        return [_index(answer[0], items["layers"]), _index(answer[1], items["heads"])]
    if kind == "layer":
        return _index(answer, items["layers"])
    return _index(answer, len(items["tokens" if kind == "token" else "options"]))


def validate_sentence(items: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    """Check a sentence of a student and the two words that the student selected in it.

    Args:
        items: The question's fields; with ``measure``, no words are selected.
        answer: ``text``, and the start and end character of ``query`` and ``key``.

    Returns:
        These three fields, or the text alone.

    Raises:
        RoomError: ``bad`` if the text is empty or too long, if a word is empty or outside of the
            text, or if the words overlap.
    """
    text = answer.get("text") if isinstance(answer, dict) else None
    if not isinstance(text, str) or not text.strip() or not len(text) <= MAX_SENTENCE:
        raise RoomError("bad")
    if "measure" in items:
        return {"text": text}
    words = []
    for name in ("query", "key"):
        span = answer.get(name)
        if not isinstance(span, list) or len(span) != 2:
            raise RoomError("bad")
        start, end = (_index(each, len(text) + 1) for each in span)
        if not text[start:end].strip():
            raise RoomError("bad")
        words.append([start, end])
    query, key = words
    if query[0] < key[1] and key[0] < query[1]:
        raise RoomError("bad")
    return {"text": text, "query": query, "key": key}


def is_right(kind: str, truth: Mapping[str, Any], answer: Any) -> bool | None:
    """Whether an answer is right; None for an opinion, which has no right answer."""
    if kind == "sentence":
        return None
    if kind == "number":
        return bool(abs(answer - truth["value"]) <= truth["tolerance"])
    return answer in truth["right"] if truth["right"] else None


def distance(kind: str, truth: Mapping[str, Any], answer: Any) -> float | None:
    """Distance of a sketch from the truth; 0 is equal. None for every other kind.

    It is the total variation distance of a row, the number of wrong cells of a mask, and the number
    of wrong source tokens of an alignment.
    """
    if kind == "sketch":
        pairs = zip(answer, truth["weights"], strict=True)
        return round(sum(abs(share - weight) for share, weight in pairs) / 2, 4)
    if kind not in SKETCHES:
        return None
    given, right = (
        "".join(each) if kind == "mask" else each for each in (answer, truth["right"][0])
    )
    return sum(cell != other for cell, other in zip(given, right, strict=True))


def answer_name(kind: str, items: Mapping[str, Any], answer: Any) -> Any:
    """Return an answer in words: a token, an option, L3·H1, L3 or shares; a number stays one.

    A sentence has its two words and their weight or its measure, a mask its rows, an alignment its
    pairs.
    """
    if kind == "sentence" and "measure" in items:
        return f"{answer['text']} | {items['measure']} {answer['value']:.4f}"
    if kind == "sentence":
        query, key = (answer["text"][slice(*answer[name])] for name in ("query", "key"))
        linked = " (largest)" if answer["linked"] else ""
        return f"{answer['text']} | {query} → {key} | {answer['weight']:.4f}{linked}"
    if kind == "sketch":
        return " ".join(f"{share:.3f}" for share in answer)
    if kind == "mask":
        return " ".join(answer)
    if kind == "alignment":
        pairs = zip(items["targets"], answer, strict=True)
        return " ".join(f"{target} → {items['tokens'][source]}" for target, source in pairs)
    if kind == "head":
        return "L{}·H{}".format(*answer)
    if kind == "layer":
        return f"L{answer}"
    if kind == "number":
        return answer
    return items["tokens" if kind == "token" else "options"][answer]


def tally_of(kind: str, answers: Iterable[Any]) -> Tally:
    """Return the tally of some answers, in ascending order.

    For sketches and masks it is their mean; for an alignment, it counts pairs of a target and a
    source token; for sentences, it counts weights and whether words are linked, or values of a
    measure and None.
    """
    if kind == "mask":
        grids = list(answers)
        shares = [
            [round(sum(map(int, cells)) / len(grids), 4) for cells in zip(*rows, strict=True)]
            for rows in zip(*grids, strict=True)
        ]
        return [[shares, len(grids)]] if grids else []
    if kind == "alignment":
        answers = [list(pair) for answer in answers for pair in enumerate(answer)]
    if kind == "sketch":
        rows = list(answers)
        mean = [round(sum(shares) / len(rows), 4) for shares in zip(*rows, strict=True)]
        return [[mean, len(rows)]] if rows else []
    if kind == "sentence":
        answers = [
            [each["value"], None] if "value" in each else [each["weight"], each["linked"]]
            for each in answers
        ]
    # An answer may be a list, which cannot be a key.
    counts = Counter(json.dumps(each) for each in answers)
    return sorted([json.loads(answer), count] for answer, count in counts.items())


def _shares(answer: Any, count: int) -> list[float]:
    if not isinstance(answer, list) or len(answer) != count:
        raise RoomError("bad")
    shares = [_finite_number(each) for each in answer]
    total = sum(shares)
    if min(shares) < 0 or not 0 < total < math.inf:
        raise RoomError("bad")
    return [round(share / total, 4) for share in shares]


def _mask_rows(answer: Any, count: int) -> list[str]:
    if not isinstance(answer, list) or len(answer) != count:
        raise RoomError("bad")
    for row in answer:
        if not isinstance(row, str) or len(row) != count or not set(row) <= set("01"):
            raise RoomError("bad")
    return answer


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
