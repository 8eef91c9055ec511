"""The Heads page in a browser: find heads, read their weights, switch them off."""

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention, intervene
from tests.browser.chart_page import ChartPage
from tests.browser.explore_page import DEFAULT, ExplorePage, model, truth

pytestmark = pytest.mark.browser

ROW, HEADER = 37, 37
"""Height in pixels of a row and of the header of the table of labels."""


class HeadsPage(ChartPage):
    """The Heads page of one visitor."""

    path = "/heads"

    def open(self, chart: str | None = "panel", **address: str) -> "HeadsPage":
        self.go(**address)
        if chart:
            self.drawn(chart)
        self.at_rest()
        return self

    def go_to(self, part: str) -> None:
        self.page.get_by_role("radio", name=part).click()

    def choose_finding(self, name: str) -> None:
        self.page.get_by_role("button", name="Findings").click()
        self.page.get_by_text(name, exact=True).last.click()

    def pill(self, row: str, name: str):
        return self.part(row).get_by_role("button", name=name, exact=True)

    def click_row(self, row: int, name: str, side: str = "minilm") -> None:
        """Click a row of the labels until its head is shown.

        Filtering replaces the table, so a click may hit the old table.
        """
        grid = self.part("labels_table").locator(".dvn-scroller")
        title = self.part("panel").locator(".gtitle")
        for _ in range(10):
            grid.click(position={"x": 60, "y": HEADER + (row + 0.5) * ROW})
            try:
                expect(title).to_have_text([f"{side} · {name}"], timeout=6_000)
            except AssertionError:
                continue
            return
        self.shows(name, side)

    def shows(self, name: str, side: str = "minilm") -> None:
        expect(self.part("panel").locator(".gtitle")).to_have_text([f"{side} · {name}"])


@pytest.fixture
def heads(visit, base) -> HeadsPage:
    return visit(base, HeadsPage)


def test_one_click_finds_the_head_that_links_it_to_animal_and_one_switches_it_off(heads):
    heads.open()
    heads.go_to("Which head links X to Y?")
    heads.address_says(query="10", key="2")
    heads.shows("L3·H1")
    heads.at_rest()
    np.testing.assert_allclose(heads.z("panel"), truth("minilm").weights[3, 1], atol=1e-6)
    heads.address_says(layer="3", head="1", query="10", key="2")
    heads.page.get_by_role("button", name="Switch L3·H1 off").click()
    heads.drawn("head_difference")
    heads.at_rest()
    after = intervene(model("minilm"), DEFAULT, None, Intervention(frozenset({(3, 1)}))).capture
    before = truth("minilm")
    distances = jensen_shannon_of_pairs(before.weights, after.weights)
    layer, head = np.unravel_index(distances.argmax(), distances.shape)
    expected = (after.weights - before.weights)[layer, head]
    np.testing.assert_allclose(heads.z("head_difference"), expected, atol=1e-6)
    grid = heads.part("differences").locator("canvas.grid")
    expect(grid).to_have_attribute("data-selected", f"L{layer}·H{head}")
    heads.address_says(part="change", off="3-1", layer=str(layer), head=str(head))


def test_a_click_on_a_row_shows_its_head(heads):
    heads.open()
    heads.click_row(2, "L1·H7", "scratch")
    heads.address_says(layer="1", head="7", side="left")
    rows = heads.part("labels_table").locator("table [role=row]")
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true")
    heads.pill("labels_models", "scratch").click()
    expect(heads.page.get_by_text("On this sentence: 72 heads")).to_be_visible()
    heads.at_rest()
    heads.click_row(1, "L1·H8")


@pytest.mark.parametrize(
    ("part", "table"),
    [("labels", "labels_table"), ("links", "links_table"), ("corpus", "corpus_left")],
)
def test_on_a_phone_no_column_is_cut_and_a_tap_changes_a_head_in_view(visit, base, part, table):
    phone = visit(base, HeadsPage, viewport={"width": 390, "height": 844}, has_touch=True)
    phone.open(part=part)
    assert phone.sideways() == 0
    grid = phone.part(table).locator(".dvn-scroller")
    inner, outer = grid.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner <= outer
    title = phone.part("panel").locator(".gtitle")
    if part == "labels":
        expect(title).to_be_in_viewport()
    before = title.text_content()
    grid.evaluate("e => e.scrollIntoView()")
    expect(title).not_to_be_in_viewport()
    grid.tap(position={"x": 60, "y": HEADER + 2.5 * ROW})
    expect(title).not_to_have_text(before)
    expect(phone.part("panel")).to_be_in_viewport(ratio=1)


