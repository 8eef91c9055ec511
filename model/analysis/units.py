"""Units of a view, the labels of its rows and columns: tokens or whole words.

Axes: L n_layers, H n_heads, T tokens (Tq queries, Tk keys), U units (Uq, Uk).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from model.capture.record import AttentionCapture
from model.capture.tokens import Keys, known_special
from model.errors import HeadlightError


@dataclass(frozen=True)
class Unit:
    """One row and column of a view.

    Attributes:
        label: A piece, or the word as typed. An unknown token also shows its text ("[UNK] 漢").
        segment: 0 for the first sentence, 1 for the second.
        span: Start and end character in its sentence; (0, 0) for tokens that the model added.
        special: True for tokens that the model added, and for typed control tokens of a decoder.
        unknown: The typed text of an unknown token; otherwise "".
    """

    label: str
    positions: tuple[int, ...]
    segment: int
    span: tuple[int, int]
    special: bool
    unknown: str = ""

    @property
    def added(self) -> bool:
        """Whether the model added it: a special token that covers no text."""
        return self.special and self.span[0] == self.span[1]


def units(
    capture: AttentionCapture | Keys, *, merge_words: bool = False, hide_special: bool = False
) -> tuple[Unit, ...]:
    """Group the tokens of a capture (the queries), or of its ``keys``, into units.

    Raises a HeadlightError if special tokens are to be hidden, but unknown.
    """
    if hide_special:
        known_special(capture.special)
    groups: list[list[int]] = []
    for position, word in enumerate(capture.word_ids):
        same_word = (
            merge_words
            and word is not None
            and groups
            and capture.word_ids[groups[-1][0]] == word
            and capture.segment_ids[groups[-1][0]] == capture.segment_ids[position]
        )
        if same_word:
            groups[-1].append(position)
        else:
            groups.append([position])
    shown = (_unit(capture, group) for group in groups)
    return tuple(unit for unit in shown if not (hide_special and unit.special))


def _unit(capture: AttentionCapture | Keys, positions: list[int]) -> Unit:
    first, last = positions[0], positions[-1]
    span = (capture.offsets[first][0], capture.offsets[last][1])
    segment = capture.segment_ids[first]
    unknown = ""
    if len(positions) == 1:
        label, unknown = capture.tokens[first], unknown_text(capture, first)
        if unknown:
            label = f"{label} {unknown}"
    else:
        label = (capture.text, capture.text_pair or "")[segment][slice(*span)].strip()
    return Unit(
        label,
        tuple(positions),
        segment,
        span,
        bool(capture.special[first : first + 1].any()),
        unknown,
    )


def unit_means(values: np.ndarray, units: Sequence[Unit]) -> np.ndarray:
    """Average values of tokens over the pieces of each unit: (L, T) -> (L, U)."""
    means = [values[:, unit.positions].mean(axis=1) for unit in units]  # U x (L,)
    return np.stack(means, axis=1) if means else values[:, :0]  # (L, U)


UNKNOWN = ("[UNK]", "<unk>")
"""Unknown tokens: they replace text that a vocabulary lacks."""


def unknown_text(capture: AttentionCapture | Keys, position: int) -> str:
    """Return the typed text of an unknown token, and "" for any other token."""
    if capture.tokens[position] not in UNKNOWN:
        return ""
    sentence = (capture.text, capture.text_pair or "")[capture.segment_ids[position]]
    typed = sentence[slice(*capture.offsets[position])].strip()
    return "" if typed == capture.tokens[position] else typed


def unit_weights(
    weights: np.ndarray, shown: Sequence[Unit], *, renormalise: bool = False
) -> np.ndarray:
    """Attention between units: summed over a key's pieces, averaged over a query's.

    So rows still sum to 1 (Clark et al. 2019, section 4.1). Where special tokens are left out, rows
    sum to the remaining weight, unless renormalised: then divided by their sums (if not 0).

    Args:
        weights: (..., T, T), or (..., T, T + 1) with a sink, which stays a column of its own.

    Returns:
        (..., U, U) or (..., U, U + 1), read-only if nothing was computed.
    """
    n_tokens, n_keys = weights.shape[-2:]
    if all(len(unit.positions) == 1 for unit in shown):
        places = np.array([unit.positions[0] for unit in shown], dtype=int)
        columns = np.append(places, np.arange(n_tokens, n_keys))
        result = weights if len(shown) == n_tokens else weights[..., places[:, None], columns]
    else:
        member = _membership(shown, n_tokens, weights.dtype)  # (U, T)
        mean = member / member.sum(axis=1, keepdims=True)
        keys = block_diag(member, np.eye(n_keys - n_tokens, dtype=weights.dtype))
        result = mean @ weights @ keys.T  # (U, T) @ (..., T, T) @ (T, U) -> (..., U, U)
    if renormalise:
        totals = result.sum(axis=-1, keepdims=True)
        result = np.divide(result, totals, out=np.zeros_like(result), where=totals > 0)
    return result


def unit_allowed(allowed: Sequence[np.ndarray | None], shown: Sequence[Unit]) -> np.ndarray | None:
    """Merge masks of tokens into masks of units: a cell is visible if any of its token pairs is.

    Boolean (masks, U, U), or (1, U, U) if all masks are the same object; None if nothing is hidden.
    With a sink, masks and results have one column more.
    """
    if all(mask is None for mask in allowed):
        return None
    if all(mask is allowed[0] for mask in allowed):
        allowed = allowed[:1]
    n_tokens, n_keys = next(mask.shape for mask in allowed if mask is not None)
    everything = np.ones((n_tokens, n_keys), dtype=bool)
    # masks x (T, T) -> (masks, T, T)
    masks = np.stack([everything if mask is None else mask for mask in allowed])
    # Sum over the pieces of both words; a cell is hidden if the sum is 0.
    pieces = _membership(shown, n_tokens, np.dtype(np.float32))  # (U, T)
    keys = block_diag(pieces, np.eye(n_keys - n_tokens, dtype=np.float32))
    visible: np.ndarray = pieces @ masks.astype(np.float32) @ keys.T > 0  # (masks, U, U)
    return None if visible.all() else visible


def _membership(shown: Sequence[Unit], n_tokens: int, dtype: np.dtype) -> np.ndarray:
    """1 where a token is in a unit: (U, T)."""
    member = np.zeros((len(shown), n_tokens), dtype=dtype)
    for row, unit in enumerate(shown):
        member[row, list(unit.positions)] = 1
    return member


def check_one_sequence(weights: np.ndarray) -> None:
    """Raise a HeadlightError for weights (..., Tq, Tk) whose numbers of queries and keys differ."""
    if weights.shape[-2] != weights.shape[-1]:
        raise _another_text()


def check_own_keys(capture: AttentionCapture) -> None:
    """Refuse a capture whose keys are another sequence, even if the key count matches."""
    if capture.other_keys is not None:
        raise _another_text()


def _another_text() -> HeadlightError:
    return HeadlightError(
        "Here tokens attend to tokens of another text. This measure is defined only for tokens of "
        "one text."
    )


def counterparts(
    chosen: Iterable[int], ours: Sequence[Unit], theirs: Sequence[Unit]
) -> tuple[int, ...]:
    """Find the same text in another tokenisation of the same sentences: indices into ``theirs``.

    Those are the units that share a character with a chosen one; added tokens correspond by rank.
    """
    rank = {i: rank for rank, i in enumerate(i for i, unit in enumerate(ours) if unit.added)}
    their_added = [i for i, unit in enumerate(theirs) if unit.added]
    found: set[int] = set()
    for i in chosen:
        if ours[i].added:
            found.update(their_added[rank[i] : rank[i] + 1])
        else:
            found.update(
                j
                for j, unit in enumerate(theirs)
                if not unit.added
                and unit.segment == ours[i].segment
                and unit.span[0] < ours[i].span[1]
                and ours[i].span[0] < unit.span[1]
            )
    return tuple(sorted(found))
