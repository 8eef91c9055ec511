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
