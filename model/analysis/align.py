"""One capture laid beside another: which of their units stand for the same text, and what differs.

Axes: U our units, V theirs, P pairs of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from model.analysis.units import Unit
from model.errors import HeadlightError

Pair = tuple[int, int]
"""Index of one of our units, and of theirs."""


@dataclass(frozen=True)
class Alignment:
    """Which units correspond. All in the order of the sentences.

    Attributes:
        pairs: Units that stand in the same place; each side's indices only rise.
        substituted: Those of the pairs whose text differs: one unit put in place of another.
        only_ours: Units of ours that have no counterpart.
        only_theirs: Units of theirs that have none.
    """

    pairs: tuple[Pair, ...]
    substituted: tuple[Pair, ...]
    only_ours: tuple[int, ...]
    only_theirs: tuple[int, ...]


def align(ours: Sequence[Unit], theirs: Sequence[Unit]) -> Alignment:
    """Pair the units of two views, of one sentence or two, by one model or two.

    Units correspond if they say the same, whatever their case, and where a vocabulary has no piece
    for what was typed, if that is the same; the special tokens that open and
    close a text correspond however the models spell them. A unit that stands alone between the
    same neighbours on both sides ("tired", "wide") is paired as substituted.

    Raises:
        HeadlightError: If no unit but special tokens has a counterpart.
    """
    matcher = SequenceMatcher(None, _said(ours), _said(theirs), autojunk=False)
    pairs: list[Pair] = []
    substituted: list[Pair] = []
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
            "The two sides have no word in common, so neither can be laid on the other. Choose "
            "sentences that share words, and whole words where models cut them differently."
        )
    paired, their_paired = {i for i, _ in pairs}, {j for _, j in pairs}
    return Alignment(
        tuple(pairs),
        tuple(substituted),
        only_ours=tuple(i for i in range(len(ours)) if i not in paired),
        only_theirs=tuple(j for j in range(len(theirs)) if j not in their_paired),
    )


Group = tuple[tuple[int, ...], tuple[int, ...]]
"""Indices of our units and of theirs that stand for the same text."""


def side_by_side(ours: Sequence[Unit], theirs: Sequence[Unit]) -> tuple[Group, ...]:
    """Two tokenisations of the same sentences in one order: which units stand for the same text.

    Returns:
        Every unit of both sides once, in the order of the text, in groups as small as can be: units
        that share a character. One side of a group is empty where the other has no such text:
        special tokens that only one model has, what was cut off.
    """
    here, there = _places(ours), _places(theirs)
    groups: list[Group] = []
    i = j = 0
    while i < len(here) or j < len(there):
        end, their_end = i, j
        if i < len(here) and j < len(there) and _meet(here[i], there[j]):
            end, their_end = _grown(here, there, i + 1, j + 1)
        elif j == len(there) or (i < len(here) and here[i] <= there[j]):
            end += 1
        else:
            their_end += 1
        groups.append((tuple(range(i, end)), tuple(range(j, their_end))))
        i, j = end, their_end
    return tuple(groups)


_Place = tuple[int, int, int]
"""Where a unit stands: in which sentence, from which character, up to which."""

_BEHIND = 1 << 40
"""Characters that no sentence has: special tokens stand behind the sentence before them."""


def _places(units: Sequence[Unit]) -> list[_Place]:
    places: list[_Place] = []
    segment, behind = -1, _BEHIND
    for unit in units:
        if unit.special:
            places.append((segment, behind, behind + 1))
            behind += 1
        else:
            segment, behind = unit.segment, _BEHIND
            places.append((segment, *unit.span))
    return places


def _meet(one: _Place, other: _Place) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _grown(here: list[_Place], there: list[_Place], end: int, their_end: int) -> tuple[int, int]:
    """How far a group reaches that so far ends there, on both sides."""
    while True:
        if end < len(here) and _meet(here[end], there[their_end - 1]):
            end += 1
        elif their_end < len(there) and _meet(here[end - 1], there[their_end]):
            their_end += 1
        else:
            return end, their_end


def _said(units: Sequence[Unit]) -> list[tuple[bool, str]]:
    """What each unit says, apart from case and from its vocabulary's marks (BERT ##, ALBERT ▁)."""
    said = []
    for i, unit in enumerate(units):
        if unit.special:
            said.append((True, "opens" if i == 0 else "closes"))
        else:
            text = (unit.unknown or unit.label).casefold()
            said.append((False, text.removeprefix("##").strip("▁ ") or text))
    return said


def aligned(
    ours: np.ndarray, theirs: np.ndarray, pairs: Sequence[Pair]
) -> tuple[np.ndarray, np.ndarray]:
    """Keep of two views what both have, in one order.

    Args:
        ours: (..., U, U).
        theirs: (..., V, V).
        pairs: Of :func:`align`, P of them.

    Returns:
        Both (..., P, P).
    """
    i, j = np.array(pairs).T  # (P, 2) -> (P,), (P,)
    return ours[..., i[:, None], i], theirs[..., j[:, None], j]


def difference(ours: np.ndarray, theirs: np.ndarray, pairs: Sequence[Pair]) -> np.ndarray:
    """Subtract our attention from theirs, unit by unit: positive where theirs attends more.

    The one order of every difference: right minus left, after minus before.

    Rows sum to 0 if every unit is paired, else to what goes elsewhere on one side and not on the
    other.

    Args:
        ours: (..., U, U).
        theirs: (..., V, V).
        pairs: Of :func:`align`, P of them.

    Returns:
        (..., P, P).
    """
    kept, their_kept = aligned(ours, theirs, pairs)
    return their_kept - kept


def largest_changes(difference: np.ndarray, count: int) -> list[tuple[int, int, float]]:
    """Find where two views differ most.

    Args:
        difference: (P, P), of :func:`difference`.
        count: At most so many; cells that do not differ are none.

    Returns:
        (query, key, difference) by absolute value, largest first.
    """
    order = np.argsort(-np.abs(difference), axis=None, kind="stable")[:count]
    queries, keys = np.unravel_index(order, difference.shape)
    found = zip(queries.tolist(), keys.tolist(), difference[queries, keys].tolist(), strict=True)
    return [(query, key, value) for query, key, value in found if value != 0]
