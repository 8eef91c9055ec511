import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz import attention_heatmap, difference_heatmap
from viz.style.theme import HIDDEN, SIDE_RGB, SIGN_RGB, colour_scale

TOKENS = ("the", "cat", "saw", "the", "dog")
KEYS = tuple("tuvwxyz")


def weights(n_queries: int = 5, n_keys: int = 5) -> np.ndarray:
    raw = np.random.default_rng(0).random((n_queries, n_keys), dtype=np.float32)
    return raw / raw.sum(axis=1, keepdims=True)


def test_rows_are_queries_from_top_to_bottom_and_hold_the_weights_unchanged():
    given_weights = weights(2, 3)
    figure = attention_heatmap(given_weights, ["attends", "too"], ["is read", "also", "so"])
    (drawn,) = figure.data
    assert drawn.z.dtype == np.float32
    np.testing.assert_array_equal(drawn.z, given_weights)
    assert (drawn.y, drawn.x) == (("attends", "too"), ("is read", "also", "so"))
    assert figure.layout.yaxis.autorange == "reversed"  # first row on top
    assert "query" in figure.layout.yaxis.title.text
    assert "key" in figure.layout.xaxis.title.text
    template = drawn.hovertemplate
    assert template.index("%{y}") < template.index("→") < template.index("%{x}")
    assert "%{z:.6f}" in template


def test_labels_are_distinct_escaped_and_shortened_on_their_axis():
    tokens = ["the", "the₁", "the", "the₁′", "the₁"]
    figure = attention_heatmap(weights(), tokens)
    assert len(set(figure.data[0].y)) == len(set(figure.data[0].x)) == 5
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "category"
    figure = attention_heatmap(weights(1, 1), ["<b>&amp;"], title="<a>", subtitle="<i>")
    assert figure.data[0].y == figure.data[0].x == ("&lt;b&gt;&amp;amp;",)
    assert figure.layout.title.text == "&lt;a&gt;"
    assert figure.layout.title.subtitle.text == "&lt;i&gt;"
    long = "Donaudampfschifffahrtsgesellschaft"
    figure = attention_heatmap(weights(2, 2), [long, "is"])
    assert figure.data[0].y == (long, "is")
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.labelalias == {long: "Donaudampfschifff…"} and axis.automargin is False


def test_tokens_that_do_not_match_are_refused_with_both_numbers():
    for n_queries, n_keys in ((4, 5), (5, 4)):
        with pytest.raises(ValueError, match=rf"\(5, 5\).*{n_queries} query and {n_keys} key"):
            attention_heatmap(weights(), ["a"] * n_queries, ["a"] * n_keys)


def opacity(scale, value: float) -> float:
    stops = [(stop, float(colour.rstrip(")").split(",")[3])) for stop, colour in scale]
    return float(np.interp(value, *zip(*stops, strict=True)))


@given(value=st.floats(0, 1), sqrt=st.booleans(), side=st.sampled_from(["left", "right"]))
def test_opacity_follows_the_weight_or_its_square_root(value, sqrt, side):
    scale = colour_scale(side, sqrt=sqrt)
    # Plotly interpolates between the stops; near 0 the root's error is largest.
    wanted = value**0.5 if sqrt else value
    assert opacity(scale, value) == pytest.approx(wanted, abs=0.05)
    hue = "rgba({}, {}, {},".format(*SIDE_RGB[side])
    assert all(colour.startswith(hue) for _, colour in scale)


def test_the_square_root_and_a_range_change_only_colours():
    plain = attention_heatmap(weights(), TOKENS).data[0]
    other = attention_heatmap(weights(), TOKENS, sqrt=True, value_range=(0.0, 0.25)).data[0]
    np.testing.assert_array_equal(plain.z, other.z)
    assert (plain.zmin, plain.zmax, plain.showscale) == (0, 1, False)
    assert (other.zmin, other.zmax, other.showscale) == (0, 0.25, True)
    assert opacity(other.colorscale, 0.25) == pytest.approx(0.5, abs=0.01)


def test_numbers_in_cells_are_legible_and_from_a_hundredth_on():
    assert attention_heatmap(weights(20, 20), ["a"] * 20).data[0].texttemplate == "%{text}"
    assert attention_heatmap(weights(21, 21), ["a"] * 21).data[0].texttemplate is None
    faint = np.array([[0.9901, 0.0099], [0.004, 0.996]], np.float32)
    drawn = attention_heatmap(faint, ["a", "b"]).data[0]
    assert [list(row) for row in drawn.text] == [[".99", ""], ["", "1.0"]]
    edge = attention_heatmap(np.array([[0.99, 0.01]]), ["a"], ["b", "c"]).data[0]
    assert list(edge.text[0]) == [".99", ".01"]
    moved = difference_heatmap(np.array([[-0.5, 1], [0, -0.998]]), ["a", "b"], ["a", "b"]).data[0]
    assert [list(row) for row in moved.text] == [["−.50", "+1.0"], ["", "−1.0"]]


def boxes(figure) -> set[tuple[float, float, float, float]]:
    return {(s.x0, s.x1, s.y0, s.y1) for s in figure.layout.shapes if s.type == "rect"}


