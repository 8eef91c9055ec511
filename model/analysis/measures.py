"""What a head attends to, in numbers: how broadly, how far, to what.

Axes: L n_layers, H n_heads, T tokens. Weights are (..., T, T), rows attending, and sum to 1; where
it is said, (..., Tq, Tk): tokens may attend to those of another sequence.

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
    """How broadly a head attends: the mean entropy of its rows (Clark et al. 2019, section 3.3).

    Args:
        weights: (..., Tq, Tk).

    Returns:
        (...,) in nats: 0 where every token attends to one alone, ln Tk where to all alike.
    """
    return row_entropies(weights).mean(axis=-1)


def row_entropies(rows: np.ndarray) -> np.ndarray:
    """-sum p ln p of each row in nats, 0 ln 0 = 0: (..., T) -> (...,).

    As ``scipy.special.entr(rows).sum(-1)``, in a quarter of its time.
    """
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return np.abs(np.vecdot(rows, logs))  # abs: a weight rounded above 1 is no -0.00


def distance(weights: np.ndarray) -> np.ndarray:
    """How far a head looks: the mean of |i - j| tokens, weighted by attention.

    Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model".

    Args:
        weights: (..., T, T).

    Returns:
        (...,) in tokens.

    Raises:
        HeadlightError: If tokens attend to those of another sequence: nobody is how far from them.
    """
    check_one_sequence(weights)
    position = np.arange(weights.shape[-1])
    apart = np.abs(position[:, None] - position).astype(weights.dtype)  # (T, T)
    return np.einsum("...ij,ij->...", weights, apart) / len(position)


def share_on(weights: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Mean attention from a token to some tokens together (Clark et al. 2019, section 3.2).

    Args:
        weights: (..., Tq, Tk).
        keys: Boolean (Tk,), True for the tokens attended to; all tokens attend.

    Returns:
        (...,), from 0 to 1; 0 where there are no such tokens.
    """
    return weights.mean(axis=-2) @ keys.astype(weights.dtype)  # (..., Tk) @ (Tk,) -> (...,)


