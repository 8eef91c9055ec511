"""Statistics of weights (Clark et al. 2019, section 3): entropy, distance, shares on tokens.

Axes: T tokens. Weights are (..., T, T), rows attend and sum to 1, less with an attention sink.
Functions for (..., Tq, Tk) also accept tokens that attend to another sequence.
"""

from collections.abc import Sequence

import numpy as np

from model.analysis.units import check_one_sequence


def entropy(weights: np.ndarray) -> np.ndarray:
    """Mean entropy of rows in nats, (..., Tq, Tk) -> (...,), 0 to ln Tk (Clark, section 3.3)."""
    return row_entropies(weights).mean(axis=-1)


def row_entropies(rows: np.ndarray) -> np.ndarray:
    """Entropy of each row in nats, (..., T) -> (...,), with 0 ln 0 = 0.

    Equals ``scipy.special.entr(rows).sum(-1)`` in a quarter of its time.
    """
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return np.abs(np.vecdot(rows, logs))  # abs: a weight rounded above 1 gives -0.0


def distance(weights: np.ndarray) -> np.ndarray:
    """Mean distance |i - j| in tokens, weighted by attention: (..., T, T) -> (...,).

    Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model".
    """
    check_one_sequence(weights)
    position = np.arange(weights.shape[-1])
    offsets = np.abs(position[:, None] - position).astype(weights.dtype)  # (T, T)
    return np.einsum("...ij,ij->...", weights, offsets) / len(position)  # (..., T, T) -> (...,)


def share_on(weights: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Mean attention to tokens, boolean (Tk,), (..., Tq, Tk) -> (...,) (Clark, section 3.2)."""
    return weights.mean(axis=-2) @ keys.astype(weights.dtype)  # (..., Tk) @ (Tk,) -> (...,)


def share_at_offset(weights: np.ndarray, special: np.ndarray, offset: int) -> np.ndarray:
    """Mean attention to the token at a fixed offset (Clark et al. 2019, section 3.1).

    Special tokens count neither as queries nor as keys: the first word has no previous token.
    (..., T, T) -> (...,); NaN if no two tokens are that far apart.
    """
    check_one_sequence(weights)
    n_tokens = len(special)
    queries = np.arange(max(0, -offset), min(n_tokens, n_tokens - offset))
    queries = queries[~special[queries] & ~special[queries + offset]]
    if not len(queries):
        return np.full(weights.shape[:-2], np.nan)
    return weights[..., queries, queries + offset].mean(axis=-1)


def share_on_same(weights: np.ndarray, special: np.ndarray, ids: Sequence[int]) -> np.ndarray:
    """Mean attention to the same token elsewhere, (..., T, T) -> (...,); NaN without repeats."""
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
