"""Which head links one word to another?"""

from collections.abc import Sequence

import numpy as np

from model.analysis.units import Unit, unit_weights


def link_weights(weights: np.ndarray, queries: Sequence[int], keys: Sequence[int]) -> np.ndarray:
    """How much of the queries' attention goes to the keys, in every head.

    Args:
        weights: (L, H, U, U), rows attending.
        queries: Units that attend, at least one; their mean is taken.
        keys: Units attended to, at least one; they are added up.

    Returns:
        (L, H), from 0 to 1.
    """
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
    """What :func:`link_weights` would give for a head that attends to all that it sees alike.

    It is seen through the same units as the heads are: a word of two pieces receives twice as much.
    0 where no head can link the two: in a decoder no token sees a later one.

    Args:
        n_tokens: T, of the capture.
        shown: The units, U of them.
        queries: Units that attend, at least one.
        keys: Units attended to, at least one.
        allowed: Boolean (T, T), True where the model's mask allows attention; None: everywhere.
        renormalise: As in :func:`model.analysis.units.unit_weights`.
    """
    seen = np.ones((n_tokens, n_tokens)) if allowed is None else allowed.astype(float)
    alike = seen / seen.sum(axis=-1, keepdims=True)
    # (T, T) -> (L, H, T, T), one of each -> (1, 1, U, U)
    between = unit_weights(alike[None, None], shown, renormalise=renormalise)
    return float(link_weights(between, queries, keys)[0, 0])


def ranked(values: np.ndarray) -> list[tuple[int, int]]:
    """Heads by their value, highest first: (L, H) -> pairs (layer, head)."""
    order = np.argsort(-values, axis=None, kind="stable")
    layers, heads = np.unravel_index(order, values.shape)
    return list(zip(layers.tolist(), heads.tolist(), strict=True))
