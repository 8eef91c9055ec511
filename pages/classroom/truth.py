"""What a question shows of a view, and what is true of it: the model's own numbers.

Axes: L layers, H heads, T tokens.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from model import AttentionCapture, HeadlightError
from model.analysis.units import units
from model.calculator.exercises import Exercise, exercises
from model.calculator.practice import tolerance
from model.errors import SaidError
from pages.classroom.views import Looked, looked_at, practised
from viz import distinct

Request = Mapping[str, Any]
Answered = tuple[dict[str, Any], dict[str, Any]]
"""Items, which everybody sees, and the truth, which nobody does before the reveal."""

MOST_TOKENS = 128
"""That a question lets choose from: more are no question for a telephone."""

MOST_OPTIONS = 8
MOST_LETTERS = 200


def prepared(request: Request) -> Answered:
    """Work out what a question shows, and what is true.

    Args:
        request: As the teacher's browser sends it: ``kind``, ``view``, and what the kind asks for.
            ``side`` says whose model is asked about, where the view has two.

    Returns:
        Both as JSON takes them; numbers are the model's own, to six decimals.

    Raises:
        HeadlightError: If there is no such thing to be asked of this view.
    """
    kinds: dict[str, Callable[[Request], Answered]] = {
        "token": _token,
        "head": _head,
        "layer": _layer,
        "number": _number,
        "choice": _choice,
    }
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise HeadlightError("There is no such kind of question.")
    return kinds[kind](request)


def about(view: str) -> dict[str, Any]:
    """What can be asked of a view.

    Args:
        view: A path of this site, with its query.

    Returns:
        ``sides``: of each its model, tokens, layers, heads and the selected head; ``picked``: the
        token that is picked. ``practice``: the exercise's step, its rows and columns. Neither where
        the view shows neither.

    Raises:
        HeadlightError: If the model is not to be had, or there is no sentence.
    """
    values = practised(view)
    if values is not None:
        exercise, asked = _exercise(values), values["ask"]
        rows, columns = exercise.true(asked).shape
        return {"practice": {"asked": asked, "rows": rows, "columns": columns}}
    first = looked_at(view, "")
    if first is None:
        return {}
    sides = {each: looked_at(view, each) for each in ("left", "right")}
    return {
        "side": first.side,
        "picked": first.picked,
        "sides": {side: _told(looked) for side, looked in sides.items() if looked is not None},
    }


def _told(looked: Looked) -> dict[str, Any]:
    try:
        capture = looked.capture()
    except SaidError as error:
        return {"model": looked.model, "error": str(error)}
    layer, head = looked.place(capture)
    return {
        "model": looked.model,
        "tokens": _names(capture),
        "layers": capture.n_layers,
        "heads": capture.n_heads,
        "layer": layer,
        "head": head,
    }


def _token(request: Request) -> Answered:
    looked, capture = _looked(request)
    tokens, query = _names(capture), _index(request, "query", len(capture.tokens))
    layer, head = looked.place(capture)
    weights = capture.weights[layer, head, query]  # (T,)
    items = {**_shown(looked, tokens), "query": query, "layer": layer, "head": head}
    right = [int(i) for i in np.flatnonzero(weights == weights.max())]
    return items, {
        "weights": _numbers(weights),
        "right": right,
        "test": looked.without([(layer, head)]),
    }


def _head(request: Request) -> Answered:
    looked, capture = _looked(request)
    items, weights = _linked(looked, capture, request)  # (L, H)
    items["heads"] = capture.n_heads
    right = [(int(i), int(j)) for i, j in np.argwhere(weights == weights.max())]
    return items, {
        "weights": _numbers(weights),
        "right": [list(place) for place in right],
        "test": looked.without(right[:1]),
    }


def _layer(request: Request) -> Answered:
    looked, capture = _looked(request)
    items, weights = _linked(looked, capture, request)
    means = weights.mean(axis=1)  # (L, H) -> (L,)
    right = [int(i) for i in np.flatnonzero(means == means.max())]
    return items, {
        "weights": _numbers(means),
        "right": right,
        "test": looked.without([(right[0], head) for head in range(capture.n_heads)]),
    }


def _linked(
    looked: Looked, capture: AttentionCapture, request: Request
) -> tuple[dict[str, Any], np.ndarray]:
    """What is shown of a pair of tokens, and every head's weight from one to the other, (L, H).

    Raises:
        HeadlightError: If one is hidden from the other.
    """
    tokens = _names(capture)
    query, key = (_index(request, name, len(tokens)) for name in ("query", "key"))
    items = {**_shown(looked, tokens), "query": query, "key": key, "layers": capture.n_layers}
    weights = capture.weights[:, :, query, key]
    if not weights.any():
        raise HeadlightError(
            "No head of {model} sees “{key}” from “{query}”: its mask hides what comes later.",
            model=looked.model,
            key=tokens[key],
            query=tokens[query],
        )
    return items, weights


def _shown(looked: Looked, tokens: list[str]) -> dict[str, Any]:
    return {"tokens": tokens, "model": looked.model, "side": looked.side}


def _number(request: Request) -> Answered:
    if request.get("value") is not None:
        value, near = (_finite(request.get(name)) for name in ("value", "tolerance"))
        if near < 0:
            raise HeadlightError("A tolerance is 0 or more.")
        return {"tolerance": near}, {"value": value, "tolerance": near}
    values = practised(_view(request))
    if values is None:
        raise HeadlightError("A number needs its value, or an exercise of the Calculator.")
    exercise, asked = _exercise(values), values["ask"]
    true = exercise.true(asked)  # (Tq, Tk) or (Tq, Kv)
    rows, columns = true.shape
    row, column = _index(request, "query", rows), _index(request, "key", columns)
    near = tolerance(values["decimals"])
    given = {"Q": exercise.q, "K": exercise.k} | ({"V": exercise.v} if asked == "context" else {})
    items = {
        "tolerance": near,
        "decimals": values["decimals"],
        "asked": asked,
        "row": row,
        "column": column,
        "mask": exercise.settings.mask,
        "temperature": exercise.settings.temperature,
        "given": {name: matrix.tolist() for name, matrix in given.items()},
    }
    return items, {"value": float(true[row, column]), "tolerance": near}


def _choice(request: Request) -> Answered:
    options = request.get("options")
    if not isinstance(options, list) or not 2 <= len(options) <= MOST_OPTIONS:
        raise HeadlightError("There are from 2 to {most} to choose from.", most=MOST_OPTIONS)
    if not all(isinstance(each, str) and each.strip() for each in options):
        raise HeadlightError("Each of what there is to choose from has words.")
    right = request.get("right") or []
    if not isinstance(right, list):
        raise HeadlightError("What is right is a list of places.")
    places = sorted({_index({"right": each}, "right", len(options)) for each in right})
    return {"options": [each.strip()[:MOST_LETTERS] for each in options]}, {"right": places}


def _looked(request: Request) -> tuple[Looked, AttentionCapture]:
    looked = looked_at(_view(request), str(request.get("side") or ""))
    if looked is None:
        raise HeadlightError("This page shows no sentence: ask from Explore, Layers or Heads.")
    capture = looked.capture()
    if len(capture.tokens) > MOST_TOKENS:
        raise HeadlightError(
            "A question lets choose from {most} tokens at most, and here are {count}.",
            most=MOST_TOKENS,
            count=len(capture.tokens),
        )
    return looked, capture


def _exercise(values: Mapping[str, Any]) -> Exercise:
    return exercises(values["seed"], values["level"])[values["exercise"]]


def _view(request: Request) -> str:
    view = request.get("view")
    if not isinstance(view, str):
        raise HeadlightError("A view is a link to a page of this site.")
    return view


def _index(request: Request, name: str, count: int) -> int:
    place = request.get(name)
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < count:
        raise HeadlightError(
            "{name} is a whole number from 0 to {last}.", name=name, last=count - 1
        )
    return place


def _finite(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise HeadlightError("A number and its tolerance are finite numbers.")
    return float(value)


def _names(capture: AttentionCapture) -> list[str]:
    """Tokens as the pages write them, equal ones numbered."""
    return distinct([unit.label for unit in units(capture)])


def _numbers(weights: np.ndarray) -> Sequence[Any]:
    return np.round(weights.astype(np.float64), 6).tolist()
