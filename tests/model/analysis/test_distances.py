"""Distances between heads: results by hand, parity with scipy, and real heads."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.spatial.distance import jensenshannon

from model.analysis.distances import (
    jensen_shannon,
    js_distance,
    query_stride,
    shared_heads,
)
from tests.model.analysis.test_measures import heads


def test_distances_of_pairs_are_the_diagonal_of_all_distances():
    random = np.random.default_rng(4)
    ours, theirs = random.dirichlet(np.ones(5), (2, 3, 6)).astype(np.float32)  # (3, 6, 5) each
    expected = np.diag(jensen_shannon(ours, theirs))
    assert_allclose(js_distance(ours, theirs), expected, atol=1e-12)
    layered = js_distance(ours.reshape(3, 1, 6, 5), theirs.reshape(3, 1, 6, 5))
    assert_allclose(layered, expected[:, None], atol=1e-12)


@given(heads(), heads())
def test_distances_between_heads_equal_scipys(ours, theirs):
    # scipy takes the root of a divergence of 0 that rounding makes 1e-16, or -1e-16 and so NaN.
    with np.errstate(invalid="ignore"):
        rows = [[np.nan_to_num(jensenshannon(a, b, 2, axis=-1)) for b in theirs] for a in ours]
    expected = np.mean(rows, axis=-1)
    assert_allclose(jensen_shannon(ours, theirs), expected, atol=1e-7)


def test_heads_are_compared_on_selected_tokens_only():
    """As in scipy, weights of other tokens do not count, and a row of zeros is no error."""
    ours, theirs = np.array([[[0.1, 0.1], [0.2, 0.6]]]), np.array([[[0.4, 0.4], [0.1, 0.3]]])
    assert_allclose(jensen_shannon(ours, theirs), 0, atol=1e-7)
    assert np.isfinite(jensen_shannon(ours * [[[0], [1]]], theirs)).all()
    rounded = np.nextafter(ours, np.ones_like(ours))  # each number changes in its last bit
    assert (jensen_shannon(ours, rounded) < 1e-3).all()


@pytest.mark.parametrize(("n_heads", "n_keys"), [(6, 7), (6, 64), (11, 129)])
def test_the_number_of_compared_rows_is_the_largest_within_the_limit(n_heads, n_keys):
    most, weights = 40_000, np.zeros((1, n_heads, n_keys, n_keys))

    def compared(every: int) -> int:
        _heads, rows, keys = shared_heads(weights, range(n_keys), every).shape
        return n_heads**2 * rows * keys

    every = query_stride(n_heads**2, n_keys, most)
    one_row = n_heads**2 * n_keys  # the last row of a block counts completely
    assert compared(every) < most + one_row
    assert every == 1 or n_heads**2 * n_keys**2 / (every - 1) > most
    assert (query_stride(4, 10, 400), query_stride(4, 10, 399)) == (1, 2)
