"""Layers, as a person sees and plays them."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from model.analysis.depth import by_layer
from model.analysis.logit_lens import logit_lens
from model.analysis.measures import profile
from tests.browser.chart_page import NUMBERS, ChartPage
from tests.browser.explore_page import DEFAULT, model, truth
from viz import distinct

pytestmark = pytest.mark.browser


class LayersPage(ChartPage):
    """One visitor's Layers page."""

    path = "/layers"

    def open(self, *charts: str, **address: str) -> "LayersPage":
        self.go(**address)
        for key in charts or ("layer_left", "layer_right"):
            self.drawn(key)
        self.at_rest()
        return self

    def layer(self):
        return self.part("layer_player").get_by_role("slider", name="Layer")

    def shows(self, layer: int, kind: str = "mean", side: str = "right") -> None:
        """The slider, the outline, the heatmap and the address are those of a layer."""
        expect(self.layer()).to_have_value(str(layer))
        grid = self.part(f"layers_{side}").locator("canvas.grid")
        expect(grid).to_have_attribute("data-selected", f"L{layer}")
        expect(self.part(f"layer_{side}").locator(".gtitle")).to_contain_text([f"L{layer}"])
        self.at_rest()
        expected = by_layer(model("minilm"), truth("minilm"), kind)[layer]
        np.testing.assert_allclose(self.z(f"layer_{side}"), expected, atol=1e-6)
        self.address_says(layer=str(layer))


@pytest.fixture
def layers(visit, base) -> LayersPage:
    """A visitor who is about to open the Layers page."""
    return visit(base, LayersPage)


def test_a_thumbnail_is_the_way_to_its_layer(layers):
    layers.open()
    layers.shows(3)
    box = layers.part("layers_right").locator("canvas.grid").bounding_box()
    step = (box["width"] - 30) / 6
    layers.page.mouse.click(box["x"] + 30 + 5.5 * step, box["y"] + 18 + step / 2)
    layers.shows(5)
    layers.page.mouse.move(5, 5)
    layers.layer().focus()
    layers.page.keyboard.press("Home")
    layers.shows(0)


def test_play_goes_through_the_layers(layers):
    layers.open(layer="0", kind="rollout")
    layers.part("layer_player").get_by_role("button", name="Play through the layers").click()
    layers.address_says(layer="5")
    layers.shows(5, "rollout")


def test_a_kind_brings_its_formula_and_its_numbers(layers):
    layers.open()
    layers.page.get_by_text("Value-weighted", exact=True).click()
    expect(layers.page.get_by_text("Kobayashi et al. 2020")).to_be_visible()
    expect(layers.page.locator(".katex").first).to_be_visible()
    layers.address_says(kind="norm")
    layers.at_rest()
    layers.shows(3, "norm")


def test_the_parts_follow_one_another_and_the_address_follows_them(layers):
    layers.open()
    for name, part, chart in (
        ("Profile", "profile", "profile"),
        ("Similar heads", "similarity", "similarity"),
        ("Difference", "difference", "difference"),
        ("Layer by layer", "layers", "layer_left"),
    ):
        layers.page.get_by_text(name, exact=True).click()
        layers.drawn(chart)
        layers.address_says(part=part)
    layers.page.go_back()
    layers.drawn("difference")


def test_two_sentences_are_subtracted_as_they_are_typed(layers):
    layers.open("difference", part="difference", against="sentence", left="minilm", kind="head")
    box = layers.page.get_by_label("The other sentence")
    box.fill(DEFAULT)
    layers.page.keyboard.press("Enter")
    layers.address_says(other=DEFAULT)
    layers.at_rest()
    assert not layers.z("difference").any()


def toolbar(layers, key: str, name: str):
    """A button of a figure's toolbar, which shows itself to whoever points at the figure."""
    layers.figure(key).hover()
    return layers.part(key).get_by_role("button", name=name)


def test_what_is_taken_away_is_what_is_shown(layers):
    layers.open(layer="2", kind="rollout")
    expected = by_layer(model("minilm"), truth("minilm"), "rollout")[2]
    csv = toolbar(layers, "layer_right", "Download the numbers as CSV")
    file, data = layers.download(csv.click)
    assert file.suggested_filename.startswith("headlight_minilm_L2-Rollout_the-animal")
    table = pd.read_csv(io.BytesIO(data), index_col=0)
    assert list(table.index) == list(table.columns) == distinct(truth("minilm").tokens)
    np.testing.assert_array_equal(table.to_numpy(np.float32), expected.astype(np.float32))
    layers.part("take_layer_right").get_by_role("button", name="Take away").click()
    _, data = layers.download(layers.page.get_by_role("button", name="JSON").click)
    capture = json.loads(data)
    np.testing.assert_array_equal(
        np.array(capture["weights"], dtype=np.float32), truth("minilm").weights
    )
    expect(layers.page.get_by_text("by_layer(model, capture,")).to_be_visible()


def test_curves_are_a_table_of_points(layers):
    layers.open("profile", part="profile", measure="distance")
    _, data = layers.download(toolbar(layers, "profile", "Download the numbers as CSV").click)
    table = pd.read_csv(io.BytesIO(data))
    mine = table[table["curve"] == "minilm"]
    expected = profile(truth("minilm"))["distance"].mean(axis=1)
    np.testing.assert_allclose(mine["y"], expected, atol=1e-6)


def test_an_interactive_page_opens_alone_and_with_no_network(layers, visit, base, tmp_path):
    layers.open(text="a <b>bold</b> & </script> token")
    html = toolbar(layers, "layer_right", "Download as an interactive page")
    file, data = layers.download(html.click)
    assert file.suggested_filename.endswith(".html")
    saved = tmp_path / "figure.html"
    saved.write_bytes(data)
    alone = visit(base, LayersPage)  # fails at any request to another machine
    alone.page.context.set_offline(True)
    alone.page.goto(saved.as_uri())
    expect(alone.page.locator(".heatmaplayer image")).to_be_visible()
    expect(alone.page.locator(".gtitle")).to_contain_text("minilm · L3, Mean over heads")
    shown = np.array(alone.page.locator(".js-plotly-plot").evaluate(NUMBERS))
    np.testing.assert_array_equal(shown, layers.z("layer_right"))


@pytest.mark.parametrize("part", ["layers", "profile", "similarity", "difference"])
def test_nothing_is_wider_than_a_phone(visit, base, part):
    phone = visit(base, LayersPage, viewport={"width": 390, "height": 844}, has_touch=True)
    charts = {"layers": "layer_left"}
    phone.open(charts.get(part, part), part=part)
    assert phone.sideways() == 0


def test_a_click_on_a_cell_of_the_lens_asks_what_is_said_there(layers):
    """The lens is wider than a phone, and is moved in a frame of its own."""
    layers.page.set_viewport_size({"width": 390, "height": 844})
    layers.open("lens", "contributions", part="lens", left="scratch", right="minilm", text=DEFAULT)
    frame = layers.part("lens")
    inner, outer = frame.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner > 2 * outer
    assert layers.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    box = frame.locator(".nsewdrag").bounding_box()
    # 16 tokens and 7 depths: the third token, behind L1.
    place = {"x": box["width"] * 2.3 / 16, "y": box["height"] * 2.6 / 7}
    frame.locator(".nsewdrag").click(position=place)
    layers.address_says(depth="2", at="2")
    lens = logit_lens(model("scratch"), DEFAULT)
    np.testing.assert_allclose(layers.z("lens"), lens.probabilities[..., 0], atol=1e-6)
    expect(layers.page.get_by_text("L1, at “animal”")).to_be_visible()
