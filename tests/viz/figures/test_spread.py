"""Curves and bars of the sqrt(d_k) experiment: exact arrays and colours."""

import math

import numpy as np
import pytest

from viz.figures.spread import spread_figures, weights_bars
from viz.style.theme import rgb

SIZES = (2, 4, 8, 16, 1024)
RANDOM = np.random.default_rng(0)
STD, ENTROPY, GRADIENT = PAIRS = tuple(tuple(RANDOM.random((2, 5))) for _ in range(3))
WEIGHTS, SCORES = (tuple(RANDOM.random((2, 3))) for _ in range(2))


def figures(**changed):
    given = {"sizes": SIZES, "n_keys": 7, "std": STD, "entropy": ENTROPY, "gradient": GRADIENT}
    return spread_figures(**{**given, "current": 8, **changed})


def named(figure) -> dict:
    return {trace.name: trace for trace in figure.data if trace.showlegend is not False}


def test_each_curve_is_drawn_unchanged_in_its_figure_and_colour():
    titles = [figure.layout.title.text for figure in figures()]
    assert titles == ["Spread of the scores", "Entropy of the weights", "Gradient of the softmax"]
    for figure, (raw, scaled) in zip(figures(), PAIRS, strict=True):
        curves = named(figure)
        assert set(curves) == {"undivided", "divided"}
        for name, values, side in (("undivided", raw, "left"), ("divided", scaled, "right")):
            assert tuple(curves[name].x) == SIZES
            np.testing.assert_array_equal(curves[name].y, values)
            assert curves[name].y.dtype == np.float64
            assert curves[name].line.color == curves[name].marker.color == rgb(side)


def test_every_size_is_named_on_a_logarithmic_axis():
    for figure in figures():
        axis = figure.layout.xaxis
        assert axis.type == "log"
        assert axis.tickvals == SIZES
        assert axis.ticktext == ("2", "4", "8", "16", "1024")
        low, high = (10**end for end in axis.range)
        assert 1 < low < 2 and 1024 < high < 2048


def test_the_guides_are_the_theoretical_values():
    spread, entropy, gradient = figures()
    (root,), (most,) = ([t for t in f.data if t.showlegend is False] for f in (spread, entropy))
    np.testing.assert_allclose(root.y, np.sqrt(root.x))
    assert set(root.x) == set(most.x) == {2, 1024}
    np.testing.assert_allclose(most.y, math.log(7))
    assert "√d" in spread.layout.yaxis.title.text
    assert "ln 7" in entropy.layout.yaxis.title.text
    assert all(trace.showlegend is None for trace in gradient.data)


def test_spread_is_drawn_log_log_and_the_others_from_zero():
    spread, entropy, gradient = figures()
    assert spread.layout.yaxis.type == "log"
    for figure, top in ((entropy, math.log(7)), (gradient, 0.5)):
        assert figure.layout.yaxis.type is None
        assert figure.layout.yaxis.range[0] == 0
        assert top < figure.layout.yaxis.range[1] < 1.2 * top


@pytest.mark.parametrize("current", [2, 1024])
def test_the_current_size_is_marked_from_bottom_to_top(current):
    for figure in figures(current=current):
        (marker,) = figure.layout.shapes
        assert (marker.x0, marker.x1, marker.y0, marker.y1) == (current, current, 0, 1)
        assert (marker.xref, marker.yref) in {("x", "paper"), (None, "paper")}


def test_bars_are_the_given_weights_and_the_hover_text_adds_the_scores():
    figure = weights_bars(WEIGHTS, SCORES, title="One query")
    assert figure.layout.title.text == "One query"
    assert figure.layout.barmode == "group"
    for bars, weights, scores in zip(figure.data, WEIGHTS, SCORES, strict=True):
        assert tuple(bars.x) == (1, 2, 3)
        np.testing.assert_array_equal(bars.y, weights)
        np.testing.assert_array_equal(bars.customdata, scores)
    assert [bars.name for bars in figure.data] == ["undivided", "divided"]
    assert [bars.marker.color for bars in figure.data] == [rgb("left"), rgb("right")]


def test_hovering_prints_six_digits():
    bars = weights_bars(WEIGHTS, SCORES)
    for trace in (t for figure in (*figures(), bars) for t in named(figure).values()):
        assert "%{y:.6g}" in trace.hovertemplate
        assert "%{x}" in trace.hovertemplate
        assert f"<extra>{trace.name}</extra>" in trace.hovertemplate
    assert all("%{customdata:.6g}" in trace.hovertemplate for trace in bars.data)


def test_margins_are_fixed_so_that_each_figure_is_drawn_once():
    for figure in (*figures(), weights_bars(WEIGHTS, SCORES)):
        assert figure.layout.xaxis.automargin is figure.layout.yaxis.automargin is False
        assert figure.layout.paper_bgcolor is figure.layout.plot_bgcolor is None


def test_every_word_can_be_translated():
    def marked(text: str) -> str:
        return f"§{text}"

    for plain, loud in zip(figures(), figures(translate=marked), strict=True):
        assert loud.layout.title.text == f"§{plain.layout.title.text}"
        assert set(named(loud)) == {"§undivided", "§divided"}
    translated = []
    figures(translate=lambda text: translated.append(text) or text)
    assert {
        "standard deviation (··· √d<sub>k</sub>)",
        "entropy in nats (··· ln {n_keys})",
        "norm of ∂w/∂s",
    } <= set(translated)
    translated.clear()
    weights_bars(WEIGHTS, SCORES, translate=lambda text: translated.append(text) or text)
    assert set(translated) == {"undivided", "divided", "key", "weight", "score"}
