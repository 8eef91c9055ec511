"""What stands in for a head's weights where n x n of them would be too many.

Each takes a real head, so that a reader sees how well it would do there. None of our models runs
with them: they are trained with full attention.

Axes: T tokens, K d_head, M random features.
"""

import math

import numpy as np


def low_rank(weights: np.ndarray, rank: int) -> np.ndarray:
    """The nearest matrix of a rank: (T, T) -> (T, T), float64.

    Wang et al. 2020, "Linformer", find heads to be nearly of low rank (section 3) and learn
    projections of their keys and values; none comes nearer to the weights than the singular
    vectors (Eckart and Young 1936).
    """
    left, values, right = np.linalg.svd(weights.astype(np.float64))
    return (left[:, :rank] * values[:rank]) @ right[:rank]  # (T, k) @ (k, T) -> (T, T)


def random_features(q: np.ndarray, k: np.ndarray, n_features: int, seed: int) -> np.ndarray:
    """The weights by positive random features: (T, K), (T, K) -> (T, T), rows sum to 1.

    exp(q.k / sqrt(d_k)) is the mean of phi(q) phi(k) over random w, with
    phi(x) = exp(w.x - |x|^2 / 2) and x = q / d_k^(1/4) (Choromanski et al. 2021, "Rethinking
    Attention with Performers", lemma 1). The paper's w are orthogonal; these are independent.
    """
    directions = np.random.default_rng(seed).standard_normal((n_features, q.shape[-1]))  # (M, K)
    features = [_log_features(x, directions) for x in (q, k)]  # (T, M) each
    # A factor on a query's row, or on all keys, cancels when rows are divided by their sums.
    of_queries = np.exp(features[0] - features[0].max(axis=-1, keepdims=True))
    of_keys = np.exp(features[1] - features[1].max())
    scores: np.ndarray = of_queries @ of_keys.T  # (T, M) @ (M, T) -> (T, T)
    return scores / scores.sum(axis=-1, keepdims=True)


def _log_features(x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64) / math.sqrt(math.sqrt(x.shape[-1]))
    halves: np.ndarray = (x**2).sum(axis=-1, keepdims=True) / 2  # (T, 1)
    return x @ directions.T - halves  # (T, K) @ (K, M) -> (T, M)


def same_bucket(q: np.ndarray, k: np.ndarray, n_buckets: int, seed: int) -> np.ndarray:
    """Which keys hash to the query's bucket: (T, K), (T, K) -> boolean (T, T).

    A vector's bucket is the random direction, or its opposite, that it points at most (Kitaev et
    al. 2020, "Reformer", section 2). There, queries serve as keys; here both are hashed, and every
    token sees itself.

    Args:
        q: Queries.
        k: Keys.
        n_buckets: An even number.
        seed: Of the directions.
    """
    directions = np.random.default_rng(seed).standard_normal((n_buckets // 2, q.shape[-1]))
    of_queries, of_keys = (_buckets(x, directions) for x in (q, k))  # (T,) each
    return (of_queries[:, None] == of_keys) | np.eye(len(q), dtype=bool)


def _buckets(x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    along = x @ directions.T  # (T, K) @ (K, buckets / 2)
    return np.concatenate((along, -along), axis=-1).argmax(axis=-1)


def kept_alone(weights: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The weights on some cells, rows brought back to a sum of 1: what a mask makes of a head."""
    kept = np.where(allowed, weights.astype(np.float64), 0)
    return kept / kept.sum(axis=-1, keepdims=True)


def relative_error(approximation: np.ndarray, weights: np.ndarray) -> float:
    """How far an approximation is off: ||A' - A|| / ||A||, Frobenius norms."""
    return float(np.linalg.norm(approximation - weights) / np.linalg.norm(weights))
