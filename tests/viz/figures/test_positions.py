import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tests.viz.figures.samples import FIGURES, SQUARE, TABLE, holds
from viz.figures.positions import encoding_heatmap, strided, wavelength_chart
from viz.style.theme import HEAD_COLOURS, rgb


@given(length=st.integers(1, 5000), limit=st.integers(1, 600))
@example(length=30, limit=30)
def test_the_stride_is_the_smallest_that_gives_at_most_the_limit(length, limit):
    kept = strided(length, limit)
    assert kept[0] == 0 and kept[-1] < length and len(kept) <= limit
    stride = int(kept[1]) if len(kept) > 1 else length
    assert set(np.diff(kept)) <= {stride}
    assert kept[-1] + stride >= length  # reaches the end
    if stride > 1 and len(kept) > 1:
        assert len(range(0, length, stride - 1)) > limit


def test_the_encoding_is_drawn_unchanged_with_position_0_on_top():
    figure = FIGURES["encoding"]()
    (cells,) = figure.data
    holds(cells.z, TABLE)
    assert (list(cells.y), list(cells.x)) == ([0, 2, 4, 6, 8], [0, 3, 6])
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.xaxis.autorange is None
    assert (cells.zmin, cells.zmax) == (-1.5, 1.5)
    assert figure.layout.yaxis.title.text == "position"
    assert figure.layout.xaxis.title.text == "dimension"
    assert cells.hovertemplate.startswith("position %{y:d}<br>dimension %{x:d}<br>%{z:.6f}")
    zeros = encoding_heatmap(np.zeros((2, 3)), rows=range(2), columns=range(3), top=0.0).data[0]
    assert (zeros.zmin, zeros.zmax) == (-1.0, 1.0)  # a range is never empty


def test_each_dimension_is_a_curve_in_its_colour():
    curves = FIGURES["dimensions"]().data
    assert [curve.name for curve in curves] == ["dim 0", "dim 4", "dim 7"]
    for curve, column, colour in zip(curves, TABLE.T, HEAD_COLOURS, strict=False):
        holds(curve.y, column)
        assert list(curve.x) == [0, 1, 2, 3, 4]
        assert curve.line.color == colour


def test_wavelengths_have_a_log_axis_a_guide_and_the_selected_pair():
    figure = FIGURES["wavelengths"]()
    curve, point = figure.data
    holds(curve.y, [6.3, 20, 63])
    assert list(curve.x) == [0, 1, 2]
    assert (list(point.x), list(point.y)) == ([1], [20])
    assert point.marker.color == rgb("left") != curve.marker.color
    (guide,) = figure.layout.shapes
    assert (guide.y0, guide.y1, guide.xref, guide.x0, guide.x1) == (50, 50, "paper", 0, 1)
    assert guide.layer == "above"  # 100 positions coincide with a line of the grid
    assert guide.label.text == "50 positions"
    axis = figure.layout.yaxis
    assert axis.type == "log"
    assert 10 ** axis.range[0] < 6.3 and 63 < 10 ** axis.range[1] < 200
    for length, anchor in ((1, "top"), (100_000, "bottom")):  # the name does not cover the curve
        layout = wavelength_chart(np.array([6.3, 63.0]), length, 0).layout
        low, high = (10**end for end in layout.yaxis.range)
        assert low < length < high and layout.shapes[0].label.yanchor == anchor


def test_similarities_keep_their_places_on_numeric_axes():
    figure = FIGURES["similarity"]()
    (cells,) = figure.data
    holds(cells.z, SQUARE)
    assert list(cells.x) == list(cells.y) == [0, 2, 4, 6]
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.xaxis.autorange is None
    assert (cells.zmin, cells.zmax) == (-1, 1)
    assert "%{y:d} · position %{x:d}<br>%{z:.6f}" in cells.hovertemplate
