"""Experiment on the division by sqrt(d_k): random queries and keys of growing width.

If the components of q and k are independent with mean 0 and variance 1, then q . k has mean 0 and
variance d_k (Vaswani et al. 2017, section 3.2.1, footnote 4). The experiment draws such vectors and
measures the effect of their scores on the softmax and on its gradient.

Axes: S sequences, Tq queries of each, T n_keys, K d_k, N n_queries of all sequences together.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.errors import check_range
from model.transformer.attention import scaled_dot_product_attention

SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""The values of d_k in the experiment."""

MAX_SEED = 999_999_999
MIN_KEYS, MAX_KEYS = 2, 64
MAX_QUERIES = 2_000

# Queries that share their keys. With one sequence, a few short keys would shift all scores at
# d_k = 2. With separate keys for every query, the draw would take 100 ms.
_PER_SEQUENCE = 8


@dataclass(frozen=True, eq=False)
class Spread:
    """Scores, softmax and gradient for each d_k, without the division (raw) and with it (scaled).

    Read-only float64 arrays, (10,), for the integers ``d_k``.

    Attributes:
        std_raw: Standard deviation of all scores; sqrt(d_k) is expected, and 1 after the division.
        entropy_raw: Entropy of a query's weights, at most ln(n_keys) nats; mean over the queries.
        gradient_raw: Frobenius norm of the softmax's Jacobian dw/ds, mean over the queries; from 0
            to 1/2. At 0, nothing can be learned. ``gradient_scaled`` is with respect to the scaled
            scores: it excludes the chain rule's factor 1/sqrt(d_k).
        largest_raw: A query's largest weight, mean over the queries.
    """

    d_k: np.ndarray
    n_keys: int
    n_queries: int
    std_raw: np.ndarray
    std_scaled: np.ndarray
    entropy_raw: np.ndarray
    entropy_scaled: np.ndarray
    gradient_raw: np.ndarray
    gradient_scaled: np.ndarray
    largest_raw: np.ndarray
    largest_scaled: np.ndarray


def spread(seed: int, n_keys: int = 16, n_queries: int = 200) -> Spread:
    """Measure scores, softmax and gradient at every size.

    A smaller size uses the first d_k numbers of the same vectors, so that only d_k changes.
    """
    check_range("seed", seed, 0, MAX_SEED)
    check_range("n_keys", n_keys, MIN_KEYS, MAX_KEYS)
    check_range("n_queries", n_queries, 1, MAX_QUERIES)
    generator = torch.Generator().manual_seed(seed)
    sequences = [_draw(generator, n_keys) for _ in range(math.ceil(n_queries / _PER_SEQUENCE))]
    q, k = (
        torch.stack(vectors) for vectors in zip(*sequences, strict=True)
    )  # S x (T, 1024) -> (S, T, 1024)
    measured: dict[str, np.ndarray] = {}
    # The last sequence may contain more queries than n_queries.
    for name, scale in (("raw", 1.0), ("scaled", None)):
        rows = [_measure(q[..., :d_k], k[..., :d_k], scale, n_queries) for d_k in SIZES]
        for measure in rows[0]:
            values = np.array([row[measure] for row in rows])
            measured[f"{measure}_{name}"] = _read_only(values)
    return Spread(d_k=_read_only(np.array(SIZES)), n_keys=n_keys, n_queries=n_queries, **measured)


def gradient_norm(weights: Tensor) -> Tensor:
    """Frobenius norm of the softmax's Jacobian dw/ds: w (..., T) -> (...).

    J = diag(w) - w w^T, so ||J||^2 = sum w^2 - 2 sum w^3 + (sum w^2)^2. Near saturation this is the
    difference of numbers close to 1, and the norm is accurate to about 1e-8.
    """
    squares = weights.square().sum(-1)
    # Rounding can make the sum slightly negative at saturation, and its root NaN.
    return (squares - 2 * weights.pow(3).sum(-1) + squares.square()).clamp(min=0).sqrt()


def _draw(generator: torch.Generator, n_keys: int) -> tuple[Tensor, Tensor]:
    """Unit-variance queries (Tq, 1024) and keys (T, 1024) of the generator's next sequence."""
    shape = (_PER_SEQUENCE + n_keys, SIZES[-1])
    vectors = torch.randn(shape, generator=generator, dtype=torch.float64)
    return vectors[:_PER_SEQUENCE], vectors[_PER_SEQUENCE:]


def _attend(q: Tensor, k: Tensor, scale: float | None) -> tuple[Tensor, Tensor]:
    """Scaled scores and weights, (..., Tq, T) both."""
    no_values = k[..., :0]  # (..., T, 0): the context is not used
    steps = scaled_dot_product_attention(q, k, no_values, scale=scale)
    return steps.scaled_scores, steps.weights


def _measure(q: Tensor, k: Tensor, scale: float | None, n_queries: int) -> dict[str, float]:
    """The measurements of :class:`Spread` at one size, with the division or without."""
    # (S, Tq, T) -> (S*Tq, T) -> (N, T)
    scores, weights = (values.flatten(0, 1)[:n_queries] for values in _attend(q, k, scale))
    entropy = torch.special.entr(weights).sum(-1)  # -w ln w, and 0 where w = 0; (N,)
    return {
        "std": scores.std().item(),
        "entropy": entropy.mean().item(),
        "gradient": gradient_norm(weights).mean().item(),
        "largest": weights.amax(-1).mean().item(),
    }


def _read_only(values: np.ndarray) -> np.ndarray:
    values.setflags(write=False)  # the cache shares them between sessions
    return values
