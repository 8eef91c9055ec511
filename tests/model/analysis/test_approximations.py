"""Approximations of a head's weights: results by hand, and convergence."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from model import scaled_dot_product_attention
from model.analysis.approximations import (
    approximate,
    low_rank,
    products,
    random_features,
    relative_error,
    renormalised_weights,
    same_bucket,
)

T, K = 7, 4


@pytest.fixture
def head() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries, keys and their weights."""
    q, k = np.random.default_rng(3).standard_normal((2, T, K)) * 0.7
    steps = scaled_dot_product_attention(*(torch.tensor(x) for x in (q, k, k)))
    return q, k, steps.weights.numpy()


def test_the_rank_is_as_requested_and_the_full_rank_restores_the_weights(head) -> None:
    weights = head[2]
    for rank in (1, 3):
        assert np.linalg.matrix_rank(low_rank(weights, rank)) == rank
    np.testing.assert_allclose(low_rank(weights, T), weights, atol=1e-12)
    values = np.linalg.svd(weights)[1]
    for rank in range(1, T):
        # Eckart and Young: the error is the norm of the other singular values.
        left = math.sqrt((values[rank:] ** 2).sum()) / math.sqrt((values**2).sum())
        assert relative_error(low_rank(weights, rank), weights) == pytest.approx(left)
    assert relative_error(np.array([[3.0, 4.0]]), np.array([[3.0, 0.0]])) == pytest.approx(4 / 3)


def test_random_features_converge_to_the_weights(head) -> None:
    q, k, weights = head
    errors = [relative_error(random_features(q, k, m, 1), weights) for m in (10, 1000, 100_000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.03
    few = random_features(q, k, 8, 1)
    assert (few > 0).all()
    np.testing.assert_allclose(few.sum(axis=-1), 1)
    np.testing.assert_array_equal(few, random_features(q, k, 8, 1))
    assert np.abs(few - random_features(q, k, 8, 2)).max() > 1e-3
    assert np.isfinite(random_features(q * 300, k * 300, 16, 0)).all()


def test_parallel_vectors_share_a_bucket_and_opposite_ones_never_do() -> None:
    q = np.eye(3, 5)
    np.testing.assert_array_equal(np.diag(same_bucket(q, 7 * q, 8, 0)), True)
    opposite = same_bucket(np.repeat(q[:1], 3, 0), np.repeat(-q[:1], 3, 0), 8, 0)
    np.testing.assert_array_equal(opposite, np.eye(3, dtype=bool))  # each token sees itself


def test_the_remaining_weights_are_renormalised_by_hand() -> None:
    weights = np.array([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6], [0.1, 0.1, 0.8]], dtype=np.float32)
    allowed = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 1]], dtype=bool)
    np.testing.assert_allclose(
        renormalised_weights(weights, allowed),
        [[2 / 3, 1 / 3, 0], [0, 1, 0], [0.1, 0.1, 0.8]],
        atol=1e-6,
    )


def test_products_by_hand() -> None:
    assert products("window", 5, 1) == 13 and products("window", 5, 9) == 25
    assert products("global", 5, 1, 2) == 25 - 9 + 7
    assert products("low_rank", 100, 4) == 800 and products("low_rank", 3, 9) == 18
    assert products("features", 10, 64) == 1280
    assert products("hashing", 16, 4) == 64 + 64


def test_each_method_reports_the_cells_that_it_computes(head) -> None:
    steps = SimpleNamespace(q=head[0], k=head[1], weights=head[2])
    for method in ("window", "global", "low_rank", "features", "hashing"):
        weights, count = approximate(steps, method, 2, n_global=1)
        assert weights.shape == (T, T)
        if method in ("window", "global"):
            assert count == (weights > 0).sum() == products(method, T, 2, 1)
        if method == "hashing":
            assert count == (weights > 0).sum() + 2 * T
