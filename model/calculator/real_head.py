"""A captured head in the calculator: its arrays put in, and its own weights to compare with.

Axes: T tokens, K d_head.
"""

import numpy as np
import torch

from model.calculator.settings import Settings
from model.calculator.steps import Calculation, from_qkv


def from_head(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    allowed: np.ndarray | None,
    settings: Settings | None = None,
) -> Calculation:
    """Work a captured head out anew, in float64.

    Args:
        q: Its queries as captured, (T, K).
        k: Its keys, (T, K).
        v: Its values, (T, K).
        allowed: The model's own mask, boolean (T, T), or None.
        settings: Scaling, and a mask beside the model's own.

    Raises:
        CellError: As :func:`from_qkv`.
    """
    # torch.tensor copies: the capture's own arrays stay read-only.
    queries, keys, values = (torch.tensor(x).double() for x in (q, k, v))  # (T, K)
    own = None if allowed is None else torch.tensor(allowed)
    return from_qkv(queries, keys, values, settings, own)


def largest_difference(calculation: Calculation, weights: np.ndarray) -> float:
    """How far one head's weights are from others at most, (T, T) both."""
    return float(np.abs(calculation.steps.weights[0].numpy() - weights).max())


def strongest_link(weights: np.ndarray, words: np.ndarray) -> tuple[int, int]:
    """The query and the key with the largest weight between two words.

    Args:
        weights: Of the tokens that are looked at, (T, T).
        words: Boolean (T,), False for special tokens: those take much weight and say little.
    """
    links = weights * words * words[:, None]
    query, key = np.unravel_index(links.argmax(), links.shape)
    return int(query), int(key)
