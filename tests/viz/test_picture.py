import base64

import numpy as np
import pytest

from viz.picture import strongest, vector_cells, weight_cells


def shades(cells) -> list[int]:
    return np.frombuffer(base64.b64decode(cells.shades), np.int8).tolist()


def test_weights_are_shaded_from_0_to_127():
    cells = weight_cells(np.array([[1, 0, 0.5], [0.1, 0.2, 0.7]]))
    assert cells.columns == 3
    assert shades(cells) == [127, 0, 64, 13, 25, 89]


def test_large_heatmaps_are_pooled_by_their_largest_weight():
    weights = np.zeros((3, 48))
    weights[1, 5] = 1
    cells = weight_cells(weights)
    assert cells.columns == 24
    found = np.array(shades(cells)).reshape(3, 24)
    assert np.argwhere(found == 127).tolist() == [[1, 2]] and found.sum() == 127


def test_vectors_share_one_scale_and_keep_their_signs():
    first, second = vector_cells(np.array([[2.0, -4.0], [0.0, 1.0]]))
    assert (first.columns, shades(first), shades(second)) == (2, [64, -127], [0, 32])
    (zeros,) = vector_cells(np.zeros((1, 3)))
    assert shades(zeros) == [0, 0, 0]


@pytest.mark.parametrize(("most", "places"), [(2, [1, 3]), (9, [0, 1, 2, 3])])
def test_the_strongest_keys_keep_the_order_of_the_text(most, places):
    assert strongest(np.array([0.1, 0.3, 0.2, 0.4]), most) == places
