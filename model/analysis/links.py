"""Which head links one word to another?"""

from collections.abc import Sequence

import numpy as np


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


def ranked(values: np.ndarray) -> list[tuple[int, int]]:
    """Heads by their value, highest first: (L, H) -> pairs (layer, head)."""
    order = np.argsort(-values, axis=None, kind="stable")
    layers, heads = np.unravel_index(order, values.shape)
    return list(zip(layers.tolist(), heads.tolist(), strict=True))
