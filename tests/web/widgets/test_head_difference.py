"""Differences of two runs."""

from unittest.mock import Mock

import numpy as np

from web.widgets.head_difference import RunPair


def test_a_cell_is_blank_only_if_both_masks_hide_it():
    first = np.array([[[1, 0, 0], [1, 1, 0], [1, 1, 1]]], dtype=bool)
    second = np.array([[[1, 1, 0], [1, 1, 0], [0, 1, 1]]], dtype=bool)
    views = (Mock(allowed=lambda: first), Mock(allowed=lambda: second))
    pairs = tuple((each, each) for each in range(3))
    allowed = RunPair(*views, pairs, ["a", "b", "c"], ("x", "y"), ("x", "y")).allowed()
    assert allowed.tolist() == [[[1, 1, 0], [1, 1, 0], [1, 1, 1]]]


def test_units_without_a_counterpart_have_no_change():
    view = Mock(units=["a", "b", "c"])
    runs = RunPair(view, view, ((0, 0), (2, 1)), ["a", "c"], ("x", "y"), ("x", "y"))
    assert runs.on_units(np.array([[1, 2, 3], [4, 5, 6]])).tolist() == [
        [1, 0, 2, 3],
        [0, 0, 0, 0],
        [4, 0, 5, 6],
    ]