def test_a_picked_token_frames_its_row_and_column_and_dims_all_other_cells():
    figure = attention_heatmap(weights(), TOKENS, picked=[1], paper_colour="pink")
    assert boxes(figure) == {(-0.5, 4.5, 0.5, 1.5), (0.5, 1.5, -0.5, 4.5)}
    (veil,) = (shape for shape in figure.layout.shapes if shape.type == "path")
    assert veil.path == (
        "M-0.5,-0.5H0.5V0.5H-0.5ZM1.5,-0.5H4.5V0.5H1.5ZM-0.5,1.5H0.5V4.5H-0.5ZM1.5,1.5H4.5V4.5H1.5Z"
    )
    assert veil.fillcolor == "pink"
    assert veil.opacity < 0.5  # on a dark page, a dimmed cell stays visible
    every = attention_heatmap(weights(), TOKENS, picked=range(5)).layout.shapes
    assert [shape.type for shape in every] == ["rect"] * 10
    assert attention_heatmap(weights(), TOKENS).layout.shapes == ()
    # A key with the same index as a picked query is another token.
    other = attention_heatmap(weights(5, 7), TOKENS, KEYS, picked=[1])
    assert boxes(other) == {(-0.5, 6.5, 0.5, 1.5)}


def test_a_masked_cell_is_blank_and_not_zero():
    allowed = np.tri(5, 7, dtype=bool)
    values = np.where(allowed, weights(5, 7), 0).astype(np.float32)
    values[4, 2] = 0  # allowed, with a weight of 0
    shown, hidden = attention_heatmap(values, TOKENS, KEYS, allowed=allowed).data
    np.testing.assert_array_equal(shown.z, np.where(allowed, values, np.nan))
    assert shown.z.dtype == hidden.z.dtype == np.float32
    np.testing.assert_array_equal(np.isnan(hidden.z), allowed)
    assert shown.hoverongaps is hidden.hoverongaps is hidden.showscale is False
    assert "masked" in hidden.hovertemplate and "%{z" not in hidden.hovertemplate
    assert (hidden.x, hidden.y) == (shown.x, shown.y)
    assert hidden.colorscale[0][1] == hidden.colorscale[1][1] == HIDDEN
    assert list(shown.text[0][1:]) == [""] * 6


def test_masked_cells_have_a_diagonal_line_that_continues_in_neighbours():
    allowed = np.array([[1, 0, 0], [0, 1, 0]], bool)
    figure = attention_heatmap(weights(2, 3), ["a", "b"], list("xyz"), allowed=allowed, picked=[1])
    slashes, veil, _ = figure.layout.shapes
    # Upwards to the right: these two neighbouring cells share a line.
    assert slashes.path == "M-0.5,1.5L1.5,-0.5M1.5,0.5L2.5,-0.5M1.5,1.5L2.5,0.5"
    assert slashes.layer == "below" and veil.fillcolor == "white"


def test_a_large_mask_has_no_lines():
    for n_tokens, n_shapes in ((16, 1), (17, 0)):  # 120 and 136 cells
        allowed, names = np.tri(n_tokens, dtype=bool), [f"t{i}" for i in range(n_tokens)]
        drawn = attention_heatmap(weights(n_tokens, n_tokens), names, allowed=allowed)
        assert len(drawn.layout.shapes) == n_shapes
    nothing = attention_heatmap(weights(), TOKENS, allowed=np.ones((5, 5), bool))
    assert nothing.layout.shapes == () and len(nothing.data) == 1


CHANGED = np.array([[0.5, -0.25], [-0.5, 0.125]])
ENDS = ("more in <b>", "more in a model with quite a long name")


def hue(bar, value: float) -> str:
    """The colour of a value without its alpha."""
    low = (value - bar.zmin) / (bar.zmax - bar.zmin) < 0.5
    return bar.colorscale[0 if low else -1][1].rsplit(",", 1)[0]


def test_a_difference_has_the_hue_of_the_side_that_has_more_and_names_both_ends():
    drawn = difference_heatmap(CHANGED, "ab", "ab", ends=ENDS, hues=("left", "right")).data[0]
    np.testing.assert_array_equal(drawn.z, CHANGED)
    assert hue(drawn, 0.3) == "rgba({}, {}, {}".format(*SIDE_RGB["right"])
    assert hue(drawn, -0.3) == "rgba({}, {}, {}".format(*SIDE_RGB["left"])
    bar = drawn.colorbar
    assert bar.tickvals == (-0.5, -0.25, 0, 0.25, 0.5)
    assert (drawn.zmin, drawn.zmax, bar.title.text) == (-0.5, 0.5, "")
    assert bar.ticktext[0] == "−0.5<br>more in &lt;b&gt;"
    assert bar.ticktext[-1] == "more in a<br>model with<br>quite a long<br>name<br>+0.5"
    of_one = difference_heatmap(CHANGED, "ab", "ab").data[0]
    assert hue(of_one, -0.3) == "rgba({}, {}, {}".format(*SIGN_RGB["negative"])
    bar = of_one.colorbar
    assert (bar.title.text, bar.ticktext) == ("difference", None)
    counted = np.eye(3, dtype=bool) & (np.arange(3) > 0)
    drawn = difference_heatmap(np.diag([4.0, 1, -2]), "abc", "abc", allowed=counted)
    assert drawn.data[0].zmax == 2 and np.isnan(drawn.data[0].z[0][0])
    assert "not counted" in drawn.data[1].hovertemplate


def test_a_difference_is_blank_where_a_mask_hides_the_cell_on_one_side():
    triangle = np.tri(3, dtype=bool)
    values = np.arange(9, dtype=np.float32).reshape(3, 3) / 10
    figure = difference_heatmap(values, list("abc"), list("abc"), allowed=triangle)
    shown, over = figure.data
    np.testing.assert_array_equal(shown.z, np.where(triangle, values, np.nan))
    assert shown.zmax == np.float32(0.8) and shown.text[0][1] == shown.text[0][0] == ""
    np.testing.assert_array_equal(np.isnan(over.z), triangle)  # the hover text explains why
    assert len(figure.layout.shapes) == 1
