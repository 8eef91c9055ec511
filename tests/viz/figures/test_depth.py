import math

import numpy as np
import pytest

from viz.figures.depth import divergence_heatmap, profile_figure
from viz.style.theme import GREY, rgb

NAMES = {"left": "ours", "right": "theirs"}


def test_a_profile_shows_every_head_and_the_mean_of_each_layer() -> None:
    measured = {"left": np.array([[1.0, 3.0], [2.0, 2.5], [0.0, 1.0]])}
    figure = profile_figure(measured, NAMES, title="Entropy", unit="nats", layer=2)
    heads, mean = figure.data
    assert list(heads.y) == [1.0, 3.0, 2.0, 2.5, 0.0, 1.0]
    assert list(heads.x) == [0, 0, 1, 1, 2, 2] and list(heads.customdata) == [0, 1] * 3
    assert list(mean.y) == [2.0, 2.25, 0.5] and mean.name == "ours"
    assert figure.layout.yaxis.title.text == "nats" and figure.layout.shapes[0].x0 == 2
    assert list(figure.layout.xaxis.ticktext) == ["L0", "L1", "L2"]


def test_sides_differ_in_hue_and_dash_and_the_longer_model_sets_the_axis() -> None:
    measured = {"left": np.ones((2, 3)), "right": np.full((4, 2), 2.0)}
    figure = profile_figure(measured, NAMES, title="Entropy", unit="nats", published=[1, 2, 3])
    published, _, left, _, right = figure.data
    assert list(published.y) == [1, 2, 3] and published.line.color == GREY
    assert (left.line.color, left.line.dash) == (rgb("left"), "solid")
    assert (right.line.color, right.line.dash) == (rgb("right"), "dash")
    assert list(figure.layout.xaxis.tickvals) == [0, 1, 2, 3]


def test_equal_ceilings_are_one_grey_line() -> None:
    measured = {"left": np.ones((2, 3)), "right": np.ones((3, 3))}
    ceilings = {"left": np.full(2, 2.5), "right": np.full(3, 2.5)}
    equal = profile_figure(measured, NAMES, title="", unit="", ceilings=ceilings).data[0]
    assert (list(equal.x), list(equal.y), equal.line.color) == ([0, 2], [2.5, 2.5], GREY)
    ceilings["right"] = np.array([2.5, 2.0, 1.5])
    first, second = profile_figure(measured, NAMES, title="", unit="", ceilings=ceilings).data[:2]
    assert (first.line.color, second.line.color) == (rgb("left"), rgb("right"))
    assert list(second.y) == [2.5, 2.0, 1.5]


def test_distances_have_the_largest_divergence_as_their_range() -> None:
    distances = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    figure = divergence_heatmap(distances, ["a", "b"], ["c", "d", "e"], row_title="ours")
    assert np.asarray(figure.data[0].z) == pytest.approx(distances, rel=1e-6)
    assert figure.data[0].zmin == 0
    assert figure.data[0].zmax == pytest.approx(math.sqrt(math.log(2)))
    assert "ours" in figure.layout.yaxis.title.text
