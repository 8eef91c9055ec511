"""Questions about a view: the fields that the class sees, and the right answer from the model.

Axes: L layers, H heads, T tokens, U units: the rows and columns of the page.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from model import AttentionCapture, HeadlightError
from model.analysis.measures import MEASURES
from model.calculator.practice.numeric import NumericExercise, numeric_exercises, tolerance
from model.errors import TranslatableError
from viz import distinct
from web.cache import captures
from web.rooms.api.linked_view import (
    LinkedSide,
    read_decoder,
    read_exercise,
    read_lesson,
    read_prompt,
    read_side,
)
from web.rooms.api.own_sentence import head_weights, measure_of_head
from web.view_state.page_registry import decoder_question

Request = Mapping[str, Any]
Question = tuple[dict[str, Any], dict[str, Any]]
"""Items, which every browser shows, and the truth, which is hidden until the reveal."""

MAX_TOKENS = 128
"""A phone cannot show more choices."""

MAX_OPTIONS = 8
MAX_OPTION_LENGTH = 200

N_NEXT = 5
"""Options of a question about the next token."""


def build_question(request: Request) -> Question:
    """Compute the items and the truth of a question.

    Args:
        request: From the teacher's browser: ``kind``, ``prompt``, ``view``, and the fields of the
            kind. ``side`` names the model where the view has two. With ``lesson``, the question is
            the one of the lesson's step in the view. With ``reasons``, students are also asked how
            sure they are, and why.

    Returns:
        Items and truth as JSON values. The model's numbers have six decimals.

    Raises:
        HeadlightError: If the view does not have such a question.
    """
    prompt = request.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise HeadlightError("Type a question.")
    items, truth = _items_and_truth(request)
    return (items | {"reasons": True}, truth) if request.get("reasons") is True else (items, truth)


def _items_and_truth(request: Request) -> Question:
    kind = request.get("kind")
    if request.get("lesson"):
        found = read_lesson(_view(request))
        if found is None or found["kind"] != kind:
            raise HeadlightError("This view has no such question of a lesson.")
        return found["items"], found["truth"]
    kinds: dict[str, Callable[[Request], Question]] = {
        "token": _token_question,
        "sketch": _sketch_question,
        "head": _head_question,
        "layer": _layer_question,
        "number": _number_question,
        "choice": _choice_question,
        "next": _next_token_question,
        "sentence": _sentence_question,
        "mask": _decoder_question,
        "alignment": _decoder_question,
    }
    if not isinstance(kind, str) or kind not in kinds:
        raise HeadlightError("This kind of question does not exist.")
    return kinds[kind](request)


def describe_view(view: str) -> dict[str, Any]:
    """Describe what can be asked about a view.

    Args:
        view: A path of this site with its query string.

    Returns:
        ``sides``: each side's model, tokens, layers, heads, selected head, keys of the measures of
        its heads, and whether the page shows the mean over heads; ``picked``: the selected token;
        ``measure``: the measure that the page shows, or "". ``practice``: the exercise's
        step and the size of its matrix. ``next``: whether a model continues a text. ``sketch``:
        kind and name of the mask or the alignment that a class can sketch. ``lesson``: kind,
        prompt and options of the question of the lesson's step. An empty dictionary if the
        view shows none of these.

    Raises:
        HeadlightError: If the view is not a link to this site.
    """
    lesson = read_lesson(view)
    about: dict[str, Any] = {}
    if lesson is not None:
        about["lesson"] = {name: lesson[name] for name in ("kind", "prompt")}
    values = read_exercise(view)
    if values is not None:
        exercise, question = _exercise(values), values["ask"]
        rows, columns = exercise.true(question).shape
        return about | {"practice": {"asked": question, "rows": rows, "columns": columns}}
    if read_prompt(view) is not None:
        return about | {"next": True}
    decoder = read_decoder(view)
    if decoder is not None:
        return about | {"sketch": decoder[0]}
    default = read_side(view, "")
    if default is None:
        return about
    sides = {name: read_side(view, name) for name in ("left", "right")}
    return about | {
        "side": default.side,
        "picked": default.picked,
        "measure": default.measure,
        "sides": {name: _describe_side(side) for name, side in sides.items() if side is not None},
    }


def _describe_side(side: LinkedSide) -> dict[str, Any]:
    try:
        capture = side.capture()
    except TranslatableError as error:
        return {"model": side.model, "error": str(error)}
    layer, head = side.selected_head(capture)
    return {
        "model": side.model,
        "tokens": _names(side, capture),
        "layers": capture.n_layers,
        "heads": capture.n_heads,
        "layer": layer,
        "head": head,
        "mean": side.kind == "mean",
        "measures": _measures(capture),
    }


def _token_question(request: Request) -> Question:
    side, capture = _requested_side(request)
    query = _index(request, "query", len(side.shown(capture)))
    heads = _shown_heads(side, capture)
    items = {**_sentence_items(side, capture), "query": query, **heads}
    layer = heads["layer"]
    off = [(layer, heads.get("head", each)) for each in range(capture.n_heads)]
    row = side.shown_weights(capture, head_weights(capture, **heads))[query]  # (U,)
    return items, _truth(row, _largest(row), side.link_with_heads_off(sorted(set(off))))


def _shown_heads(side: LinkedSide, capture: AttentionCapture) -> dict[str, int]:
    """Return the ``layer`` and the ``head`` of the shown weights; no head for a mean over heads."""
    layer, head = side.selected_head(capture)
    if side.kind not in ("mean", "head"):
        raise HeadlightError(
            "This view shows no attention weights. Select “Mean over heads” or “One head” first."
        )
    return {"layer": layer} | ({"head": head} if side.kind == "head" else {})


def _sentence_question(request: Request) -> Question:
    """The question for which each student types a sentence; no answer is right or wrong.

    With ``measure``, the truth has the ``reference``: the view's own sentence and its value.
    """
    side, capture = _requested_side(request)
    measure = request.get("measure")
    items = {"model": side.model, "side": side.side, **_shown_heads(side, capture)}
    if not measure:
        special = "renormalise" if side.special == "renormalise" else "show"
        return {**items, "special": special}, {"right": []}
    if measure not in _measures(capture):
        raise HeadlightError("{model} does not have this measure.", model=side.model)
    items["measure"] = measure
    value = measure_of_head(items, side.text, side.text_pair)
    if math.isnan(value):
        return items, {"right": []}
    reference = {"text": side.both_sentences, "value": round(value, 4)}
    return items, {"right": [], "reference": reference}


def _measures(capture: AttentionCapture) -> list[str]:
    """Return the keys of the measures of a model's heads."""
    return [each.key for each in MEASURES if capture.stack in each.stacks]


