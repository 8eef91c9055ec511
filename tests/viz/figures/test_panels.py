"""All figures of positions and offsets: margins, titles, hover text."""

import json

import pytest

from tests.viz.figures.samples import FIGURES
from viz.style.theme import diverging_scale

SUBTITLED = {"encoding", "similarity", "rotated"}
UNTITLED = {"wavelengths", "slopes"}  # their titles are their own
every_figure = pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)

WORDS = {
    "rotated": {"even dimension", "odd dimension", "turned", "not turned"},
    "encoding": {"position", "dimension", "value"},
    "dimensions": {"position", "value", "dim {number}"},
    "wavelengths": {
        "Wavelengths",
        "pair of dimensions",
        "wavelength {value} positions",
        "wavelength (positions)",
        "{n} positions",
    },
    "similarity": {"position", "cosine similarity"},
    "matrix": {"value"},
    "shift": {"dimension", "value"},
    "offsets": {"offset", "offset (tokens)"},
    "score": {"offset"},
    "slopes": {"Slopes", "head", "slope", "slope (per token of distance)"},
}


@every_figure
def test_margins_are_fixed_and_the_background_is_transparent(make):
    layout = make().layout
    assert layout.margin.autoexpand is False
    assert layout.xaxis.automargin is layout.yaxis.automargin is False
    assert layout.paper_bgcolor is layout.plot_bgcolor is None
    assert layout.margin.l + layout.margin.r < 150  # a phone has 390
    assert layout.margin.t + layout.margin.b < layout.height / 2


@every_figure
def test_axes_and_colour_bars_have_titles(make):
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
def test_hover_text_contains_exact_values(make):
    for trace in make().data:
        if trace.hoverinfo != "skip":
            assert ".6f}" in trace.hovertemplate or "%{y:.6g}" in trace.hovertemplate


@every_figure
def test_arrays_are_packed_and_not_nested_lists(make):
    for trace in json.loads(make().to_json())["data"]:
        for key in ("z", "y"):
            packed = isinstance(trace.get(key, {}), dict)
            assert packed or trace["type"] == "heatmap" or len(trace[key]) == 1, key
        assert isinstance(trace.get("z", {}), dict)


@pytest.mark.parametrize("name", sorted(FIGURES.keys() - UNTITLED))
def test_markup_in_titles_is_escaped(name):
    texts = {"title": "<b>&amp;"} | ({"subtitle": "<i>"} if name in SUBTITLED else {})
    title = FIGURES[name](**texts).layout.title
    assert title.text == "&lt;b&gt;&amp;amp;"
    assert title.subtitle.text == ("&lt;i&gt;" if name in SUBTITLED else "")


@pytest.mark.parametrize("name", FIGURES)
def test_every_word_can_be_translated(name):
    translated = []
    FIGURES[name](translate=lambda text: translated.append(text) or text)
    assert set(translated) == WORDS[name]
    marked = FIGURES[name](translate=lambda text: f"§{text}").to_plotly_json()
    printed = json.dumps(marked, default=str, ensure_ascii=False)
    for word in translated:  # the translations are printed
        assert "§" + word.split("{")[0] in printed
