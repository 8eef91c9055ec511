"""A captured head in the calculator: its arrays put in, and its own weights to compare with.

Axes: Tq queries, Tk keys, K d_head.
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
    *,
    scale: float | None = None,
    bias: np.ndarray | None = None,
) -> Calculation:
    """Work a captured head out anew, in float64.

    Args:
        q: Its queries as captured, (Tq, K).
        k: Its keys, (Tk, K).
        v: Its values, (Tk, K).
        allowed: The model's own mask, boolean (Tq, Tk), or None.
        settings: Scaling, and a mask beside the model's own.
        scale: The model's own factor on the raw scores; 1 / sqrt(K) unless given.
        bias: What it adds to the scaled scores, (Tq, Tk), or None.

    Raises:
        CellError: As :func:`from_qkv`.
    """
    # torch.tensor copies: the capture's own arrays stay read-only.
    queries, keys, values = (torch.tensor(x).double() for x in (q, k, v))  # (Tq or Tk, K)
    own = None if allowed is None else torch.tensor(allowed)
    added = None if bias is None else torch.tensor(bias).double()
    return from_qkv(queries, keys, values, settings, own, scale=scale, bias=added)


def largest_difference(calculation: Calculation, weights: np.ndarray) -> float:
    """How far one head's weights are from others at most, (Tq, Tk) both."""
    return float(np.abs(calculation.steps.weights[0].numpy() - weights).max())


def strongest_link(
    weights: np.ndarray, words: np.ndarray, key_words: np.ndarray | None = None
) -> tuple[int, int]:
    """The query and the key with the largest weight between two words.

    Args:
        weights: Of the tokens that are looked at, (Tq, Tk).
        words: Boolean (Tq,), False for special tokens: those take much weight and say little.
        key_words: The same of the keys, (Tk,), where they are other tokens.
    """
    links = weights * words[:, None] * (words if key_words is None else key_words)
    query, key = np.unravel_index(links.argmax(), links.shape)
    return int(query), int(key)
