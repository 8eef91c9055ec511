import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tests.viz.figures.samples import FIGURES, NAMES, TABLE, holds
from viz.figures.positions import encoding_heatmap, matrix_heatmap, strided, wavelength_chart
from viz.style.theme import HEAD_COLOURS, rgb, signed_scale


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
    assert figure.layout.xaxis.title.text == "column"
    assert cells.hovertemplate.startswith("position %{y:d}<br>column %{x:d}<br>%{z:.6f}")
    zeros = encoding_heatmap(np.zeros((2, 3)), rows=range(2), columns=range(3), top=0.0).data[0]
    assert (zeros.zmin, zeros.zmax) == (-1.0, 1.0)  # a range is never empty


def test_each_dimension_is_a_curve_in_its_colour():
    curves = FIGURES["dimensions"]().data
    assert [curve.name for curve in curves] == ["column 0", "column 4", "column 7"]
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
    assert guide.label.text == "50 positions: the first picture"
    axis = figure.layout.yaxis
    assert axis.type == "log"
    assert 10 ** axis.range[0] < 6.3 and 63 < 10 ** axis.range[1] < 200
    for length, anchor in ((1, "top"), (100_000, "bottom")):  # the name does not cover the curve
        layout = wavelength_chart(np.array([6.3, 63.0]), length, 0).layout
        low, high = (10**end for end in layout.yaxis.range)
        assert low < length < high and layout.shapes[0].label.yanchor == anchor


def test_a_square_has_its_numbers_its_order_and_the_range_of_its_sign():
    figure = FIGURES["matrix"]()
    (cells,) = figure.data
    holds(cells.z, TABLE)
    assert (list(cells.y), list(cells.x)) == ([0, 1, 2, 3, 4], [0, 1, 2])
    assert (cells.zmin, cells.zmax) == (-2, 2)
    assert figure.layout.yaxis.autorange == "reversed"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("key", "query")
    assert "query <b>%{y}</b><br>key <b>%{x}</b><br>%{z:.6f}" in cells.hovertemplate
    whole = matrix_heatmap(np.array([[0, 17], [1, 0]]), **NAMES).data[0]
    assert "%{z:d}" in whole.hovertemplate
    cells = matrix_heatmap(TABLE, **NAMES, sign="negative").data[0]
    assert (cells.zmin, cells.zmax) == (-2, 0)
    assert [list(stop) for stop in cells.colorscale] == signed_scale("negative")
