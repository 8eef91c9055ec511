"""Measures of attention heads: entropy, distance and shares on kinds of tokens.

Axes: L n_layers, H n_heads, T tokens. Weights are (..., T, T), rows attend and sum to 1. Functions
for (..., Tq, Tk) also accept tokens that attend to another sequence.

Clark et al. 2019, "What Does BERT Look At?", section 3.
"""

import math
import unicodedata
from collections.abc import Sequence

import numpy as np

from model.analysis.induction import duplicates, first_token, prefix_matching
from model.analysis.units import check_one_sequence, check_own_keys, unknown_text
from model.capture.record import AttentionCapture


def entropy(weights: np.ndarray) -> np.ndarray:
    """Mean entropy of a head's rows: how broadly it attends (Clark et al. 2019, section 3.3).

    Args:
        weights: (..., Tq, Tk).

    Returns:
        (...,) in nats: 0 if every token attends to one token only, ln Tk for uniform attention.
    """
    return row_entropies(weights).mean(axis=-1)


def row_entropies(rows: np.ndarray) -> np.ndarray:
    """Entropy of each row in nats: -sum p ln p, with 0 ln 0 = 0.

    Equals ``scipy.special.entr(rows).sum(-1)`` in a quarter of its time.

    Args:
        rows: (..., T).

    Returns:
        (...,).
    """
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return np.abs(np.vecdot(rows, logs))  # abs: a weight rounded above 1 gives -0.0


def distance(weights: np.ndarray) -> np.ndarray:
    """Mean distance |i - j| in tokens, weighted by attention.

    Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model".

    Args:
        weights: (..., T, T).

    Returns:
        (...,) in tokens.

    Raises:
        HeadlightError: If tokens attend to another sequence, where distance is undefined.
    """
    check_one_sequence(weights)
    position = np.arange(weights.shape[-1])
    offsets = np.abs(position[:, None] - position).astype(weights.dtype)  # (T, T)
    return np.einsum("...ij,ij->...", weights, offsets) / len(position)  # (..., T, T) -> (...,)


