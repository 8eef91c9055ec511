import numpy as np

from tests.viz.figures.samples import holds
from viz.figures.norms import norm_heatmap

VALUES = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])


def test_the_values_are_drawn_unchanged_on_the_given_scale():
    figure = norm_heatmap(VALUES, ["A0", "<B>"], title="a <norm>")
    (heatmap,) = figure.data
    holds(heatmap.z, VALUES)
    assert list(heatmap.y) == ["A0", "&lt;B&gt;"] and list(heatmap.x) == ["0", "1", "2"]
    assert (heatmap.zmin, heatmap.zmax) == (-2.5, 2.5)
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.title.text == "a &lt;norm&gt;"
    assert not figure.layout.shapes


def test_averaged_cells_are_framed():
    (frame,) = norm_heatmap(VALUES, "ab", together=(0, 1, 2, 2)).layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (1.5, 2.5, -0.5, 1.5)
