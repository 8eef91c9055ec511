"""Heatmap of one head: exact values, one row for each token, distinct colours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz import SIDE_RGB, attention_heatmap, colour_scale, difference_heatmap
from viz.figures.heatmap import matrix_height
from viz.style.theme import HIDDEN

TOKENS = ("the", "cat", "saw", "the", "dog")


def weights(size: int = len(TOKENS), seed: int = 0) -> np.ndarray:
    raw = np.random.default_rng(seed).random((size, size), dtype=np.float32)
    return raw / raw.sum(axis=1, keepdims=True)


def test_the_drawn_numbers_equal_the_weights():
    given_weights = weights()
    drawn = attention_heatmap(given_weights, TOKENS).data[0]
    assert drawn.z.dtype == np.float32
    np.testing.assert_array_equal(drawn.z, given_weights)


def test_rows_are_queries_from_top_to_bottom_and_columns_are_keys():
    figure = attention_heatmap(weights(2), ["attends", "too"], ["is read", "also"])
    assert figure.data[0].y == ("attends", "too")
    assert figure.data[0].x == ("is read", "also")
    assert figure.layout.yaxis.autorange == "reversed"  # first row on top
    assert "query" in figure.layout.yaxis.title.text
    assert "key" in figure.layout.xaxis.title.text


def test_repeated_tokens_stay_distinct_beside_tokens_that_look_numbered():
    tokens = ["the", "the₁", "the", "the₁′", "the₁"]
    figure = attention_heatmap(weights(), tokens)
    assert len(set(figure.data[0].y)) == len(set(figure.data[0].x)) == 5
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "category"


def test_markup_is_escaped():
    figure = attention_heatmap(weights(1), ["<b>&amp;"], title="<a>", subtitle="<i>")
    assert figure.data[0].y == figure.data[0].x == ("&lt;b&gt;&amp;amp;",)
    assert figure.layout.title.text == "&lt;a&gt;"
    assert figure.layout.title.subtitle.text == "&lt;i&gt;"


@pytest.mark.parametrize(("n_queries", "n_keys"), [(4, 5), (5, 4)])
def test_tokens_that_do_not_match_are_refused_with_both_numbers(n_queries, n_keys):
    with pytest.raises(ValueError, match=rf"{n_queries} query and {n_keys} key") as error:
        attention_heatmap(weights(), ["a"] * n_queries, ["a"] * n_keys)
    assert "(5, 5)" in str(error.value)


def test_the_colour_range_is_zero_to_one_unless_given():
    drawn = attention_heatmap(weights(), TOKENS).data[0]
    assert (drawn.zmin, drawn.zmax) == (0.0, 1.0)
    shared = attention_heatmap(weights(), TOKENS, value_range=(0.0, 0.25)).data[0]
    assert (shared.zmin, shared.zmax) == (0.0, 0.25)


def test_the_square_root_changes_only_colours():
    plain = attention_heatmap(weights(), TOKENS).data[0]
    rooted = attention_heatmap(weights(), TOKENS, sqrt=True).data[0]
    np.testing.assert_array_equal(plain.z, rooted.z)
    assert (plain.zmin, plain.zmax) == (rooted.zmin, rooted.zmax)
    assert plain.colorscale != rooted.colorscale
    assert opacity(rooted.colorscale, 0.25) == pytest.approx(0.5, abs=0.01)
    assert opacity(plain.colorscale, 0.25) == pytest.approx(0.25, abs=0.01)


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


def test_hovering_prints_both_tokens_and_six_decimals():
    template = attention_heatmap(weights(), TOKENS).data[0].hovertemplate
    assert "%{y}" in template and "%{x}" in template
    assert "%{z:.6f}" in template
    assert template.index("%{y}") < template.index("→") < template.index("%{x}")


def test_values_are_printed_if_they_fit():
    assert attention_heatmap(weights(20), ["a"] * 20).data[0].texttemplate == "%{text}"
    assert attention_heatmap(weights(21), ["a"] * 21).data[0].texttemplate is None


def test_weights_below_a_hundredth_have_a_colour_and_no_number():
    faint = np.array([[0.9901, 0.0099], [0.99, 0.01]], np.float32)
    drawn = attention_heatmap(faint, ["a", "b"]).data[0]
    assert [list(row) for row in drawn.text] == [[".99", ""], [".99", ".01"]]
    np.testing.assert_array_equal(drawn.z, faint)


def test_a_number_in_a_cell_has_three_characters_so_that_it_is_legible():
    drawn = attention_heatmap(np.array([[1, 0], [0.004, 0.996]]), ["a", "b"]).data[0]
    assert [list(row) for row in drawn.text] == [["1.0", ""], ["", "1.0"]]
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


def test_nothing_is_dimmed_if_all_or_no_tokens_are_picked():
    every = attention_heatmap(weights(), TOKENS, picked=range(5)).layout.shapes
    assert [shape.type for shape in every] == ["rect"] * 10
    assert attention_heatmap(weights(), TOKENS).layout.shapes == ()


def test_a_heatmap_grows_with_the_sentence_up_to_a_limit():
    heights = [matrix_height(n) for n in (1, 16, 24, 30, 40, 128, 512)]
    assert heights == [374, 374, 374, 446, 566, 760, 760]


def test_a_long_word_is_shortened_on_its_axis_and_keeps_its_row():
    long = "Donaudampfschifffahrtsgesellschaft"
    figure = attention_heatmap(weights(2), [long, "is"])
    assert figure.data[0].y == (long, "is")
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.labelalias == {long: "Donaudampfschifff…"}
        assert axis.automargin is False


def test_every_word_of_the_figure_can_be_translated():
    translated = []
    attention_heatmap(weights(), TOKENS, translate=lambda text: translated.append(text) or text)
    assert translated == ["weight", "attended to (key)", "attending (query)"]


# -- different queries and keys, and masks ---------------------------------------------------------


def cross(n_queries: int = 5, n_keys: int = 7) -> np.ndarray:
    raw = np.random.default_rng(2).random((n_queries, n_keys), dtype=np.float32)
    return raw / raw.sum(axis=1, keepdims=True)


def test_a_picked_query_does_not_frame_the_key_with_the_same_index():
    figure = attention_heatmap(cross(), TOKENS, list("tuvwxyz"), picked=[1])
    assert boxes(figure) == {(-0.5, 6.5, 0.5, 1.5)}


def test_a_heatmap_is_as_high_as_its_queries_need():
    figure = attention_heatmap(cross(5, 90), TOKENS, [f"k{i}" for i in range(90)])
    assert figure.layout.height == matrix_height(5)
    assert attention_heatmap(cross(40, 5), ["a"] * 40, TOKENS).layout.height == matrix_height(40)


def test_a_masked_cell_is_blank_and_not_zero():
    allowed = np.tri(5, 7, dtype=bool)
    weights = np.where(allowed, cross(), 0).astype(np.float32)
    weights[4, 2] = 0  # allowed, with a weight of 0
    shown, hidden = attention_heatmap(weights, TOKENS, list("tuvwxyz"), allowed=allowed).data
    np.testing.assert_array_equal(np.isnan(shown.z), ~allowed)
    np.testing.assert_array_equal(shown.z[allowed], weights[allowed])
    assert shown.z.dtype == hidden.z.dtype == np.float32
    np.testing.assert_array_equal(np.isnan(hidden.z), allowed)
    assert shown.hoverongaps is hidden.hoverongaps is False
    assert "masked" in hidden.hovertemplate and "%{z" not in hidden.hovertemplate
    assert (hidden.x, hidden.y) == (shown.x, shown.y)
    assert hidden.showscale is False
    assert hidden.colorscale[0][1] == hidden.colorscale[1][1] == HIDDEN
    assert list(shown.text[0][1:]) == [""] * 6


def test_masked_cells_have_a_diagonal_line_that_continues_in_neighbours():
    allowed = np.array([[1, 0, 0], [0, 1, 0]], bool)
    figure = attention_heatmap(cross(2, 3), ["a", "b"], list("xyz"), allowed=allowed, picked=[1])
    slashes, veil, _ = figure.layout.shapes
    # Upwards to the right: these two neighbouring cells share a line.
    assert slashes.path == "M-0.5,1.5L1.5,-0.5M1.5,0.5L2.5,-0.5M1.5,1.5L2.5,0.5"
    assert slashes.layer == "below" and veil.fillcolor == "white"


@pytest.mark.parametrize(("n_tokens", "n_shapes"), [(16, 1), (17, 0)])  # 120 and 136 cells
def test_a_large_mask_has_no_lines(n_tokens, n_shapes):
    allowed, names = np.tri(n_tokens, dtype=bool), [f"t{i}" for i in range(n_tokens)]
    drawn = (
        attention_heatmap(cross(n_tokens, n_tokens), names, allowed=allowed),
        difference_heatmap(cross(n_tokens, n_tokens), names, names, allowed=allowed),
    )
    assert [len(each.layout.shapes) for each in drawn] == [n_shapes] * 2
    assert all(each.data[1].colorscale[0][1] == HIDDEN for each in drawn)


def test_a_mask_that_hides_nothing_adds_no_trace():
    figure = attention_heatmap(weights(), TOKENS, allowed=np.ones((5, 5), bool))
    assert figure.layout.shapes == () and len(figure.data) == 1


def test_without_a_mask_there_is_one_trace():
    assert len(attention_heatmap(cross(), TOKENS, list("tuvwxyz")).data) == 1


# -- differences ----------------------------------------------------------------------------------

CHANGED = np.array([[0.5, -0.25], [-0.5, 0.125]])
ENDS = ("more in <b>", "more in a model with quite a long name")


def hue(bar, value: float) -> str:
    """The colour of a value without its alpha."""
    low = (value - bar.zmin) / (bar.zmax - bar.zmin) < 0.5
    return bar.colorscale[0 if low else -1][1].rsplit(",", 1)[0]


def test_a_difference_has_the_hue_of_the_side_that_has_more():
    drawn = difference_heatmap(CHANGED, "ab", "ab", ends=ENDS).data[0]
    assert hue(drawn, 0.3) == "rgba({}, {}, {}".format(*SIDE_RGB["right"])
    assert hue(drawn, -0.3) == "rgba({}, {}, {}".format(*SIDE_RGB["left"])


def test_the_colour_bar_has_a_label_at_each_end():
    drawn = difference_heatmap(CHANGED, "ab", "ab", ends=ENDS).data[0]
    bar = drawn.colorbar
    assert bar.tickvals == (-0.5, -0.25, 0, 0.25, 0.5)
    assert (drawn.zmin, drawn.zmax) == (-0.5, 0.5)
    assert bar.ticktext[0] == "−0.5<br>more in &lt;b&gt;"
    assert bar.ticktext[-1] == "more in a<br>model with<br>quite a long<br>name<br>+0.5"
    assert bar.title.text == ""


def test_a_difference_without_named_ends_has_a_general_label():
    bar = difference_heatmap(CHANGED, "ab", "ab").data[0].colorbar
    assert bar.title.text == "difference"
    assert bar.ticktext is None


def test_a_difference_is_blank_where_a_mask_hides_the_cell_on_one_side():
    triangle = np.tri(3, dtype=bool)
    values = np.arange(9, dtype=np.float32).reshape(3, 3) / 10
    figure = difference_heatmap(values, list("abc"), list("abc"), allowed=triangle)
    shown, over = figure.data
    np.testing.assert_array_equal(shown.z, np.where(triangle, values, np.nan))
    assert shown.zmax == np.float32(0.8) and shown.text[0][1] == shown.text[0][0] == ""
    np.testing.assert_array_equal(np.isnan(over.z), triangle)  # the hover text explains why
    assert len(figure.layout.shapes) == 1
    assert len(difference_heatmap(values, list("abc"), list("abc")).data) == 1
