"""Questions about a view: the fields that the class sees, and the right answer from the model.

Axes: L layers, H heads, T tokens, U units: the rows and columns of the page.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from model import AttentionCapture, HeadlightError
from model.capture.record import check_head
from model.questions import Question, QuestionKind, truth_of
from rooms.api.app import Site
from viz import Side
from web.subject import Subject

QuestionRequest = Mapping[str, Any]
Parts = tuple[dict[str, Any], dict[str, Any]]  # items and truth of a question

TWO_MODEL_PATHS = ("/", "/layers", "/heads")
"""Pages that show a sentence in two models."""

MAX_TOKENS = 128  # a phone cannot show more choices
MAX_OPTIONS = 8
MAX_OPTION_LENGTH = 200

TOLERANCE = 0.05  # a weight is right within this distance: students estimate it


class Shown(NamedTuple):
    """The side of a view that a question is about.

    Attributes:
        layer: The selected one, like ``head``; the model's last ones if it has fewer.
        picked: Index of the first selected unit.
    """

    subject: Subject
    capture: AttentionCapture
    layer: int
    head: int
    picked: int | None


def build_question(site: Site, request: QuestionRequest) -> Question:
    """Compute the items and the truth of a question; HeadlightError if its view has none such.

    ``kind`` and ``view`` of the request are valid, other fields may not be.
    """
    kind: QuestionKind = request["kind"]
    parts = _choice(request) if kind == "choice" else _about_view(kind, request, site)
    return Question(kind, *parts)


def describe_view(site: Site, view: str) -> dict[str, Any]:
    """Describe what can be asked about a view, and suggest a link of the selected head.

    Returns:
        ``model``, ``tokens``, the selected ``layer`` and ``head``, and ``link``: a query, if
        possible the selected token, and the key that it attends to most, both words; None without.
        An empty dictionary if the view shows no sentence.

    Raises:
        HeadlightError: If a model is not available.
    """
    shown = _shown(view, site)
    if shown is None:
        return {}
    subject, capture, layer, head, picked = shown
    weights = subject.between_units(capture.weights[layer, head])
    words = [not each.special and any(map(str.isalnum, each.label)) for each in subject.units]
    link = _suggested(weights, words, picked)
    about = {"model": subject.model, "tokens": subject.labels}
    return {**about, "layer": layer, "head": head, "link": link}


def _shown(view: str, site: Site) -> Shown | None:
    """Return the side of a view that its link names, or the right one; None without a sentence.

    A value that the page's parameters refuse becomes the default, as on the page. Raises a
    HeadlightError if the model is not available.
    """
    parts = urlsplit(view)
    path, query = "/" + parts.path.strip("/"), dict(parse_qsl(parts.query))
    parameters = site.parameters_of(path, query.get("part", ""))
    if path not in TWO_MODEL_PATHS or parameters is None:
        return None
    values = {name: deepcopy(parameter.default) for name, parameter in parameters.items()}
    for name in values.keys() & query.keys():
        try:
            values[name] = parameters[name].parse(query[name])
        except (ValueError, KeyError):
            continue  # the default
    side: Side = "left" if values.get("side") == "left" else "right"
    unlinked = side == "right" and not values.get("linked", True)
    prefix = "right_" if unlinked else ""
    subject = Subject.from_session(side, values[side], values)
    capture = subject.capture()
    layer = min(values[f"{prefix}layer"], capture.n_layers - 1)
    head = min(values[f"{prefix}head"], capture.n_heads - 1)
    return Shown(subject, capture, layer, head, next(iter(values.get("picked", ())), None))


def _suggested(weights: np.ndarray, words: list[bool], picked: int | None) -> list[int] | None:
    """Return a query and the key with its largest weight, of weights (U, U)."""
    links = enumerate(weights.argmax(axis=1).tolist())
    between = [[query, key] for query, key in links if words[query] and words[key] and query != key]
    between.sort(key=lambda link: (link[0] != picked, -weights[tuple(link)]))
    return next(iter(between), None)


def _about_view(kind: QuestionKind, request: QuestionRequest, site: Site) -> Parts:
    """Return the parts of a question about tokens and weights."""
    shown = _shown(request["view"], site)
    if shown is None:
        raise HeadlightError("This page shows no sentence. Ask from Explore, Layers or Heads.")
    subject, capture, layer, head, _ = shown
    tokens = subject.labels
    if len(tokens) > MAX_TOKENS:
        raise HeadlightError(
            "A question can offer {most} tokens, and this sentence has {count}. Shorten it.",
            most=MAX_TOKENS,
            count=len(tokens),
        )
    query = _index(request, "query", len(tokens))
    items = {
        "tokens": tokens,
        "text": subject.sentence,
        "model": subject.model,
        "side": subject.side,
        "special": subject.special,
        "words": subject.merge_words,
        "query": query,
    }
    if kind == "head":
        key = _index(request, "key", len(tokens))
        weights = subject.between_units(capture.weights)[:, :, query, key]  # (L, H)
        if not weights.any():
            raise HeadlightError(
                "No head of {model} sees “{key}” from “{query}”: the mask hides later tokens.",
                model=subject.model,
                key=tokens[key],
                query=tokens[query],
            )
        layers, heads = weights.shape
        return {**items, "key": key, "layers": layers, "heads": heads}, truth_of(weights)
    check_head(capture, layer, head, subject.model)
    items |= {"layer": layer, "head": head}
    row = subject.between_units(capture.weights[layer, head])[query]  # (U,)
    if kind == "token":
        return items, truth_of(row)
    key = _index(request, "key", len(tokens))
    truth = {"value": round(float(row[key]), 6), "tolerance": TOLERANCE}
    return {**items, "key": key, "tolerance": TOLERANCE}, truth


def _choice(request: QuestionRequest) -> Parts:
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


def _index(request: QuestionRequest, name: str, count: int) -> int:
    index = request.get(name)
    if type(index) is not int or not 0 <= index < count:
        raise HeadlightError(
            "{name} must be a whole number from 0 to {last}.", name=name, last=count - 1
        )
    return index
