"""Curves, points and bars for a paper: the numbers of the screen as vectors, with their origin."""

import io
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from pypdf import PdfReader
from viz.figures.headmap import head_map_figure

from tests.viz.figures.samples import FIGURES
from viz import provenance
from viz.figures.depth import profile_figure
from viz.figures.sizes import parts_figure
from viz.figures.spread import spread_figures, weights_bars
from viz.figures.stream import additions_figure
from viz.figures.training import training_curves
from viz.paper.curves import is_drawable, paper_curves
from viz.paper.figures import is_heatmap

R = np.random.default_rng(0)
NAMES = {"left": "ours", "right": "theirs & <more>"}
BY_SIZE = tuple(R.random((2, 5)))
PROFILE = profile_figure(
    {"left": R.random((3, 4)), "right": R.random((6, 2))},
    NAMES,
    title="Entropy <of> heads",
    unit="nats",
    published=[0.1, 0.2, 0.3],
    layer=2,
)
EACH = {
    **{name: make() for name, make in FIGURES.items() if is_drawable(make())},
    "profile": PROFILE,
    "map": head_map_figure(
        R.random((4, 2)), list("abcd"), ["left", "right"] * 2, range(4), models=NAMES
    ),
    "labels": head_map_figure(
        R.random((4, 2)),
        list("abcd"),
        ["left", "right"] * 2,
        range(4),
        models=NAMES,
        labels=list("xyxx"),
        known_labels=list("xyz"),
        selected=1,
    ),
    "parts": parts_figure(
        {"encoder": {"attention": 3e6, "norms": 10}, "decoder": {"attention": 4e6}}, title="Parts"
    ),
    "spread": spread_figures((2, 4, 8, 16, 1024), 7, BY_SIZE, BY_SIZE, BY_SIZE, current=8)[0],
    "bars": weights_bars(tuple(R.random((2, 3))), tuple(R.random((2, 3)))),
    "training": training_curves([4_000_000, 8_000_000], [6.5, 5.9], [0.1, 0.21]),
    "additions": additions_figure(
        {"left": R.random((2, 3)), "right": R.random((4, 5))},
        {"left": list("abc"), "right": list("vwxyz")},
        NAMES,
        title="Added",
        quantity="‖a‖",
        ends=(0.1, 100),
    ),
}


@pytest.mark.parametrize("name", EACH)
def test_every_figure_that_is_no_heatmap_becomes_a_pdf_with_its_words_and_origin(name, tmp_path):
    figure, path = EACH[name], tmp_path / "figure.pdf"
    assert not is_heatmap(figure)
    facts = {"headlight": "1.2.3", "model": "tiny", "link": "http://here/?text=ä"}
    paper_curves(figure, facts, caption="The cat sat.").save(path)
    assert provenance(path).items() >= facts.items()
    (page,) = PdfReader(path).pages
    text = page.extract_text()
    assert "The cat sat." in text
    assert "XObject" not in page["/Resources"] or not page.images  # vectors, no bitmap
    for trace in figure.data:
        if trace.name and figure.layout.showlegend and trace.showlegend is not False:
            assert unescape(trace.name.replace("<sub>", "_").replace("</sub>", "")) in text
    assert "$" not in text  # no markup of matplotlib


def test_the_points_of_a_curve_are_the_numbers_of_the_screen():
    drawing = ElementTree.fromstring(paper_curves(PROFILE, {}).to_bytes("svg"))
    mean = PROFILE.data[-1]
    assert unescape(mean.name) == NAMES["right"]
    (group,) = (each for each in drawing.iter() if each.get("id") == f"curve-{unescape(mean.name)}")
    path = next(group.iter("{http://www.w3.org/2000/svg}path")).get("d")
    x, y = np.array(re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path), dtype=float).T
    for drawn, shown in ((x, mean.x), (-y, mean.y)):
        slope, start = np.polyfit(np.asarray(shown, float), drawn, 1)
        assert slope > 0
        np.testing.assert_allclose(slope * np.asarray(shown, float) + start, drawn, atol=1e-3)


def test_the_title_and_the_axes_are_plain_text():
    reader = PdfReader(io.BytesIO(paper_curves(EACH["spread"], {}).to_bytes("pdf")))
    text = reader.pages[0].extract_text()
    assert "Spread of the scores" in text and "d_k" in text and "<sub>" not in text
    assert "1024" in text
    profile = PdfReader(io.BytesIO(paper_curves(PROFILE, {}).to_bytes("pdf"))).pages[0]
    assert "Entropy <of> heads" in profile.extract_text()
