"""Map of heads: distances are preserved where a plane allows it, and orientation is stable."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

from model.analysis.distances import jensen_shannon
from model.analysis.headmap import head_map


def heads(n: int, rows: int, tokens: int) -> np.ndarray:
    return np.random.default_rng(8).dirichlet(np.full(tokens, 0.3), (n, rows)).astype(np.float32)


def test_the_map_preserves_the_jensen_shannon_distances():
    of = heads(9, 3, 5)
    found = head_map(of)
    assert_allclose(found.distances, jensen_shannon(of, of), atol=1e-7)
    apart = squareform(pdist(found.points))
    above = np.triu_indices(9, k=1)
    expected = np.corrcoef(found.distances[above], apart[above])[0, 1]
    assert found.correlation == pytest.approx(expected)
    assert 0.3 < found.correlation <= 1


def test_heads_on_a_line_stay_on_a_line():
    """Each token attends to the first key, the second, or half to each."""
    ends = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    of = np.stack([ends[[0, 0]], ends[[0, 1]], ends[[1, 1]]])  # they differ in 0, 1 or 2 rows
    found = head_map(of)
    longest = np.sqrt(np.log(2))
    assert_allclose(found.distances[0], [0, longest / 2, longest], atol=1e-7)
    assert_allclose(squareform(pdist(found.points)), found.distances, atol=1e-6)
    assert found.correlation == pytest.approx(1)


def test_equal_heads_share_a_point():
    of = heads(5, 4, 6)
    found = head_map(np.concatenate([of, of[2:3]]))
    assert_allclose(found.points[5], found.points[2], atol=1e-6)


def test_the_map_is_reproducible_and_a_small_change_does_not_flip_it():
    of = heads(12, 5, 7)
    found = head_map(of)
    assert np.array_equal(head_map(of).points, found.points)
    nudged = of + 1e-4
    assert_allclose(head_map(nudged).points, found.points, atol=0.01)
    for axis in range(2):
        values = found.points[:, axis]
        assert values[np.abs(values).argmax()] > 0


def test_equal_heads_have_an_undefined_correlation():
    assert np.isnan(head_map(np.repeat(heads(1, 3, 4), 6, axis=0)).correlation)
