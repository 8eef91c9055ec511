"""The Layers page in a browser."""

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
    """The Layers page of one visitor."""

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
        """Wait until the slider, the outline, the heatmap and the URL show a layer."""
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
    """A visitor who has not opened the page yet."""
    return visit(base, LayersPage)


def test_a_click_on_a_thumbnail_selects_its_layer(layers):
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


def test_a_kind_shows_its_formula_and_its_numbers(layers):
    layers.open()
    layers.page.get_by_text("Rollout", exact=True).click()
    layers.address_says(kind="rollout")  # each kind has an expander of its own
    layers.at_rest()
    layers.page.get_by_text("Formula and limits").click()
    expect(layers.page.get_by_text("Abnar and Zuidema 2020")).to_be_visible()
    expect(layers.page.locator(".katex").first).to_be_visible()
    layers.at_rest()
    layers.shows(3, "rollout")


def test_each_part_is_drawn_when_chosen_and_in_the_url(layers):
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


def test_the_difference_to_an_equal_typed_sentence_is_zero(layers):
    layers.open("difference", part="difference", against="sentence", left="minilm", kind="head")
    box = layers.page.get_by_label("The other sentence")
    box.fill(DEFAULT)
    layers.page.keyboard.press("Enter")
    layers.address_says(other=DEFAULT)
    layers.at_rest()
    assert not layers.z("difference").any()


# Numbers with a hyphen for a minus sign, in texts on the screen.
HYPHENS = r"""() => {
  const found = [];
  const look = (node) => {
    if (node.nodeType === 3 && /(^|[\s(=])-\.?\d/.test(node.data)) found.push(node.data);
    // Not on the screen: sources of formulas, and the raw values of tables.
    if (["STYLE", "SCRIPT", "annotation", "TABLE"].includes(node.nodeName)) return;
    for (const child of [...node.childNodes, ...(node.shadowRoot?.childNodes ?? [])]) look(child);
  };
  look(document.body);
  return found;
}"""


def test_negative_numbers_have_a_minus_sign(layers):
    layers.open("contributions", part="lens")
    assert "−" in layers.part("contributions").inner_text()
    assert layers.page.evaluate(HYPHENS) == []
    layers.open("difference", part="difference")
    box = layers.part("difference").locator(".heatmaplayer image").bounding_box()
    z = layers.z("difference")
    row, column = np.unravel_index(z.argmin(), z.shape)
    height, width = box["height"] / len(z), box["width"] / len(z)
    layers.page.mouse.move(box["x"] + (column + 0.4) * width, box["y"] + (row + 0.4) * height)
    layers.page.mouse.move(box["x"] + (column + 0.5) * width, box["y"] + (row + 0.5) * height)
    hover_text = layers.part("difference").locator(".hovertext")
    expect(hover_text).to_contain_text(f"−{-z.min():.6f}")
    assert layers.page.evaluate(HYPHENS) == []


def toolbar_button(layers, key: str, name: str):
    """A button of a figure's toolbar, which appears when the pointer is over the figure."""
    layers.figure(key).hover()
    return layers.part(key).get_by_role("button", name=name)


def test_downloads_contain_the_shown_numbers(layers):
    layers.open(layer="2", kind="rollout")
    expected = by_layer(model("minilm"), truth("minilm"), "rollout")[2]
    csv = toolbar_button(layers, "layer_right", "Download the numbers as CSV")
    file, data = layers.download(csv.click)
    assert file.suggested_filename.startswith("headlight_minilm_L2-Rollout_the-animal")
    table = pd.read_csv(io.BytesIO(data), index_col=0)
    assert list(table.index) == list(table.columns) == distinct(truth("minilm").tokens)
    np.testing.assert_array_equal(table.to_numpy(np.float32), expected.astype(np.float32))
    layers.part("export_layer_right").get_by_role("button", name="Export minilm").click()
    _, data = layers.download(layers.page.get_by_role("button", name="JSON").click)
    capture = json.loads(data)
    np.testing.assert_array_equal(
        np.array(capture["weights"], dtype=np.float32), truth("minilm").weights
    )
    layers.page.keyboard.press("Escape")
    layers.part("code_layer_right").get_by_role("button", name="Code").click()
    expect(layers.page.get_by_text("rollout(capture.weights)[2]").first).to_be_visible()


def test_curves_are_downloaded_as_a_table_of_points(layers):
    layers.open("profile", part="profile", measure="distance")
    _, data = layers.download(
        toolbar_button(layers, "profile", "Download the numbers as CSV").click
    )
    table = pd.read_csv(io.BytesIO(data))
    minilm = table[table["curve"] == "minilm"]
    expected = profile(truth("minilm"))["distance"].mean(axis=1)
    np.testing.assert_allclose(minilm["y"], expected, atol=1e-6)


def test_a_downloaded_interactive_page_works_offline(layers, visit, base, tmp_path):
    layers.open(text="a <b>bold</b> & </script> token")
    html = toolbar_button(layers, "layer_right", "Download the figure as an interactive page")
    file, data = layers.download(html.click)
    assert file.suggested_filename.endswith(".html")
    saved = tmp_path / "figure.html"
    saved.write_bytes(data)
    offline = visit(base, LayersPage)  # fails at any request to another host
    offline.page.context.set_offline(True)
    offline.page.goto(saved.as_uri())
    expect(offline.page.locator(".heatmaplayer image")).to_be_visible()
    expect(offline.page.locator(".gtitle")).to_contain_text("minilm · L3, Mean over heads")
    shown = np.array(offline.page.locator(".js-plotly-plot").evaluate(NUMBERS))
    np.testing.assert_array_equal(shown, layers.z("layer_right"))


@pytest.mark.parametrize("part", ["layers", "profile", "similarity", "difference"])
def test_a_phone_does_not_scroll_sideways(visit, base, part):
    phone = visit(base, LayersPage, viewport={"width": 390, "height": 844}, has_touch=True)
    charts = {"layers": "layer_left"}
    phone.open(charts.get(part, part), part=part)
    assert phone.sideways() == 0


def test_a_click_on_a_cell_of_the_lens_selects_its_token_and_depth(layers):
    """The lens is wider than a phone, and scrolls inside its own frame."""
    layers.page.set_viewport_size({"width": 390, "height": 844})
    layers.open("lens", "contributions", part="lens", left="scratch", right="minilm", text=DEFAULT)
    frame = layers.part("lens")
    inner, outer = frame.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner > 2 * outer
    assert layers.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    box = frame.locator(".nsewdrag").bounding_box()
    # The lens has 16 tokens and 7 depths: click the third token, after L1.
    place = {"x": box["width"] * 2.3 / 16, "y": box["height"] * 2.6 / 7}
    frame.locator(".nsewdrag").click(position=place)
    layers.address_says(depth="2", at="2")
    lens = logit_lens(model("scratch"), DEFAULT)
    np.testing.assert_allclose(layers.z("lens"), lens.probabilities[..., 0], atol=1e-6)
    expect(layers.page.get_by_text("L1, at “animal”")).to_be_visible()