def share_at_offset(weights: np.ndarray, special: np.ndarray, offset: int) -> np.ndarray:
    """Mean attention from a token to the one at a fixed distance (Clark et al. 2019, section 3.1).

    Tokens that the model added count neither as those that attend nor as those attended to: the
    first word's previous token is none of the sentence's.

    Args:
        weights: (..., T, T), rows attending.
        special: Boolean (T,), True for tokens that the model added.
        offset: -1 for the previous token, 1 for the next, 0 for itself.

    Returns:
        (...,); not a number where no two tokens are that far apart.

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
        special: Boolean (T,), True for tokens that the model added; they have no equals.
        ids: What each token is, length T.

    Returns:
        (...,); not a number where no token occurs twice.

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
    on_equals = np.einsum("...ij,ij->...", weights, equal.astype(weights.dtype))
    return on_equals / repeated.sum()


def profile(capture: AttentionCapture) -> dict[str, np.ndarray]:
    """Measure every head by every number of this file.

    Args:
        capture: The captured sentence.

    Returns:
        Each (L, H):

        - ``entropy``, in nats, ``evenness``: the entropy as a share of ln T, the most there is; and
          ``distance``, in tokens;
        - ``cls``, ``sep`` and ``punctuation``: shares of the attention of all tokens, to the
          special token that opens the text (BERT's [CLS], RoBERTa's <s>), to the other special
          tokens ([SEP], </s>), and to tokens that stand for punctuation alone;
        - ``self``, ``previous`` and ``next``: shares from a token of the text to itself and to its
          neighbours, as :func:`share_at_offset` counts them; ``same``: to the same token
          elsewhere, as :func:`share_on_same` counts it.

        Of a decoder those of :func:`_looking_back` take their place.

    Raises:
        HeadlightError: If its keys are another text's tokens.
    """
    check_own_keys(capture)
    weights, special = capture.weights, capture.special
    opening = np.arange(len(special)) == 0
    rows = row_entropies(weights)  # (L, H, T)
    measured = {"entropy": rows.mean(axis=-1), "distance": distance(weights)}
    if capture.stack == "decoder":
        return {**measured, "evenness": _evenness_of_seen(capture, rows), **_looking_back(capture)}
    return {
        **measured,
        "evenness": measured["entropy"] / math.log(max(len(special), 2)),
        "cls": share_on(weights, special & opening),
        "sep": share_on(weights, special & ~opening),
        "punctuation": share_on(weights, _punctuation(capture)),
        "self": share_at_offset(weights, special, 0),
        "previous": share_at_offset(weights, special, -1),
        "next": share_at_offset(weights, special, 1),
        "same": share_on_same(weights, special, _said(capture)),
    }


def _looking_back(capture: AttentionCapture) -> dict[str, np.ndarray]:
    """What heads do that see no later token, each (L, H).

    The first token sees itself alone, so it attends nowhere here; and heads with nothing to do
    look at it, whatever it says. So it is attended to in ``first`` alone: ``self``, ``previous``,
    ``duplicate`` (its own token before) and ``punctuation`` are shares on the others. ``induction``
    is the prefix matching of Olsson et al. 2022. What a decoder cannot be asked is not a number.
    """
    weights, special = capture.weights, capture.special
    nothing = np.full(weights.shape[:2], np.nan)
    behind = weights[..., 1:, 1:]  # (L, H, T-1, T-1)
    # Control tokens come again in every turn of a conversation: they have no equals.
    said = [-1 - i if special[i] else number for i, number in enumerate(_said(capture))]
    later = _punctuation(capture)[1:]
    return {
        "first": first_token(weights),
        "punctuation": share_on(behind, later) if len(later) else nothing,
        "self": share_at_offset(behind, special[1:], 0),
        "previous": share_at_offset(behind, special[1:], -1),
        "duplicate": duplicates(behind, said[1:]),
        "induction": prefix_matching(weights, said),
        **dict.fromkeys(("cls", "sep", "next", "same"), nothing),
    }


def _evenness_of_seen(capture: AttentionCapture, rows: np.ndarray) -> np.ndarray:
    """Entropies as shares of ln n, the most there is for a row that sees n tokens: (L, H).

    Args:
        capture: Of a decoder, whose masks say what each row sees.
        rows: The entropies, (L, H, T).

    Returns:
        The mean over rows that see more than one token; 0 where none does.
    """
    n_tokens = rows.shape[-1]
    seen = np.stack(  # L x (T,) -> (L, 1, T)
        [
            np.full(n_tokens, n_tokens) if mask is None else mask.sum(axis=-1)
            for mask in capture.allowed
        ]
    )[:, None]
    several = np.broadcast_to(seen > 1, rows.shape)
    shares = np.divide(rows, np.log(seen), out=np.zeros_like(rows), where=several)
    mean: np.ndarray = shares.sum(axis=-1) / np.maximum(several.sum(axis=-1), 1)
    return mean


def _said(capture: AttentionCapture) -> list[int]:
    """A number for each token, equal where tokens say the same: (T,).

    Where the vocabulary lacks what was typed, all have the unknown token's id: there the text
    decides, whatever its case, for most vocabularies know none.
    """
    numbers: dict[tuple[int, str], int] = {}
    return [
        numbers.setdefault((id_, unknown_text(capture, position).casefold()), len(numbers))
        for position, id_ in enumerate(capture.token_ids)
    ]


def _punctuation(capture: AttentionCapture) -> np.ndarray:
    """Boolean (T,): tokens all of whose characters are Unicode's punctuation (categories P*).

    The characters are those of the text: pieces carry marks of their vocabulary (##, ▁).
    """
    sentences = (capture.text, capture.text_pair or "")
    covered = [
        sentences[segment][start:end].strip()
        for segment, (start, end) in zip(capture.segment_ids, capture.offsets, strict=True)
    ]
    return np.array(
        [
            text != "" and all(unicodedata.category(letter).startswith("P") for letter in text)
            for text in covered  # specials cover nothing
        ]
    )
