"""What a head attends to, as a number: the share of its attention that follows a pattern.

Axes: L n_layers, H n_heads, T tokens.
"""

import numpy as np


def share_at_offset(weights: np.ndarray, special: np.ndarray, offset: int) -> np.ndarray:
    """Mean attention from a token to the one at a fixed distance.

    Tokens that the model added count neither as those that attend nor as those attended to: the
    first word's previous token is none of the sentence's.

    Args:
        weights: (..., T, T), rows attending.
        special: Boolean (T,), True for tokens that the model added.
        offset: -1 for the previous token, 1 for the next, 0 for itself.

    Returns:
        (...,); not a number where no two tokens are that far apart.
    """
    n_tokens = len(special)
    queries = np.arange(max(0, -offset), min(n_tokens, n_tokens - offset))
    queries = queries[~special[queries] & ~special[queries + offset]]
    if not len(queries):
        return np.full(weights.shape[:-2], np.nan)
    return weights[..., queries, queries + offset].mean(axis=-1)