def test_the_page_opens_on_the_head_selected_in_explore_with_its_row_in_view(visit, base):
    explore = visit(base, ExplorePage, viewport={"width": 1440, "height": 900})
    explore.open()
    explore.click_head("left", 5, 6)
    explore.shows(5, 6)
    explore.at_rest()
    heads = explore.on(HeadsPage)
    heads.page.get_by_role("link", name="Heads", exact=True).first.click()
    heads.shows("L5·H6", "scratch")
    heads.address_says(layer="5", head="6", side="left")
    table = heads.part("labels_table")
    marked = table.locator("table [role=row][aria-selected=true]")
    expect(marked).to_contain_text("L5·H6")
    row = int(marked.get_attribute("aria-rowindex")) - 2  # the header is 1
    grid = table.locator(".dvn-scroller")
    assert row * ROW > grid.evaluate("grid => grid.clientHeight")  # not in view from the start
    heads.page.wait_for_function(
        "([row, height]) => { const grid = document.querySelector("
        "'.st-key-labels_table .dvn-scroller'); const above = row * height - grid.scrollTop;"
        " return above >= 0 && above + 2 * height <= grid.clientHeight; }",
        arg=[row, ROW],
    )


def test_the_numbers_of_the_selected_head_are_legible_on_a_laptop(visit, base):
    heads = visit(base, HeadsPage, viewport={"width": 1440, "height": 900}).open()
    numbers = heads.part("panel").locator(".heatmap-label text")
    expect(numbers.first).to_be_visible()
    size = numbers.first.evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
    assert size >= 9


def test_a_click_masks_a_word_and_the_model_predicts_it(heads):
    heads.open(None, part="change", side="left", off="none")
    heads.pill("masked", "street").click()
    heads.drawn("head_difference")
    heads.at_rest()
    hidden = Intervention(masked=frozenset({8}))
    after = intervene(model("scratch"), DEFAULT, None, hidden)
    expected = (after.capture.weights - truth("scratch").weights)[3, 1]
    np.testing.assert_allclose(heads.z("head_difference"), expected, atol=1e-6)
    expect(heads.page.get_by_text("the word was street")).to_be_visible()
    heads.address_says(masked="8")


def test_a_click_on_a_thumbnail_shows_the_change_of_its_head(heads):
    heads.open("head_difference", part="change", off="1-1")
    grid = heads.part("differences").locator("canvas.grid")
    expect(grid).to_have_attribute("data-selected", "L3·H1")
    box = grid.bounding_box()
    across, down = (box["width"] - 30) / 12, (box["height"] - 18) / 6  # cells need not be square
    grid.click(position={"x": 30 + 4.5 * across, "y": 18 + 5.5 * down})
    title = heads.part("head_difference").locator(".gtitle")
    expect(title).to_contain_text(["L5·H4: after − before"])
    heads.address_says(layer="5", head="4")


def test_a_link_to_every_part_works_as_the_first_request(heads):
    for part, chart in (("links", "panel"), ("corpus", "panel"), ("tuned", "head_difference")):
        heads.open(chart, part=part, query="10", key="2", layer="2", head="8", anyway="1")
        heads.address_says(part=part, layer="2", head="8")


def test_back_returns_to_the_previous_head(heads):
    heads.open()
    heads.click_row(2, "L1·H7", "scratch")
    heads.at_rest()
    heads.page.go_back()
    heads.shows("L0·H2")


def test_does_it_matter_opens_with_a_change_unless_the_link_switches_no_head_off(heads):
    heads.open()
    heads.go_to("Does it matter?")
    heads.drawn("head_difference")
    heads.address_says(part="change", off="2-8", masked="10", side="left")
    heads.open(None, part="change", off="none")
    expect(heads.page.get_by_text("Nothing is changed yet")).to_be_visible()


def test_a_finding_opens_its_view_on_any_page(heads):
    heads.open(text="Quite another one.")
    heads.choose_finding("Heads that attend to [CLS]")
    heads.shows("L4·H5")
    heads.address_says(labels="cls", models="right", text=DEFAULT)
    expect(heads.page.get_by_text("21 of minilm's 72 heads")).to_be_visible()
    heads.choose_finding("A head for the previous token")
    heads.page.wait_for_url("**/?*")
    explore = heads.on(ExplorePage)
    explore.drawn()
    expect(explore.title("left")).to_have_text(["scratch · L1·H10"])
    expect(explore.title("right")).to_have_text(["minilm · L0·H2"])
    heads.choose_finding("Before training")
    expect(explore.title("left")).to_have_text(["scratch@0 · L1·H10"])
    expect(explore.title("right")).to_have_text(["scratch · L1·H10"])
    explore.address_says(text=DEFAULT, left="scratch@0", right="scratch")
    heads.at_rest()
    heads.page.go_back()
    expect(explore.title("right")).to_have_text(["minilm · L0·H2"])
    heads.at_rest()
    heads.page.go_back()  # one step back also leads to another page
    heads.shows("L4·H5")
    heads.address_says(labels="cls", models="right", linked=None)
