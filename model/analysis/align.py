"""Alignment of the units of two captures, and the differences of their weights.

Axes: U our units, V their units, P pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from model.analysis.units import Unit
from model.errors import HeadlightError

IndexPair = tuple[int, int]
"""Index of one of our units and index of its counterpart in theirs."""


@dataclass(frozen=True)
class Alignment:
    """Corresponding units of two captures, all in sentence order."""

    pairs: tuple[IndexPair, ...]
    substituted: tuple[IndexPair, ...]
    only_ours: tuple[int, ...]
    only_theirs: tuple[int, ...]


def align(ours: Sequence[Unit], theirs: Sequence[Unit]) -> Alignment:
    """Pair the units of two views, of one sentence or two, by one model or two.

    Units correspond if their text is equal, ignoring case; unknown tokens by the typed text,
    special tokens that open or close a text in any spelling. A single unit between the same
    neighbours on both sides ("tired", "wide") is paired as substituted. Raises a HeadlightError if
    only special tokens have a counterpart.
    """
    matcher = SequenceMatcher(
        None, _normalised_texts(ours), _normalised_texts(theirs), autojunk=False
    )
    pairs: list[IndexPair] = []
    substituted: list[IndexPair] = []
    for kind, start, end, their_start, their_end in matcher.get_opcodes():
        if kind == "equal":
            pairs += zip(range(start, end), range(their_start, their_end), strict=True)
        elif end - start == their_end - their_start == 1 and not (
            ours[start].special or theirs[their_start].special
        ):
            substituted.append((start, their_start))
    pairs = sorted(pairs + substituted)
    if all(ours[i].special for i, _ in pairs):
        raise HeadlightError(
            "The two sides have no word in common, so they cannot be compared. Choose sentences "
            "that share words. If the models split words differently, show whole words."
        )
    paired, their_paired = {i for i, _ in pairs}, {j for _, j in pairs}
    return Alignment(
        tuple(pairs),
        tuple(substituted),
        only_ours=tuple(i for i in range(len(ours)) if i not in paired),
        only_theirs=tuple(j for j in range(len(theirs)) if j not in their_paired),
    )


Group = tuple[tuple[int, ...], tuple[int, ...]]
"""Indices of our units and of theirs that cover the same text."""


def group_by_text(ours: Sequence[Unit], theirs: Sequence[Unit]) -> tuple[Group, ...]:
    """Group the units of two tokenisations of the same sentences by the text they cover.

    Every unit comes once, in text order, in groups as small as possible. One side is empty where
    the other has no such text (special tokens of one model, truncated text).
    """
    our_spans, their_spans = _spans(ours), _spans(theirs)
    groups: list[Group] = []
    i = j = 0
    while i < len(our_spans) or j < len(their_spans):
        end, their_end = i, j
        both_remain = i < len(our_spans) and j < len(their_spans)
        if both_remain and _overlap(our_spans[i], their_spans[j]):
            end, their_end = _extend_group(our_spans, their_spans, i + 1, j + 1)
        elif j == len(their_spans) or (both_remain and our_spans[i] <= their_spans[j]):
            end += 1
        else:
            their_end += 1
        groups.append((tuple(range(i, end)), tuple(range(j, their_end))))
        i, j = end, their_end
    return tuple(groups)


_Span = tuple[int, int, int]
"""Segment, start character and end character of a unit."""

_AFTER_TEXT = 1 << 40
"""Start of tokens that the model added: after the last character of any sentence."""


def _spans(units: Sequence[Unit]) -> list[_Span]:
    spans: list[_Span] = []
    segment, start = -1, _AFTER_TEXT
    for unit in units:
        if unit.added:
            spans.append((segment, start, start + 1))
            start += 1
        else:
            segment, start = unit.segment, _AFTER_TEXT
            spans.append((segment, *unit.span))
    return spans


def _overlap(one: _Span, other: _Span) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _extend_group(
    ours: list[_Span], theirs: list[_Span], end: int, their_end: int
) -> tuple[int, int]:
    """Extend a group on both sides until no further unit overlaps it."""
    while True:
        if end < len(ours) and _overlap(ours[end], theirs[their_end - 1]):
            end += 1
        elif their_end < len(theirs) and _overlap(ours[end - 1], theirs[their_end]):
            their_end += 1
        else:
            return end, their_end


def _normalised_texts(units: Sequence[Unit]) -> list[tuple[bool, str]]:
    """Whether each unit is special, and its text without case and vocabulary marks (##, ▁)."""
    texts = []
    for i, unit in enumerate(units):
        if unit.added:
            texts.append((True, "opens" if i == 0 else "closes"))
        else:
            text = (unit.unknown or unit.label).casefold()
            texts.append((unit.special, text.removeprefix("##").strip("▁ ") or text))
    return texts


def aligned(
    ours: np.ndarray, theirs: np.ndarray, pairs: Sequence[IndexPair]
) -> tuple[np.ndarray, np.ndarray]:
    """Select the paired units of two views, (..., P, P) each; sinks of both stay last columns."""
    n_sinks = min(each.shape[-1] - each.shape[-2] for each in (ours, theirs))

    def paired(weights: np.ndarray, at: np.ndarray) -> np.ndarray:
        n_units = weights.shape[-2]
        return weights[..., at[:, None], np.append(at, np.arange(n_units, n_units + n_sinks))]

    i, j = np.array(pairs).T  # (P, 2) -> (P,), (P,)
    return paired(ours, i), paired(theirs, j)


def difference(ours: np.ndarray, theirs: np.ndarray, pairs: Sequence[IndexPair]) -> np.ndarray:
    """Subtract our attention from theirs, unit by unit: right minus left, or after minus before.

    Rows sum to 0, or to the difference of the weights on unpaired units.
    """
    our_weights, their_weights = aligned(ours, theirs, pairs)
    return their_weights - our_weights


def largest_changes(difference: np.ndarray, count: int) -> list[tuple[int, int, float]]:
    """Cells where two views differ most, (query, key, difference), by absolute difference."""
    order = np.argsort(-np.abs(difference), axis=None, kind="stable")[:count]
    queries, keys = np.unravel_index(order, difference.shape)
    found = zip(queries.tolist(), keys.tolist(), difference[queries, keys].tolist(), strict=True)
    return [(query, key, value) for query, key, value in found if value != 0]
