"""Figures of position encodings: exactly the arrays given, signs apart, position 0 on top."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz.style.test_theme import distance
from viz.figures.positions import (
    MAX_COLUMNS,
    MAX_ROWS,
    components_plot,
    dimension_curves,
    encoding_heatmap,
    matrix_heatmap,
    offset_curve,
    score_curve,
    shift_overlay,
    similarity_heatmap,
    slopes_chart,
    strided,
    wavelength_chart,
)
from viz.style.theme import HEAD_COLOURS, SIDE_RGB, diverging_scale, position_scale, rgb

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.normal(size=(5, 3)).astype(np.float32)
SQUARE = RANDOM.uniform(-1, 1, size=(4, 4)).astype(np.float32)
OFFSETS = np.arange(-3, 4)
BAND = tuple(RANDOM.normal(size=(3, 7)).astype(np.float32))
OTHER = tuple(RANDOM.normal(size=(3, 7)).astype(np.float32))
NAMES = {"x_title": "key", "y_title": "query", "top": 2.0, "printed": True}

FIGURES = {
    "encoding": lambda **k: encoding_heatmap(
        TABLE, rows=[0, 2, 4, 6, 8], columns=[0, 3, 6], top=1.5, **k
    ),
    "dimensions": lambda **k: dimension_curves(TABLE, [0, 4, 7], **k),
    "wavelengths": lambda **k: wavelength_chart(np.array([6.3, 20.0, 63.0]), 50, 1, **k),
    "similarity": lambda **k: similarity_heatmap(SQUARE, [0, 2, 4, 6], **k),
    "offsets": lambda **k: offset_curve(OFFSETS, {"a": BAND, "b": OTHER}, y_title="cosine", **k),
    "components": lambda **k: components_plot(TABLE[:, :2], [0.625, 0.125], **k),
    "matrix": lambda **k: matrix_heatmap(TABLE, rows=range(5), columns=range(3), **NAMES, **k),
    "shift": lambda **k: shift_overlay(TABLE[:, 0], TABLE[:, 1], **k),
    "score": lambda **k: score_curve(OFFSETS, BAND[0], 2, x_title="offset", y_title="q · k", **k),
    "slopes": lambda **k: slopes_chart(np.array([0.5, 0.25, 1 / 256]), **k),
}
UNTITLED = {"wavelengths", "slopes"}  # their titles are their own
SUBTITLED = {"encoding", "dimensions", "similarity", "components", "score"}
every_figure = pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)


def holds(drawn, wanted) -> None:
    assert isinstance(drawn, np.ndarray) and drawn.dtype == np.float32
    np.testing.assert_array_equal(drawn, np.asarray(wanted, dtype=np.float32))


@given(length=st.integers(1, 5000), limit=st.integers(1, 600))
def test_a_stride_keeps_at_most_the_limit_and_no_smaller_one_would(length, limit):
    kept = strided(length, limit)
    assert kept[0] == 0 and kept[-1] < length and len(kept) <= limit
    stride = int(kept[1]) if len(kept) > 1 else length
    assert set(np.diff(kept)) <= {stride}
    assert kept[-1] + stride >= length  # up to the end
    if stride > 1 and len(kept) > 1:
        assert len(range(0, length, stride - 1)) > limit


@given(length=st.integers(1, 5000))
def test_what_fits_is_kept_whole(length):
    np.testing.assert_array_equal(strided(length, length), np.arange(length))


@pytest.mark.parametrize(("length", "limit"), [(0, 5), (5, 0)])
def test_a_stride_through_nothing_is_refused(length, limit):
    with pytest.raises(ValueError, match=rf"{length}.*{limit}"):
        strided(length, limit)


def test_the_encoding_is_drawn_as_given_with_position_0_on_top():
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


@pytest.mark.parametrize("top", [0, 0.0])
def test_zeros_are_drawn_on_a_range_that_is_not_empty(top):
    cells = encoding_heatmap(np.zeros((2, 3)), rows=range(2), columns=range(3), top=top).data[0]
    assert (cells.zmin, cells.zmax) == (-1.0, 1.0)


def test_the_largest_heatmap_stays_small_on_the_wire():
    table = RANDOM.normal(size=(MAX_ROWS, MAX_COLUMNS))
    rows, columns = strided(512, MAX_ROWS), strided(768, MAX_COLUMNS)
    assert len(encoding_heatmap(table, rows=rows, columns=columns, top=3).to_json()) < 700_000


def test_every_dimension_is_a_curve_of_its_colour():
    curves = FIGURES["dimensions"]().data
    assert [curve.name for curve in curves] == ["dim 0", "dim 4", "dim 7"]
    for curve, column, colour in zip(curves, TABLE.T, HEAD_COLOURS, strict=False):
        holds(curve.y, column)
        assert list(curve.x) == [0, 1, 2, 3, 4]
        assert curve.line.color == colour


def test_there_are_at_most_as_many_curves_as_colours():
    dimension_curves(np.zeros((2, 12)), range(12))
    with pytest.raises(ValueError, match=r"13 .*12 colours"):
        dimension_curves(np.zeros((2, 13)), range(13))


def test_wavelengths_stand_on_a_log_axis_with_a_guide_and_the_chosen_pair():
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


@pytest.mark.parametrize("length", [1, 100_000])
def test_the_guide_is_within_the_range_and_its_name_off_the_curve(length):
    layout = wavelength_chart(np.array([6.3, 63.0]), length, None).layout
    low, high = (10**end for end in layout.yaxis.range)
    assert low < length < high
    assert layout.shapes[0].label.yanchor == ("top" if length < 6.3 else "bottom")


def test_no_pair_need_be_chosen_but_one_that_is_must_exist():
    assert len(wavelength_chart(np.ones(3), 9, None).data) == 1
    for pair in (-1, 3):
        with pytest.raises(ValueError, match=rf"pair {pair} among 3"):
            wavelength_chart(np.ones(3), 9, pair)


def test_similarities_keep_their_places_on_numeric_axes():
    figure = FIGURES["similarity"]()
    (cells,) = figure.data
    holds(cells.z, SQUARE)
    assert list(cells.x) == list(cells.y) == [0, 2, 4, 6]
    assert figure.layout.xaxis.type is figure.layout.yaxis.type is None
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.xaxis.autorange is None
    assert (cells.zmin, cells.zmax) == (-1, 1)
    assert "%{y:d} · position %{x:d}<br>%{z:.6f}" in cells.hovertemplate


def test_every_table_is_a_mean_within_its_band():
    traces = FIGURES["offsets"]().data
    for number, (values, side) in enumerate(((BAND, "left"), (OTHER, "right"))):
        low, high, mean = traces[3 * number : 3 * number + 3]
        for trace, wanted in zip((mean, low, high), values, strict=True):
            holds(trace.y, wanted)
            np.testing.assert_array_equal(trace.x, OFFSETS)
            assert trace.legendgroup == str(number)
        assert (low.fill, high.fill) == (None, "tonexty")
        assert high.fillcolor == "rgba({}, {}, {}, 0.18)".format(*SIDE_RGB[side])
        assert mean.line.color == rgb(side)
        np.testing.assert_array_equal(mean.customdata, np.stack(values[1:], -1))
        assert [trace.showlegend for trace in (low, high, mean)] == [False, False, True]


def test_further_tables_have_further_colours():
    names = "abcde"
    means = offset_curve(OFFSETS, dict.fromkeys(names, BAND), y_title="").data[2::3]
    assert [trace.name for trace in means] == list(names)
    colours = [trace.line.color for trace in means]
    assert colours == [rgb("left"), rgb("right"), *HEAD_COLOURS[2:5]]


def test_components_are_joined_in_order_and_coloured_by_position():
    figure = FIGURES["components"]()
    (points,) = figure.data
    holds(points.x, TABLE[:, 0])
    holds(points.y, TABLE[:, 1])
    assert points.mode == "lines+markers" and points.line.width == 1
    assert list(points.marker.color) == [0, 1, 2, 3, 4]
    assert (points.marker.cmin, points.marker.cmax) == (0, 4)
    assert "62.5 %" in figure.layout.xaxis.title.text
    assert "12.5 %" in figure.layout.yaxis.title.text
    assert figure.layout.yaxis.scaleanchor == "x"  # a circle is seen as one
    assert "position %{marker.color:d}" in points.hovertemplate


def test_one_position_has_a_colour_range_too():
    marker = components_plot(np.ones((1, 2)), [1, 0]).data[0].marker
    assert marker.cmin < marker.cmax


def test_a_matrix_keeps_its_numbers_its_order_and_a_symmetric_range():
    figure = FIGURES["matrix"]()
    (cells,) = figure.data
    holds(cells.z, TABLE)
    assert (list(cells.y), list(cells.x)) == ([0, 1, 2, 3, 4], [0, 1, 2])
    assert (cells.zmin, cells.zmax) == (-2, 2)
    assert figure.layout.yaxis.autorange == "reversed"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("key", "query")
    assert "query <b>%{y}</b><br>key <b>%{x}</b><br>%{z:.6f}" in cells.hovertemplate


@pytest.mark.parametrize(
    ("shape", "printed", "template"),
    [
        ((16, 16), True, "%{z:.2f}"),
        ((16, 16), False, None),
        ((17, 2), True, None),
        ((2, 17), True, None),
    ],
)
def test_values_are_printed_where_asked_and_where_they_fit(shape, printed, template):
    rows, columns = map(range, shape)
    settings = {**NAMES, "printed": printed, "text_colour": "#123456"}
    cells = matrix_heatmap(np.ones(shape), rows=rows, columns=columns, **settings).data[0]
    assert cells.texttemplate == template
    assert cells.textfont.color == "#123456"


def test_whole_numbers_have_no_decimals():
    buckets = np.array([[0, 17], [1, 0]])
    cells = matrix_heatmap(buckets, rows=range(2), columns=range(2), **NAMES).data[0]
    assert cells.texttemplate == "%{z:d}"
    assert "%{z:d}" in cells.hovertemplate
    holds(cells.z, buckets)


def test_tokens_on_the_axes_stay_distinct_and_literal():
    tokens = ["the", "<b>", "the"]
    figure = matrix_heatmap(SQUARE[:3, :3], rows=tokens, columns=tokens, **NAMES)
    assert figure.data[0].x == figure.data[0].y == ("the₁", "&lt;b&gt;", "the₂")
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "category"
    assert figure.layout.margin.autoexpand is False


def test_room_is_found_for_a_word_longer_than_any_margin():
    layout = matrix_heatmap(np.ones((1, 1)), rows=["a" * 40], columns=[0], **NAMES).layout
    assert layout.margin.autoexpand is layout.yaxis.automargin is True
    assert layout.xaxis.automargin is False


def test_the_rotated_encoding_lies_as_points_on_the_line_of_its_target():
    line, points = FIGURES["shift"]().data
    holds(points.y, TABLE[:, 0])
    holds(line.y, TABLE[:, 1])
    assert (line.name, line.mode) == ("PE(pos + k)", "lines")
    assert (points.name, points.mode) == ("R<sub>k</sub> · PE(pos)", "markers")


def test_a_score_is_marked_where_the_reader_stands():
    figure = FIGURES["score"]()
    curve, point = figure.data
    holds(curve.y, BAND[0])
    np.testing.assert_array_equal(curve.x, OFFSETS)
    assert (list(point.x), list(point.y)) == ([2], [BAND[0][5]])
    (guide,) = figure.layout.shapes
    assert (guide.x0, guide.x1, guide.yref, guide.y0, guide.y1) == (2, 2, "paper", 0, 1)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("offset", "q · k")


@pytest.mark.parametrize("end", [-3, 3])
def test_the_ends_can_be_marked(end):
    figure = score_curve(OFFSETS, BAND[0], end, x_title="", y_title="")
    assert list(figure.data[1].x) == [end]
    low, high = figure.layout.xaxis.range
    assert low < end < high


def test_between_two_offsets_the_guide_stands_alone():
    figure = score_curve([-4, 0, 4], np.ones(3), 2, x_title="", y_title="")
    assert len(figure.data) == 1 and figure.layout.shapes[0].x0 == 2


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


def test_the_axis_of_slopes_has_at_most_ten_ticks_and_may_hold_a_single_head():
    assert slopes_chart(np.array([1, 2.0**-30])).layout.yaxis.ticktext[:2] == (
        "1/1073741824",
        "1/67108864",
    )
    assert len(slopes_chart(np.array([1, 2.0**-30])).layout.yaxis.tickvals) <= 10
    assert slopes_chart(np.array([1.0])).layout.yaxis.ticktext == ("1",)


WRONG = {
    r"\(5, 3\).* 4 rows and 3 ": lambda: encoding_heatmap(
        TABLE, rows=range(4), columns=range(3), top=1
    ),
    r"\(5, 3\).* 5 rows and 2 ": lambda: matrix_heatmap(
        TABLE, rows=range(5), columns=range(2), **NAMES
    ),
    r"\(5, 3\).* 2 dimensions": lambda: dimension_curves(TABLE, [0, 1]),
    r"\(4, 4\).* 5 rows": lambda: similarity_heatmap(SQUARE, range(5)),
    r"\(6,\).* 7 offsets": lambda: offset_curve(
        OFFSETS, {"a": (BAND[0], BAND[1], BAND[2][1:])}, y_title=""
    ),
    r"\(5, 3\).* 2, ": lambda: components_plot(TABLE, [0.5, 0.5]),
    r"\(5, 2\).* 3, ": lambda: components_plot(TABLE[:, :2], [0.5, 0.3, 0.2]),
    r"\(4,\).*\(5,\)": lambda: shift_overlay(TABLE[1:, 0], TABLE[:, 0]),
    r"\(6,\).* 7 ": lambda: score_curve(OFFSETS, BAND[0][1:], 0, x_title="", y_title=""),
    r"4 is not within -3 to 3": lambda: score_curve(OFFSETS, BAND[0], 4, x_title="", y_title=""),
}


@pytest.mark.parametrize("message", WRONG)
def test_sizes_that_do_not_match_are_refused_with_both_numbers(message):
    with pytest.raises(ValueError, match=message):
        WRONG[message]()


@every_figure
def test_margins_are_fixed_and_the_page_shines_through(make):
    layout = make().layout
    assert layout.margin.autoexpand is False
    assert layout.xaxis.automargin is layout.yaxis.automargin is False
    assert layout.paper_bgcolor is layout.plot_bgcolor is None
    assert layout.margin.l + layout.margin.r < 150  # of a phone's 390
    assert layout.margin.t + layout.margin.b < layout.height / 2


@every_figure
def test_axes_and_colour_bars_say_what_they_measure(make):
    figure = make()
    assert figure.layout.xaxis.title.text and figure.layout.yaxis.title.text
    for trace in figure.data:
        if trace.type == "heatmap":
            assert trace.colorbar.title.text
            assert trace.zmin == -trace.zmax
            assert [list(stop) for stop in trace.colorscale] == diverging_scale()
        elif trace.marker.showscale is not None or trace.marker.colorscale:
            assert trace.marker.colorbar.title.text == "position"


@every_figure
def test_hovering_gives_values_exactly(make):
    for trace in make().data:
        if trace.hoverinfo != "skip":
            assert ".6f}" in trace.hovertemplate or "%{y:.6g}" in trace.hovertemplate


@every_figure
def test_no_array_travels_as_nested_lists(make):
    for trace in json.loads(make().to_json())["data"]:
        for key in ("z", "y"):
            packed = isinstance(trace.get(key, {}), dict)
            assert packed or trace["type"] == "heatmap" or len(trace[key]) == 1, key
        assert isinstance(trace.get("z", {}), dict)


@pytest.mark.parametrize("name", sorted(FIGURES.keys() - UNTITLED))
def test_titles_are_printed_and_not_obeyed(name):
    texts = {"title": "<b>&amp;"} | ({"subtitle": "<i>"} if name in SUBTITLED else {})
    title = FIGURES[name](**texts).layout.title
    assert title.text == "&lt;b&gt;&amp;amp;"
    assert title.subtitle.text == ("&lt;i&gt;" if name in SUBTITLED else "")


def test_names_of_tables_are_printed_and_not_obeyed():
    mean = offset_curve(OFFSETS, {"<b>%{x}": BAND}, y_title="").data[2]
    assert mean.name == "&lt;b&gt;%{x}"
    assert mean.hovertemplate.endswith("<extra>%{fullData.name}</extra>")


WORDS = {
    "encoding": {"position", "dimension", "value"},
    "dimensions": {"position", "value", "dim {number}"},
    "wavelengths": {
        "Wavelengths",
        "pair of dimensions",
        "wavelength",
        "positions",
        "wavelength (positions)",
        "{n} positions",
    },
    "similarity": {"position", "cosine similarity"},
    "offsets": {"offset", "offset (tokens)"},
    "components": {"position", "component {number} ({share} of the variance)"},
    "matrix": {"value"},
    "shift": {"dimension", "value"},
    "score": {"offset"},
    "slopes": {"Slopes", "head", "slope", "slope (per token of distance)"},
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_word_can_be_translated(name):
    said = []
    FIGURES[name](translate=lambda text: said.append(text) or text)
    assert set(said) == WORDS[name]
    marked = FIGURES[name](translate=lambda text: f"§{text}").to_plotly_json()
    printed = json.dumps(marked, default=str, ensure_ascii=False)
    for word in said:  # and what is answered is printed
        assert "§" + word.split("{")[0] in printed


def colour_at(scale, value: float) -> np.ndarray:
    stops = [stop for stop, _ in scale]
    parts = [[float(part) for part in css[5:-1].split(",")] for _, css in scale]
    return np.array([np.interp(value, stops, channel) for channel in zip(*parts, strict=True)])


def test_signs_have_the_two_hues_and_zero_has_none():
    scale = diverging_scale()
    assert [stop for stop, _ in scale] == [0, 0.5, 0.5, 1]
    np.testing.assert_allclose(colour_at(scale, 0.25), [*SIDE_RGB["left"], 0.5])
    np.testing.assert_allclose(colour_at(scale, 0.75), [*SIDE_RGB["right"], 0.5])
    assert {css.rsplit(",", 1)[1] for stop, css in scale if stop == 0.5} == {" 0)"}


@pytest.mark.parametrize("paper", [(255, 255, 255), (11, 13, 24)])
def test_positions_stand_out_on_a_light_and_on_a_dark_page(paper):
    colours = [tuple(bytes.fromhex(css[1:])) for _, css in position_scale()]
    assert min(distance(colour, paper, "normal") for colour in colours) > 40


@pytest.mark.parametrize("vision", ["normal", "protanopia", "deuteranopia", "tritanopia"])
def test_first_middle_and_last_positions_are_told_apart_with_any_colour_vision(vision):
    first, middle, last = (tuple(bytes.fromhex(css[1:])) for _, css in position_scale())
    assert distance(first, last, vision) > 50
    assert min(distance(first, middle, vision), distance(middle, last, vision)) > 20
