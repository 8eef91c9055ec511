"""Figures of masks: reach, departure and growth."""

import numpy as np
import pytest

from viz.figures.masks import departure_figure, growth_figure, reach_figure
from viz.style.theme import GREY


def test_reach_is_drawn_unchanged_and_unreachable_cells_are_blank() -> None:
    needed = np.array([[0, 1, -1], [2, 0, 1], [-1, -1, 0]])
    (cells,) = reach_figure(needed, ["a", "a", "<b>"]).data
    np.testing.assert_array_equal(np.isnan(cells.z), needed < 0)
    np.testing.assert_array_equal(np.nan_to_num(cells.z), np.maximum(needed, 0))
    assert list(cells.text[0]) == ["0", "1", ""]
    assert list(cells.x) == ["a₁", "a₂", "&lt;b&gt;"]
    assert list(cells.colorbar.tickvals) == [0, 1, 2]
    with pytest.raises(ValueError, match=r"\(3, 3\).*2 tokens"):
        reach_figure(needed, ["a", "b"])


def test_departure_draws_the_mean_of_heads_and_one_minus_the_cosines() -> None:
    distances = np.array([[0.1, 0.3], [0.2, 0.6]])
    cosines = np.array([[1.0, 0.5, 0.9], [0.1, 0.2, 0.3]])
    points, weights, states = departure_figure(distances, cosines).data
    np.testing.assert_allclose(points.y, distances.ravel())
    assert list(points.customdata) == [0, 1, 0, 1]
    np.testing.assert_allclose(weights.y, [0.2, 0.4], rtol=1e-6)
    np.testing.assert_allclose(states.y, [0.2, 0.8], rtol=1e-6)


def test_growth_marks_the_readers_n_the_sentence_and_the_limit() -> None:
    lengths = np.array([10, 100, 1000])
    figure = growth_figure(
        lengths,
        {"full": [100, 10**4, 10**30], "<i>": [20, 200, 2000]},
        here=77,
        chosen="<i>",
        own=16,
        limit=(5000, "24 GB"),
    )
    full, other, here, own, limit = figure.data
    assert list(full.y) == [100, 10**4, 1e30]
    assert (full.line.width < other.line.width, other.name) == (True, "&lt;i&gt;")
    assert list(here.x) == [77, 77] and here.name == "n = 77"
    assert list(own.x) == [16, 16]
    assert list(limit.y) == [5000, 5000] and list(limit.x) == [10, 1000]
    assert {mark.line.color for mark in (here, own, limit)} == {GREY}
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert len(growth_figure(lengths, {"full": [1, 2, 3]}, here=5).data) == 2
