"""How much of two long captures is compared: by counting what is."""

import numpy as np
import pytest

from model.analysis.distances import rows_apart, shared_heads


@pytest.mark.parametrize("n_keys", [1, 7, 30, 31, 64, 129])
@pytest.mark.parametrize("n_heads", [6, 11])
def test_no_more_rows_are_compared_than_may_be_and_no_fewer_than_need_be(n_heads, n_keys):
    most, weights = 40_000, np.zeros((1, n_heads, n_keys, n_keys))

    def compared(every: int) -> int:
        _heads, rows, keys = shared_heads(weights, range(n_keys), every).shape
        return n_heads**2 * rows * keys

    every = rows_apart(n_heads**2, n_keys, most)
    one_row = n_heads**2 * n_keys  # the last row of a stretch counts whole
    assert compared(every) < most + one_row
    assert every == 1 or n_heads**2 * n_keys**2 / (every - 1) > most


def test_what_may_be_compared_whole_is():
    assert rows_apart(4, 10, 400) == 1
    assert rows_apart(4, 10, 399) == 2
    assert rows_apart(1, 1, 10**9) == 1
