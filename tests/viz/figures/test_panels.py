import json

import pytest

from tests.viz.figures.samples import FIGURES
from viz.style.theme import diverging_scale

UNTITLED = {"wavelengths"}  # its title is its own


@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_a_figure_has_fixed_margins_titles_exact_hover_text_and_packed_arrays(make):
    figure = make()
    layout = figure.layout
    assert layout.margin.autoexpand is False
    assert layout.xaxis.automargin is layout.yaxis.automargin is False
    assert layout.paper_bgcolor is layout.plot_bgcolor is None  # transparent
    assert layout.margin.l + layout.margin.r < 150  # a phone has 390
    assert layout.margin.t + layout.margin.b < layout.height / 2
    assert layout.xaxis.title.text and layout.yaxis.title.text
    for trace, sent in zip(figure.data, json.loads(make().to_json())["data"], strict=True):
        if trace.type == "heatmap":
            assert trace.colorbar.title.text and trace.zmin == -trace.zmax
            assert [list(stop) for stop in trace.colorscale] == diverging_scale()
        assert ".6f}" in trace.hovertemplate or "%{y:.6g}" in trace.hovertemplate
        assert isinstance(sent.get("z", {}), dict)
        assert isinstance(sent["y"], dict) or trace.type == "heatmap" or len(sent["y"]) == 1


@pytest.mark.parametrize("name", FIGURES)
def test_every_word_of_a_figure_is_translated(name):
    figure = FIGURES[name](translate=lambda text: f"§{text}")
    titles = [figure.layout.xaxis.title.text, figure.layout.yaxis.title.text]
    titles += [trace.colorbar.title.text for trace in figure.data if trace.type == "heatmap"]
    titles += [figure.layout.title.text] if name in UNTITLED else []
    given = {"key", "query"}
    assert {title for title in titles if "§" not in title} <= given
