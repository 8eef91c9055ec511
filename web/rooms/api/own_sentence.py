"""A student's own sentence: a weight between two of its words, or a measure of a head on it.

Axes: L layers, H heads, T tokens, U units: the words of the sentence.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from model import AttentionCapture, HeadlightError
from model.analysis.units import Unit, unit_weights, units
from web.cache import captures


def head_weights(capture: AttentionCapture, layer: int, head: int | None = None) -> np.ndarray:
    """Return the weights of a head, or the mean over the heads of a layer: (T, T)."""
    of_layer = capture.weights[layer]  # (H, T, T)
    weights: np.ndarray = of_layer.mean(axis=0) if head is None else of_layer[head]
    return weights


def measure_sentence(items: Mapping[str, Any], sentence: Mapping[str, Any]) -> dict[str, Any]:
    """Measure a sentence with a question's head.

    Args:
        items: Of the question: ``model``, ``layer``, perhaps ``head``, and ``measure`` or
            ``special``.
        sentence: ``text``, and for a weight the start and end character of ``query`` and ``key``.

    Returns:
        The sentence with what the model gives, with four decimals: ``value`` of the measure; or
        ``weight`` from the query to the key, and ``linked``: whether no other word gets more of
        the query's attention.

    Raises:
        HeadlightError: If the model is not available, does not see a selected word, or if the
            measure does not apply to the sentence.
    """
    if "measure" not in items:
        return _link(items, sentence)
    value = measure_of_head(items, sentence["text"])
    if math.isnan(value):
        raise HeadlightError(
            "This measure has no value for your sentence: the sentence is too short, or no token "
            "occurs twice. Type another sentence."
        )
    return {**sentence, "value": round(value, 4)}


def measure_of_head(items: Mapping[str, Any], text: str, text_pair: str | None = None) -> float:
    """Return a measure of a head, or its mean over the heads of a layer, as on the Profile view.

    Args:
        items: Of the question: ``model``, ``measure``, ``layer`` and perhaps ``head``.
        text: A sentence.
        text_pair: A second sentence, or None.

    Returns:
        NaN if the measure does not apply to the sentence.

    Raises:
        HeadlightError: If the model is not available.
    """
    measured = captures.head_measures(items["model"], text, text_pair)[items["measure"]]  # (L, H)
    of_layer = measured[items["layer"]]
    head = items.get("head")
    return float(of_layer.mean() if head is None else of_layer[head])


def _link(items: Mapping[str, Any], sentence: Mapping[str, Any]) -> dict[str, Any]:
    """Measure how a head links two words.

    Special tokens do not count, and no word is compared with itself, as in the grammar relations of
    ``model.analysis.grammar``.
    """
    capture = captures.capture(items["model"], sentence["text"], None)
    words = units(capture, merge_words=True, hide_special=True)
    shown, places = _join_selected(words, [sentence["query"], sentence["key"]])
    query, key = places
    if query is None or key is None:
        raise HeadlightError(
            "{model} has no token for a word that you selected, or the sentence is too long. "
            "Select another word or shorten the sentence.",
            model=items["model"],
        )
    weights = head_weights(capture, items["layer"], items.get("head"))  # (T, T)
    renormalise = items["special"] == "renormalise"
    row = unit_weights(weights, shown, renormalise=renormalise)[query]  # (U,)
    others = np.delete(row, query)
    weight = row[key]
    linked = bool(weight > 0 and weight >= others.max())
    return {**sentence, "weight": round(float(weight), 4), "linked": linked}


def _join_selected(
    words: tuple[Unit, ...], spans: list[list[int]]
) -> tuple[list[Unit], list[int | None]]:
    """Join the units of each span, which a tokenizer may split: "isn't" is three units of BERT.

    Returns:
        The units, and the index of each span's unit; None for a span without a unit.
    """
    shown: list[Unit] = []
    places: list[int | None] = [None] * len(spans)
    for unit in words:
        overlaps = (start < unit.span[1] and unit.span[0] < end for start, end in spans)
        owner = next((i for i, found in enumerate(overlaps) if found), None)
        place = None if owner is None else places[owner]
        if place is not None:
            joined = shown[place]
            positions = joined.positions + unit.positions
            span = (joined.span[0], unit.span[1])
            shown[place] = Unit(joined.label + unit.label, positions, 0, span, special=False)
            continue
        if owner is not None:
            places[owner] = len(shown)
        shown.append(unit)
    return shown, places
