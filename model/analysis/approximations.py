"""Approximations of a head's attention that avoid computing T x T weights.

Each approximates a real head, to show its error there. Our models do not run with them: they are
trained with full attention.

Axes: T tokens, K d_head, M random features.
"""

import math

import numpy as np


def low_rank(weights: np.ndarray, rank: int) -> np.ndarray:
    """Compute the nearest matrix of a given rank.

    Wang et al. 2020, "Linformer", section 3, find heads to be nearly of low rank and learn
    projections of their keys and values. The truncated singular value decomposition used here is
    optimal (Eckart and Young 1936).

    Args:
        weights: (T, T).
        rank: Number of singular values to keep, 1 to T.

    Returns:
        (T, T), float64.
    """
    left, values, right = np.linalg.svd(weights.astype(np.float64))
    return (left[:, :rank] * values[:rank]) @ right[:rank]  # (T, k) @ (k, T) -> (T, T)


def random_features(q: np.ndarray, k: np.ndarray, n_features: int, seed: int) -> np.ndarray:
    """Approximate the weights by positive random features.

    exp(q.k / sqrt(d_k)) is the mean of phi(q) phi(k) over random w, with
    phi(x) = exp(w.x - |x|^2 / 2) and x = q / d_k^(1/4) (Choromanski et al. 2021, "Rethinking
    Attention with Performers", lemma 1). The paper's w are orthogonal; these are independent.

    Args:
        q: Queries, (T, K).
        k: Keys, (T, K).
        n_features: Number of random features, M.
        seed: Seed of the random directions.

    Returns:
        (T, T), rows sum to 1.
    """
    directions = np.random.default_rng(seed).standard_normal((n_features, q.shape[-1]))  # (M, K)
    features = [_log_features(x, directions) for x in (q, k)]  # (T, M) each
    # A factor on a query's row, or on all keys, cancels when rows are divided by their sums.
    query_features = np.exp(features[0] - features[0].max(axis=-1, keepdims=True))
    key_features = np.exp(features[1] - features[1].max())
    scores: np.ndarray = query_features @ key_features.T  # (T, M) @ (M, T) -> (T, T)
    return scores / scores.sum(axis=-1, keepdims=True)


def _log_features(x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64) / math.sqrt(math.sqrt(x.shape[-1]))
    half_squares: np.ndarray = (x**2).sum(axis=-1, keepdims=True) / 2  # (T, 1)
    return x @ directions.T - half_squares  # (T, K) @ (K, M) -> (T, M)


def same_bucket(q: np.ndarray, k: np.ndarray, n_buckets: int, seed: int) -> np.ndarray:
    """Mark the keys that hash to the query's bucket.

    The bucket of a vector is the direction with the largest projection, among random directions and
    their opposites (Kitaev et al. 2020, "Reformer", section 2). Reformer shares queries and keys;
    here both are hashed, and every token sees itself.

    Args:
        q: Queries, (T, K).
        k: Keys, (T, K).
        n_buckets: Number of buckets, even.
        seed: Seed of the random directions.

    Returns:
        Boolean (T, T).
    """
    directions = np.random.default_rng(seed).standard_normal((n_buckets // 2, q.shape[-1]))
    query_buckets, key_buckets = (_buckets(x, directions) for x in (q, k))  # (T,) each
    return (query_buckets[:, None] == key_buckets) | np.eye(len(q), dtype=bool)  # (T, T)


def _buckets(x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    projections = x @ directions.T  # (T, K) @ (K, buckets / 2)
    return np.concatenate((projections, -projections), axis=-1).argmax(axis=-1)


def renormalised_weights(weights: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Set disallowed weights to 0 and rescale every row to a sum of 1.

    Args:
        weights: (T, T).
        allowed: Boolean (T, T), True for the cells to keep; at least one in each row.

    Returns:
        (T, T), float64.
    """
    masked = np.where(allowed, weights.astype(np.float64), 0)
    return masked / masked.sum(axis=-1, keepdims=True)


def relative_error(approximation: np.ndarray, weights: np.ndarray) -> float:
    """Relative error of an approximation: ||A' - A|| / ||A||, Frobenius norms.

    Args:
        approximation: (T, T).
        weights: The exact weights, (T, T).
    """
    return float(np.linalg.norm(approximation - weights) / np.linalg.norm(weights))
