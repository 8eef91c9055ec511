"""Questions about a view: the fields that the class sees, and the right answer from the model.

Axes: L layers, H heads, T tokens, U units: the rows and columns of the page.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from model import AttentionCapture, HeadlightError
from model.capture.record import check_head
from model.errors import TranslatableError
from model.questions import Question, QuestionKind, truth_of
from rooms.api.linked_view import Link, LinkedView
from rooms.api.site import Site
from viz import distinct
from web.cache.loaded_models import loaded_model
from web.subject import Subject

QuestionRequest = Mapping[str, Any]
Parts = tuple[dict[str, Any], dict[str, Any]]
"""Items and truth of a question."""

MAX_TOKENS = 128
"""A phone cannot show more choices."""

MAX_OPTIONS = 8
MAX_OPTION_LENGTH = 200

TOLERANCE = 0.05
"""A weight is right within this distance: students estimate it."""


def build_question(site: Site, request: QuestionRequest) -> Question:
    """Compute the items and the truth of a question.

    Args:
        request: From the teacher's browser; ``kind`` and ``view`` are valid, other fields may not
            be. ``side`` names the model where the view has two. With ``lesson``, the question is
            the one of the lesson's step in the view.

    Raises:
        HeadlightError: If the view does not have such a question.
    """
    link = Link.read(request["view"], site.parameters_of)
    if request.get("lesson"):
        found = site.lesson_question(link.lesson)
        if found is None:
            raise HeadlightError("This view has no such question of a lesson.")
        return found
    kind: QuestionKind = request["kind"]
    return Question(kind, *_KINDS[kind](request, link))


def describe_view(site: Site, view: str) -> dict[str, Any]:
    """Describe what can be asked about a view, without a forward pass: anybody may ask for it.

    Args:
        view: A path of this site with its query string.

    Returns:
        ``sides``: each side's model, tokens and selected head, and whether the page shows the mean
        over heads; ``side``: the view's own one; ``picked``: the selected token.
        ``lesson``: kind and prompt of the question of the lesson's step. An empty dictionary if
        the view shows none of these.

    Raises:
        HeadlightError: If a model is not available.
    """
    link = Link.read(view, site.parameters_of)
    lesson = site.lesson_prompt(link.lesson)
    about: dict[str, Any] = {"lesson": lesson} if lesson else {}
    default = link.side("")
    if default is None:
        return about
    sides = {name: link.side(name) for name in ("left", "right")}
    return about | {
        "side": default.subject.side,
        "picked": default.picked,
        "sides": {name: _describe_side(side) for name, side in sides.items() if side is not None},
    }


def _describe_side(side: LinkedView) -> dict[str, Any]:
    model = side.subject.model
    try:
        tokens = side.tokens()
        layer, head = side.selected_head(loaded_model(model))
    except TranslatableError as error:
        return {"model": model, "error": str(error)}
    return {
        "model": model,
        "tokens": distinct([unit.label for unit in side.subject.units_of(tokens)]),
        "layer": layer,
        "head": head,
        "mean": side.kind == "mean",
    }


def _token_question(request: QuestionRequest, link: Link) -> Parts:
    items, row = _shown_row(request, link)
    return items, truth_of(row)


def _number_question(request: QuestionRequest, link: Link) -> Parts:
    items, row = _shown_row(request, link)
    key = _index(request, "key", len(row))
    truth = {"value": round(float(row[key]), 6), "tolerance": TOLERANCE}
    return {**items, "key": key, "tolerance": TOLERANCE}, truth


def _shown_row(request: QuestionRequest, link: Link) -> tuple[dict[str, Any], np.ndarray]:
    """Return the items and the weights from the query (U,).

    The weights are those of the selected head, or the mean over the heads of its layer.
    """
    side, capture = _requested_side(request, link)
    query = _index(request, "query", len(side.subject.units))
    layer, head = side.selected_head(capture)
    if side.kind not in ("mean", "head"):
        raise HeadlightError(
            "This view shows no attention weights. Select “Mean over heads” or “One head” first."
        )
    items = {**_sentence_items(side.subject), "query": query, "layer": layer}
    check_head(capture, layer, head, side.subject.model)
    of_layer = capture.weights[layer]  # (H, T, T)
    if side.kind == "head":
        items["head"] = head
        weights = of_layer[head]
    else:
        weights = of_layer.mean(axis=0)
    return items, side.subject.between_units(weights)[query]


def _head_question(request: QuestionRequest, link: Link) -> Parts:
    side, capture = _requested_side(request, link)
    subject, tokens = side.subject, side.subject.labels
    query, key = (_index(request, name, len(tokens)) for name in ("query", "key"))
    weights = subject.between_units(capture.weights)[:, :, query, key]  # (L, H)
    if not weights.any():
        raise HeadlightError(
            "No head of {model} sees “{key}” from “{query}”: the mask hides later tokens.",
            model=subject.model,
            key=tokens[key],
            query=tokens[query],
        )
    layers, heads = weights.shape
    pair = {"query": query, "key": key, "layers": layers, "heads": heads}
    items = {**_sentence_items(side.subject), **pair}
    return items, truth_of(weights)


def _sentence_items(subject: Subject) -> dict[str, Any]:
    return {
        "tokens": subject.labels,
        "text": subject.sentence,
        "model": subject.model,
        "side": subject.side,
        "special": subject.special,
        "words": subject.merge_words,
    }


def _choice_question(request: QuestionRequest, link: Link) -> Parts:
    options = request.get("options")
    if not isinstance(options, list) or not 2 <= len(options) <= MAX_OPTIONS:
        raise HeadlightError("Enter 2 to {most} options.", most=MAX_OPTIONS)
    if not all(isinstance(each, str) and each.strip() for each in options):
        raise HeadlightError("Every option needs a text.")
    right = request.get("right") or []
    if not isinstance(right, list):
        raise HeadlightError("The right options must be a list of numbers.")
    indices = sorted({_index({"right": each}, "right", len(options)) for each in right})
    return {"options": [each.strip()[:MAX_OPTION_LENGTH] for each in options]}, {"right": indices}


def _requested_side(request: QuestionRequest, link: Link) -> tuple[LinkedView, AttentionCapture]:
    side = link.side(str(request.get("side") or ""))
    if side is None:
        raise HeadlightError("This page shows no sentence. Ask from Explore, Layers or Heads.")
    capture = side.subject.capture()
    count = len(side.subject.units)
    if count > MAX_TOKENS:
        raise HeadlightError(
            "A question can offer {most} tokens, and this sentence has {count}. Shorten it.",
            most=MAX_TOKENS,
            count=count,
        )
    return side, capture


def _index(request: QuestionRequest, name: str, count: int) -> int:
    index = request.get(name)
    if type(index) is not int or not 0 <= index < count:
        raise HeadlightError(
            "{name} must be a whole number from 0 to {last}.", name=name, last=count - 1
        )
    return index


_KINDS: Mapping[QuestionKind, Callable[[QuestionRequest, Link], Parts]] = {
    "token": _token_question,
    "head": _head_question,
    "number": _number_question,
    "choice": _choice_question,
}