def share_on(weights: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Mean attention from a token to a set of tokens (Clark et al. 2019, section 3.2).

    Args:
        weights: (..., Tq, Tk).
        keys: Boolean (Tk,), True for the tokens in the set; all tokens attend.

    Returns:
        (...,), from 0 to 1; 0 for an empty set.
    """
    return weights.mean(axis=-2) @ keys.astype(weights.dtype)  # (..., Tk) @ (Tk,) -> (...,)


def share_at_offset(weights: np.ndarray, special: np.ndarray, offset: int) -> np.ndarray:
    """Mean attention from a token to the one at a fixed offset (Clark et al. 2019, section 3.1).

    Special tokens count neither as queries nor as keys: the first word has no previous token.

    Args:
        weights: (..., T, T), rows attending.
        special: Boolean (T,), True for tokens that the model added.
        offset: -1 for the previous token, 1 for the next, 0 for itself.

    Returns:
        (...,); NaN if no two tokens are that far apart.

    Raises:
        HeadlightError: As :func:`distance`.
    """
    check_one_sequence(weights)
    n_tokens = len(special)
    queries = np.arange(max(0, -offset), min(n_tokens, n_tokens - offset))
    queries = queries[~special[queries] & ~special[queries + offset]]
    if not len(queries):
        return np.full(weights.shape[:-2], np.nan)
    return weights[..., queries, queries + offset].mean(axis=-1)


def share_on_same(weights: np.ndarray, special: np.ndarray, ids: Sequence[int]) -> np.ndarray:
    """Mean attention from a token to the same token elsewhere in the text.

    Args:
        weights: (..., T, T), rows attending.
        special: Boolean (T,), True for tokens that the model added; they never match.
        ids: Identity of each token, length T.

    Returns:
        (...,); NaN if no token occurs twice.

    Raises:
        HeadlightError: As :func:`distance`.
    """
    check_one_sequence(weights)
    token = np.asarray(ids)
    equal = (token[:, None] == token) & ~special[:, None] & ~special  # (T, T)
    np.fill_diagonal(equal, False)  # itself is not elsewhere
    repeated = equal.any(axis=1)
    if not repeated.any():
        return np.full(weights.shape[:-2], np.nan)
    # (..., T, T), (T, T) -> (...,)
    totals = np.einsum("...ij,ij->...", weights, equal.astype(weights.dtype))
    return totals / repeated.sum()


def profile(capture: AttentionCapture) -> dict[str, np.ndarray]:
    """Compute every measure of this module for every head.

    Args:
        capture: The captured sentence.

    Returns:
        Each (L, H):

        - ``entropy``, in nats; ``evenness``, the entropy as a share of its maximum ln T; and
          ``distance``, in tokens;
        - ``cls``, ``sep`` and ``punctuation``: shares of the attention of all tokens, to the
          special token that opens the text (BERT's [CLS], RoBERTa's <s>), to the other special
          tokens ([SEP], </s>), and to punctuation tokens;
        - ``self``, ``previous`` and ``next``: shares from a token of the text to itself and to its
          neighbours, see :func:`share_at_offset`; ``same``: to the same token elsewhere, see
          :func:`share_on_same`.

        For a decoder, :func:`_decoder_measures` replaces the shares.

    Raises:
        HeadlightError: If the keys are another sequence.
    """
    check_own_keys(capture)
    weights, special = capture.weights, capture.special
    opening = np.arange(len(special)) == 0
    rows = row_entropies(weights)  # (L, H, T)
    measured = {"entropy": rows.mean(axis=-1), "distance": distance(weights)}
    if capture.stack == "decoder":
        return {
            **measured,
            "evenness": _decoder_evenness(capture, rows),
            **_decoder_measures(capture),
        }
    return {
        **measured,
        "evenness": measured["entropy"] / math.log(max(len(special), 2)),
        "cls": share_on(weights, special & opening),
        "sep": share_on(weights, special & ~opening),
        "punctuation": share_on(weights, _punctuation(capture)),
        "self": share_at_offset(weights, special, 0),
        "previous": share_at_offset(weights, special, -1),
        "next": share_at_offset(weights, special, 1),
        "same": share_on_same(weights, special, _text_ids(capture)),
    }


def _decoder_measures(capture: AttentionCapture) -> dict[str, np.ndarray]:
    """Shares for heads that see no later token, each (L, H); NaN where not applicable.

    The first token sees only itself, and inactive heads attend to it. So only ``first`` includes it
    as a key; ``self``, ``previous``, ``duplicate`` (the same token earlier) and ``punctuation`` are
    shares on the other tokens. ``induction`` is the prefix matching of Olsson et al. 2022.
    """
    weights, special = capture.weights, capture.special
    undefined = np.full(weights.shape[:2], np.nan)
    rest = weights[..., 1:, 1:]  # (L, H, T-1, T-1)
    # Control tokens repeat in every turn of a conversation. Unique numbers keep them apart.
    ids = [-1 - i if special[i] else number for i, number in enumerate(_text_ids(capture))]
    punctuation = _punctuation(capture)[1:]
    return {
        "first": first_token(weights),
        "punctuation": share_on(rest, punctuation) if len(punctuation) else undefined,
        "self": share_at_offset(rest, special[1:], 0),
        "previous": share_at_offset(rest, special[1:], -1),
        "duplicate": duplicates(rest, ids[1:]),
        "induction": prefix_matching(weights, ids),
        **dict.fromkeys(("cls", "sep", "next", "same"), undefined),
    }


def _decoder_evenness(capture: AttentionCapture, rows: np.ndarray) -> np.ndarray:
    """Entropies as shares of ln n, the maximum for a row that sees n tokens: (L, H).

    Args:
        capture: Capture of a decoder; its masks define the visible tokens.
        rows: Entropies, (L, H, T).

    Returns:
        The mean over rows that see more than one token; 0 if there are none.
    """
    n_tokens = rows.shape[-1]
    visible = np.stack(  # L x (T,) -> (L, 1, T)
        [
            np.full(n_tokens, n_tokens) if mask is None else mask.sum(axis=-1)
            for mask in capture.allowed
        ]
    )[:, None]
    several = np.broadcast_to(visible > 1, rows.shape)
    shares = np.divide(rows, np.log(visible), out=np.zeros_like(rows), where=several)
    mean: np.ndarray = shares.sum(axis=-1) / np.maximum(several.sum(axis=-1), 1)
    return mean


def _text_ids(capture: AttentionCapture) -> list[int]:
    """Numbers of the tokens, equal for tokens with equal text: (T,).

    All unknown tokens share one id. For them the typed text decides, ignoring case.
    """
    numbers: dict[tuple[int, str], int] = {}
    return [
        numbers.setdefault((id_, unknown_text(capture, position).casefold()), len(numbers))
        for position, id_ in enumerate(capture.token_ids)
    ]


def _punctuation(capture: AttentionCapture) -> np.ndarray:
    """Boolean (T,): tokens with punctuation only (Unicode categories P*).

    Reads the characters of the text, because tokens contain vocabulary marks (##, ▁).
    """
    sentences = (capture.text, capture.text_pair or "")
    covered = [
        sentences[segment][start:end].strip()
        for segment, (start, end) in zip(capture.segment_ids, capture.offsets, strict=True)
    ]
    return np.array(
        [
            text != "" and all(unicodedata.category(letter).startswith("P") for letter in text)
            for text in covered  # special tokens cover no text
        ]
    )
