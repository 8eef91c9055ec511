import numpy as np

from tests.viz.figures.samples import holds
from viz.figures.stream import stream_heatmap

RANDOM = np.random.default_rng(0)
VALUES = RANDOM.uniform(0.1, 4, size=(2, 3)).astype(np.float32)
TOKENS = ["a", "<b>", "a"]


def test_the_heatmap_is_drawn_unchanged_with_the_first_layer_on_top():
    figure = stream_heatmap(VALUES, TOKENS, quantity="‖x‖", side="left", top=9.5)
    (heatmap,) = figure.data
    holds(heatmap.z, VALUES)
    assert list(heatmap.y) == ["L0", "L1"] and figure.layout.yaxis.autorange == "reversed"
    assert list(heatmap.x) == ["a₁", "&lt;b&gt;", "a₂"]
    assert (heatmap.zmin, heatmap.zmax) == (0, 9.5)
    assert heatmap.texttemplate == "%{z:.2f}" and figure.layout.height > 150
    assert stream_heatmap(VALUES, TOKENS).data[0].zmax == VALUES.max()


def test_colours_can_be_logarithmic_without_a_change_of_the_numbers():
    (heatmap,) = stream_heatmap(np.array([[1.0, 10.0, 100.0]]), TOKENS, top=100, low=1).data
    holds(heatmap.z, [[1, 10, 100]])
    opacity = {stop: float(shade.split(",")[-1].strip(" )")) for stop, shade in heatmap.colorscale}
    assert opacity[0.0] == opacity[0.01] == 0 and opacity[1.0] == 1
    assert opacity[0.1] == 0.5  # the geometric mean of the smallest and the largest
    assert list(opacity) == sorted(opacity)
