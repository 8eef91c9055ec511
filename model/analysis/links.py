"""Attention from some words to others, in every head."""

from collections.abc import Sequence

import numpy as np

from model.analysis.units import Unit, unit_weights


def link_weights(weights: np.ndarray, queries: Sequence[int], keys: Sequence[int]) -> np.ndarray:
    """Share of the queries' mean attention that goes to the keys, in every head: (L, H)."""
    rows = weights[:, :, list(queries)]  # (L, H, Q, U)
    return rows[..., list(keys)].sum(axis=-1).mean(axis=-1)


def uniform_link(
    n_tokens: int,
    shown: Sequence[Unit],
    queries: Sequence[int],
    keys: Sequence[int],
    *,
    allowed: np.ndarray | None = None,
    renormalise: bool = False,
) -> float:
    """Compute :func:`link_weights` of a head that attends equally to all visible tokens.

    Units are formed as for real heads, so a word of two pieces receives twice as much. 0 if no head
    can link the two, as in a decoder to a later token. ``allowed`` is boolean (T, T); None:
    everywhere.
    """
    visible = np.ones((n_tokens, n_tokens)) if allowed is None else allowed.astype(float)
    uniform = visible / visible.sum(axis=-1, keepdims=True)
    # (T, T) -> (1, 1, T, T) -> (1, 1, U, U)
    between_units = unit_weights(uniform[None, None], shown, renormalise=renormalise)
    return float(link_weights(between_units, queries, keys)[0, 0])


def ranked(values: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (layer, head) of values (L, H), highest first."""
    order = np.argsort(-values, axis=None, kind="stable")
    layers, heads = np.unravel_index(order, values.shape)
    return list(zip(layers.tolist(), heads.tolist(), strict=True))
