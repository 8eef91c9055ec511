"""A student's own sentence: the weight that a question's head gives between two of its words.

Axes: L layers, H heads, T tokens, U units: the words of the sentence.
"""

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
    """Measure how a question's head links two words of a sentence.

    Special tokens do not count, and no word is compared with itself, as in the grammar relations of
    ``model.analysis.grammar``.

    Args:
        items: Of the question: ``model``, ``layer``, perhaps ``head``, and ``special``.
        sentence: ``text``, and the start and end character of ``query`` and ``key``.

    Returns:
        The sentence with ``weight``, from the query to the key with four decimals, and ``linked``:
        whether no other word gets more of the query's attention.

    Raises:
        HeadlightError: If the model is not available, or does not see a selected word.
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