def _sketch_question(request: Request) -> Question:
    """The question for a whole row; no answer is right, each has a distance from the row."""
    items, truth = _token_question(request)
    if abs(sum(truth["weights"]) - 1) > 1e-3:
        raise HeadlightError(
            "Without the special tokens, the row does not sum to 1. Show them or scale the rows."
        )
    return items, {**truth, "right": []}


def _head_question(request: Request) -> Question:
    side, capture = _requested_side(request)
    items, weights = _pair_weights(side, capture, request)  # (L, H)
    right = _largest(weights)
    link = side.link_with_heads_off([(right[0][0], right[0][1])])
    return {**items, "heads": capture.n_heads}, _truth(weights, right, link)


def _layer_question(request: Request) -> Question:
    side, capture = _requested_side(request)
    items, weights = _pair_weights(side, capture, request)
    means = weights.mean(axis=1)  # (L, H) -> (L,)
    right = _largest(means)
    link = side.link_with_heads_off([(right[0], head) for head in range(capture.n_heads)])
    return items, _truth(means, right, link)


def _largest(weights: np.ndarray) -> list[Any]:
    """Return the index of each largest weight; an index into (L, H) is a layer and a head."""
    indices = np.argwhere(weights == weights.max()).tolist()
    return [index[0] if weights.ndim == 1 else index for index in indices]


def _truth(weights: np.ndarray, right: list[Any], link: str) -> dict[str, Any]:
    rounded: Sequence[Any] = np.round(weights.astype(np.float64), 6).tolist()
    return {"weights": rounded, "right": right, "test": link}


def _pair_weights(
    side: LinkedSide, capture: AttentionCapture, request: Request
) -> tuple[dict[str, Any], np.ndarray]:
    """Return the items of a pair of tokens, and each head's weight from query to key, (L, H).

    Raises:
        HeadlightError: If the mask hides the key from the query.
    """
    tokens = _names(side, capture)
    query, key = (_index(request, name, len(tokens)) for name in ("query", "key"))
    shown = side.shown_weights(capture, capture.weights)  # (L, H, U, U)
    weights = shown[:, :, query, key]  # (L, H)
    if not weights.any():
        raise HeadlightError(
            "No head of {model} sees “{key}” from “{query}”: the mask hides later tokens.",
            model=side.model,
            key=tokens[key],
            query=tokens[query],
        )
    pair = {"query": query, "key": key, "layers": capture.n_layers}
    return {**_sentence_items(side, capture), **pair}, weights


