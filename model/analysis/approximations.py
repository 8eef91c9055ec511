"""Approximations of a head's attention that avoid computing T x T weights, and their errors.

Our models do not run with them: they are trained with full attention.

Axes: T tokens, K d_head, M random features.
"""

import math

import numpy as np

from model.capture.record import HeadSteps
from model.transformer.masks import sliding_window, with_global


def approximate(
    head: HeadSteps, method: str, size: int, n_global: int = 0, seed: int = 0
) -> tuple[np.ndarray, int]:
    """Approximate a head's weights, (T, T), and count the products that the method needs for them.

    ``size`` and ``n_global`` (tokens that attend to all and receive attention from all) are those
    of :func:`products`. The exact weights need T² products.
    """
    n_tokens = len(head.weights)
    n_products = products(method, n_tokens, size, n_global)
    if method == "low_rank":
        return low_rank(head.weights, size), n_products
    if method == "features":
        return random_features(head.q, head.k, size, seed), n_products
    if method == "hashing":
        allowed = same_bucket(head.q, head.k, size, seed)
        n_products = int(allowed.sum()) + n_tokens * size
    else:
        window = sliding_window(n_tokens, size)
        allowed = (with_global(window, n_global) if method == "global" else window).numpy()
    return renormalised_weights(head.weights, allowed), n_products


def products(method: str, n_tokens: int, size: int, n_global: int = 0) -> int:
    """Count the products of two vectors of d_k numbers that one head needs for its weights.

    ``size`` is the tokens on either side r, the rank k, the random features m, or the hash buckets
    b (then for buckets of equal size). The sums of the values need as many again, except for the
    hashes.
    """
    n = n_tokens
    if method in ("window", "global"):
        rest = max(n - n_global, 0) if method == "global" else n
        reach = min(size, max(rest - 1, 0))
        return n**2 - rest**2 + rest * (2 * reach + 1) - reach * (reach + 1)
    if method == "low_rank":  # the keys projected to k rows, then the queries times these
        return 2 * n * min(size, n)
    if method == "features":  # of the queries and of the keys
        return 2 * n * size
    return n**2 // size + n * size  # hashes: queries and keys, each times b / 2 directions


def low_rank(weights: np.ndarray, rank: int) -> np.ndarray:
    """Compute the nearest matrix of a given rank, (T, T) in float64.

    Wang et al. 2020, "Linformer", section 3, find heads to be nearly of low rank and learn
    projections of keys and values. The truncated singular value decomposition is optimal (Eckart
    and Young 1936).
    """
    left, values, right = np.linalg.svd(weights.astype(np.float64))
    return (left[:, :rank] * values[:rank]) @ right[:rank]  # (T, k) @ (k, T) -> (T, T)


def random_features(q: np.ndarray, k: np.ndarray, n_features: int, seed: int) -> np.ndarray:
    """Approximate the weights (T, T) by positive random features.

    exp(q.k / sqrt(d_k)) is the mean of phi(q) phi(k) over random w, with
    phi(x) = exp(w.x - |x|^2 / 2) and x = q / d_k^(1/4) (Choromanski et al. 2021, "Rethinking
    Attention with Performers", lemma 1). The paper's w are orthogonal; these are independent.
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
    """Mark the keys that hash to the query's bucket: boolean (T, T).

    The bucket of a vector is the direction with the largest projection, among random directions and
    their opposites (Kitaev et al. 2020, "Reformer", section 2). Reformer shares queries and keys;
    here both are hashed, and every token sees itself.
    """
    directions = np.random.default_rng(seed).standard_normal((n_buckets // 2, q.shape[-1]))
    query_buckets, key_buckets = (_buckets(x, directions) for x in (q, k))  # (T,) each
    return (query_buckets[:, None] == key_buckets) | np.eye(len(q), dtype=bool)  # (T, T)


def _buckets(x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    projections = x @ directions.T  # (T, K) @ (K, buckets / 2)
    return np.concatenate((projections, -projections), axis=-1).argmax(axis=-1)


def renormalised_weights(weights: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Set disallowed weights to 0 and rescale every row to a sum of 1: (T, T) in float64."""
    masked = np.where(allowed, weights.astype(np.float64), 0)
    return masked / masked.sum(axis=-1, keepdims=True)


def relative_error(approximation: np.ndarray, weights: np.ndarray) -> float:
    """Relative error of an approximation of the weights (T, T): ||A' - A|| / ||A||, Frobenius."""
    return float(np.linalg.norm(approximation - weights) / np.linalg.norm(weights))
