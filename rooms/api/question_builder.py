"""Questions about a view: the fields that the class sees, and the right answer from the model.

Axes: L layers, H heads, T tokens, U units: the rows and columns of the page.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from model import AttentionCapture, HeadlightError
from model.capture.record import check_head
from model.questions import Question, QuestionKind, truth_of
from rooms.api.linked_view import LinkedView, linked_view
from rooms.api.site import Site
from web.subject import Subject

QuestionRequest = Mapping[str, Any]
Parts = tuple[dict[str, Any], dict[str, Any]]  # items and truth of a question

MAX_TOKENS = 128  # a phone cannot show more choices
MAX_OPTIONS = 8
MAX_OPTION_LENGTH = 200

TOLERANCE = 0.05  # a weight is right within this distance: students estimate it


def build_question(site: Site, request: QuestionRequest) -> Question:
    """Compute the items and the truth of a question; HeadlightError if its view has none such.

    ``kind`` and ``view`` of the request are valid, other fields may not be.
    """
    kind: QuestionKind = request["kind"]
    return Question(kind, *_KINDS[kind](request, site))


def describe_view(site: Site, view: str) -> dict[str, Any]:
    """Describe what can be asked about a view, and suggest a link of the selected head.

    Returns:
        ``model``, ``tokens``, the selected ``layer`` and ``head``, and ``link``: a query, if
        possible the selected token, and the key that it attends to most, both words; None without.
        An empty dictionary if the view shows no sentence.

    Raises:
        HeadlightError: If a model is not available.
    """
    shown = linked_view(view, site.parameters_of)
    if shown is None:
        return {}
    subject, capture = shown.subject, shown.subject.capture()
    layer, head = shown.selected_head(capture)
    weights = subject.between_units(capture.weights[layer, head])
    words = [not each.special and any(map(str.isalnum, each.label)) for each in subject.units]
    link = _suggested(weights, words, shown.picked)
    about = {"model": subject.model, "tokens": subject.labels}
    return {**about, "layer": layer, "head": head, "link": link}


def _suggested(weights: np.ndarray, words: list[bool], picked: int | None) -> list[int] | None:
    """Return a query and the key with its largest weight, of weights (U, U)."""
    links = enumerate(weights.argmax(axis=1).tolist())
    between = [[query, key] for query, key in links if words[query] and words[key] and query != key]
    between.sort(key=lambda link: (link[0] != picked, -weights[tuple(link)]))
    return next(iter(between), None)


def _token_question(request: QuestionRequest, site: Site) -> Parts:
    items, row = _shown_row(request, site)
    return items, truth_of(row)


def _number_question(request: QuestionRequest, site: Site) -> Parts:
    items, row = _shown_row(request, site)
    key = _index(request, "key", len(row))
    truth = {"value": round(float(row[key]), 6), "tolerance": TOLERANCE}
    return {**items, "key": key, "tolerance": TOLERANCE}, truth


def _shown_row(request: QuestionRequest, site: Site) -> tuple[dict[str, Any], np.ndarray]:
    """Return the items and the selected head's weights from the query (U,)."""
    side, capture = _shown(request, site)
    query = _index(request, "query", len(side.subject.units))
    layer, head = side.selected_head(capture)
    check_head(capture, layer, head, side.subject.model)
    items = {**_sentence_items(side.subject), "query": query, "layer": layer, "head": head}
    return items, side.subject.between_units(capture.weights[layer, head])[query]


def _head_question(request: QuestionRequest, site: Site) -> Parts:
    side, capture = _shown(request, site)
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
    return {**_sentence_items(subject), **pair}, truth_of(weights)


def _sentence_items(subject: Subject) -> dict[str, Any]:
    return {
        "tokens": subject.labels,
        "text": subject.sentence,
        "model": subject.model,
        "side": subject.side,
        "special": subject.special,
        "words": subject.merge_words,
    }


def _choice_question(request: QuestionRequest, site: Site) -> Parts:
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


def _shown(request: QuestionRequest, site: Site) -> tuple[LinkedView, AttentionCapture]:
    side = linked_view(request["view"], site.parameters_of)
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


_KINDS: Mapping[QuestionKind, Callable[[QuestionRequest, Site], Parts]] = {
    "token": _token_question,
    "head": _head_question,
    "number": _number_question,
    "choice": _choice_question,
}
