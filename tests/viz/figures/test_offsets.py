import numpy as np

from tests.viz.figures.samples import BAND, FIGURES, NAMES, OFFSETS, TABLE, holds
from viz.figures.offsets import matrix_heatmap, score_curve, slopes_chart
from viz.style.theme import SIDE_RGB, rgb, signed_scale


def test_a_table_is_drawn_as_a_mean_within_its_band():
    low, high, mean = traces = FIGURES["offsets"](side="right").data
    for trace, wanted in zip((mean, low, high), BAND, strict=True):
        holds(trace.y, wanted)
        np.testing.assert_array_equal(trace.x, OFFSETS)
    assert (low.fill, high.fill) == (None, "tonexty")
    assert high.fillcolor == "rgba({}, {}, {}, 0.18)".format(*SIDE_RGB["right"])
    assert mean.line.color == rgb("right")
    np.testing.assert_array_equal(mean.customdata, np.stack(BAND[1:], -1))
    assert [trace.showlegend for trace in traces] == [False, False, True]


def test_a_matrix_has_its_numbers_its_order_and_the_range_of_its_sign():
    figure = FIGURES["matrix"]()
    (cells,) = figure.data
    holds(cells.z, TABLE)
    assert (list(cells.y), list(cells.x)) == ([0, 1, 2, 3, 4], [0, 1, 2])
    assert (cells.zmin, cells.zmax) == (-2, 2)
    assert figure.layout.yaxis.autorange == "reversed"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("key", "query")
    assert "query <b>%{y}</b><br>key <b>%{x}</b><br>%{z:.6f}" in cells.hovertemplate
    for sign, ends in (("positive", (0, 2)), ("negative", (-2, 0))):
        cells = matrix_heatmap(TABLE, **NAMES, sign=sign).data[0]
        assert (cells.zmin, cells.zmax) == ends
        assert [list(stop) for stop in cells.colorscale] == signed_scale(sign)


def test_values_are_printed_if_they_fit_and_whole_numbers_without_decimals():
    for shape, number in (((16, 16), "−1.00"), ((17, 2), None), ((2, 17), None)):
        cells = matrix_heatmap(-np.ones(shape), **NAMES, text_colour="#123456").data[0]
        assert (cells.text[0][0] if cells.text else None) == number
        assert cells.textfont.color == "#123456"
    cells = matrix_heatmap(np.array([[0, 17], [1, 0]]), **NAMES).data[0]
    assert [list(row) for row in cells.text] == [["0", "17"], ["1", "0"]]
    assert "%{z:d}" in cells.hovertemplate


def test_points_of_the_rotated_encoding_lie_on_the_curve_of_its_target():
    line, points = FIGURES["shift"]().data
    holds(points.y, TABLE[:, 0])
    holds(line.y, TABLE[:, 1])
    assert (line.name, line.mode) == ("PE(pos + k)", "lines")
    assert (points.name, points.mode) == ("R<sub>k</sub> · PE(pos)", "markers")


def test_the_score_at_the_selected_offset_is_marked():
    figure = FIGURES["score"]()
    curve, point = figure.data
    holds(curve.y, BAND[0])
    np.testing.assert_array_equal(curve.x, OFFSETS)
    assert (list(point.x), list(point.y)) == ([2], [BAND[0][5]])
    (guide,) = figure.layout.shapes
    assert (guide.x0, guide.x1, guide.yref, guide.y0, guide.y1) == (2, 2, "paper", 0, 1)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("offset", "q · k")
    end = score_curve(OFFSETS, BAND[0], 3, x_title="", y_title="")
    assert list(end.data[1].x) == [3] and end.layout.xaxis.range[1] > 3


def test_slopes_are_points_on_a_log_axis_of_powers_of_two():
    figure = FIGURES["slopes"]()
    (points,) = figure.data
    holds(points.y, [0.5, 0.25, 1 / 256])
    assert points.mode == "markers" and list(points.x) == [0, 1, 2]
    axis = figure.layout.yaxis
    assert axis.type == "log"
    assert 10 ** axis.range[0] < 1 / 256 and 0.5 < 10 ** axis.range[1] < 1
    for value, text in zip(axis.tickvals, axis.ticktext, strict=True):
        assert text == f"1/{1 / value:.0f}"
    axis = slopes_chart(np.array([1, 2.0**-30])).layout.yaxis
    assert axis.ticktext[:2] == ("1/1073741824", "1/67108864") and len(axis.tickvals) <= 10
    assert slopes_chart(np.array([1.0])).layout.yaxis.ticktext == ("1",)
