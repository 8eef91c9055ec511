"""A captured head in the Calculator, and the comparison with its captured weights.

Axes: Tq queries, Tk keys, K d_head.
"""

import numpy as np
import torch

from model.calculator.settings import CalculatorSettings
from model.calculator.steps import Calculation, from_qkv


def from_head(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    allowed: np.ndarray | None,
    settings: CalculatorSettings | None = None,
    *,
    scale: float | None = None,
    bias: np.ndarray | None = None,
) -> Calculation:
    """Compute a captured head again, in float64.

    ``allowed`` is the model's mask, boolean (Tq, Tk), ``scale`` its factor on the raw scores (by
    default 1 / sqrt(K)), ``bias`` its bias on the scaled scores, (Tq, Tk); None without one.
    """
    # torch.tensor copies, because the capture's arrays are read-only.
    queries, keys, values = (torch.tensor(x).double() for x in (q, k, v))  # (Tq or Tk, K)
    own = None if allowed is None else torch.tensor(allowed)
    added = None if bias is None else torch.tensor(bias).double()
    return from_qkv(queries, keys, values, settings, own, scale=scale, bias=added)


def largest_difference(calculation: Calculation, weights: np.ndarray) -> float:
    """The largest difference between a calculation's weights and others, (Tq, Tk)."""
    return float(np.abs(calculation.steps.weights[0].numpy() - weights).max())


def strongest_link(
    weights: np.ndarray, words: np.ndarray, key_words: np.ndarray | None = None
) -> tuple[int, int]:
    """The query and the key with the largest weight (Tq, Tk) between two words."""
    # (Tq,) -> (Tq, 1), times (Tk,)
    links = weights * words[:, None] * (words if key_words is None else key_words)
    query, key = np.unravel_index(links.argmax(), links.shape)
    return int(query), int(key)
