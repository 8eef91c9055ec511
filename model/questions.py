"""Questions to a class or a learner, with the answers that a model's numbers make right."""

from typing import Any

import numpy as np

NEAR_TIE = 0.01
"""A weight within this distance of the largest is right, too: nobody sees the difference."""


def largest(weights: np.ndarray) -> list[Any]:
    """Return the indices of the largest weight and its near-ties, the largest first.

    An index into (L, H) is a layer and a head.
    """
    below = np.round(weights.max() - weights.astype(np.float64), 6)
    indices = np.argwhere((weights > 0) & (below <= NEAR_TIE)).tolist()
    indices.sort(key=lambda index: below[tuple(index)])
    return [index[0] if weights.ndim == 1 else index for index in indices]