def _sentence_items(side: LinkedSide, capture: AttentionCapture) -> dict[str, Any]:
    return {
        "tokens": _names(side, capture),
        "text": side.both_sentences,
        "model": side.model,
        "side": side.side,
        "special": side.special,
        "words": side.merge_words,
    }


def _number_question(request: Request) -> Question:
    if request.get("value") is not None:
        value, near = (_finite(request.get(name)) for name in ("value", "tolerance"))
        if near < 0:
            raise HeadlightError("The tolerance must be 0 or more.")
        return {"tolerance": near}, {"value": value, "tolerance": near}
    values = read_exercise(_view(request))
    if values is None:
        raise HeadlightError("Enter the right value, or ask from an exercise of the Calculator.")
    exercise, question = _exercise(values), values["ask"]
    true = exercise.true(question)  # (Tq, Tk) or (Tq, Kv)
    rows, columns = true.shape
    row, column = _index(request, "query", rows), _index(request, "key", columns)
    near = tolerance(values["decimals"])
    given = {"Q": exercise.q, "K": exercise.k} | (
        {"V": exercise.v} if question == "context" else {}
    )
    items = {
        "tolerance": near,
        "decimals": values["decimals"],
        "asked": question,
        "row": row,
        "column": column,
        "mask": exercise.settings.mask,
        "temperature": exercise.settings.temperature,
        "given": {name: matrix.tolist() for name, matrix in given.items()},
    }
    return items, {"value": float(true[row, column]), "tolerance": near}


def _choice_question(request: Request) -> Question:
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


def _next_token_question(request: Request) -> Question:
    """The question for the most probable next token; the options are in alphabetical order."""
    found = read_prompt(_view(request))
    if found is None:
        raise HeadlightError("This page continues no text. Ask from Generate, on the Decoder page.")
    model, text = found
    probabilities: dict[str, float] = {}
    for token, probability in captures.next_tokens(model, text):
        if token.strip():  # " the" and "the" look alike; the first is the more probable one
            probabilities.setdefault(token.strip(), probability)
    options = sorted(list(probabilities)[:N_NEXT])
    if len(options) < 2:
        raise HeadlightError("{model} predicts no next token of this text.", model=model)
    row = np.array([probabilities[option] for option in options])
    truth = {"weights": np.round(row, 6).tolist(), "right": _largest(row)}
    return {"options": options, "model": model, "text": text}, truth


def _decoder_question(request: Request) -> Question:
    """The question for a whole mask, or for the source token of each target token."""
    found = read_decoder(_view(request))
    if found is None or found[0]["kind"] != request.get("kind"):
        raise HeadlightError(
            "This page shows no mask and no translation. Ask from Masks or Translate, on the "
            "Decoder page."
        )
    return decoder_question(found[1])


def _requested_side(request: Request) -> tuple[LinkedSide, AttentionCapture]:
    side = read_side(_view(request), str(request.get("side") or ""))
    if side is None:
        raise HeadlightError("This page shows no sentence. Ask from Explore, Layers or Heads.")
    capture = side.capture()
    count = len(side.shown(capture))
    if count > MAX_TOKENS:
        raise HeadlightError(
            "A question can offer {most} tokens, and this sentence has {count}. Shorten it.",
            most=MAX_TOKENS,
            count=count,
        )
    return side, capture


def _exercise(values: Mapping[str, Any]) -> NumericExercise:
    return numeric_exercises(values["seed"], values["level"])[values["exercise"]]


def _view(request: Request) -> str:
    view = request.get("view")
    if not isinstance(view, str):
        raise HeadlightError("A view must be a link to a page of this site.")
    return view


def _index(request: Request, name: str, count: int) -> int:
    index = request.get(name)
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise HeadlightError(
            "{name} must be a whole number from 0 to {last}.", name=name, last=count - 1
        )
    return index


def _finite(value: object) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise HeadlightError("The value and its tolerance must be finite numbers.")
    return number


def _names(side: LinkedSide, capture: AttentionCapture) -> list[str]:
    """Return the names of the page's rows and columns, with equal names numbered."""
    return distinct([unit.label for unit in side.shown(capture)])
