"""Page object of the Positions page."""

import re

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

# The numbers of a chart after the browser has decoded them.
NUMBERS = """(chart) => chart._fullData[0].z && Array.from(chart._fullData[0].z,
  (row) => Array.from(row))"""

HEATMAPS = {
    "sinusoidal": ["sinusoids"],
    "learned": ["table_left", "similarity_left", "table_right", "similarity_right"],
    "shift": ["rotation"],
    "relative": ["buckets"],
    "rotary": [],
    "alibi": ["alibi"],
    "shuffle": ["before", "after"],
}
CURVES = {"rotary": "rotary"}


class PositionsPage(Visitor):
    """The Positions page of one visitor."""

    path = "/positions"

    # -- navigation ----------------------------------------------------------------------------

    def open(self, **address: str) -> "PositionsPage":
        self.go(**address)
        return self.drawn(address.get("kind", "sinusoidal"))

    def drawn(self, kind: str) -> "PositionsPage":
        """Wait until all figures of a kind are drawn and the run has ended."""
        for key in HEATMAPS[kind]:
            # While a chart is replaced, the page may contain the old and the new one.
            expect(self.figure(key).locator(".heatmaplayer image")).to_have_count(1)
        if kind in CURVES:
            expect(self.figure(CURVES[kind]).locator(".scatterlayer .trace")).not_to_have_count(0)
        if kind == "shuffle":
            expect(self.words()).not_to_have_count(0)
        self.at_rest()
        return self

    # -- elements ------------------------------------------------------------------------------

    def figure(self, key: str) -> Locator:
        return self.part(key)

    def title(self, key: str) -> Locator:
        return self.figure(key).locator(".gtitle")

    def subtitle(self, key: str) -> Locator:
        return self.figure(key).locator(".gtitle-subtitle")

    def number(self, label: str) -> Locator:
        """The number input with this label."""
        return self.page.get_by_role("spinbutton", name=label, exact=True)

    def kind(self, name: str) -> Locator:
        return (
            self.part("kind")
            .get_by_role("radio", name=name)
            .or_(self.part("kind").get_by_role("button", name=name))
        )

    def sentence(self) -> Locator:
        return self.page.get_by_label("Sentence", exact=True)

    def words(self) -> Locator:
        """The buttons of the words, in the current order."""
        return self.part("word_order").locator(".words button")

    def strength(self) -> Locator:
        return self.part("strength").get_by_role("slider")

    # -- actions -------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        self.sentence().fill(text)
        self.page.keyboard.press("Enter")

    def set(self, label: str, number: str) -> None:
        self.number(label).fill(number)
        self.page.keyboard.press("Enter")

    def press(self, name: str) -> None:
        self.part("word_order").get_by_role("button", name=name, exact=True).click()

    def drag(self, word: int, onto: int, steps: int = 12) -> None:
        """Drag the word at one index and drop it on the middle of the word at another."""
        start, end = (self.words().nth(place).bounding_box() for place in (word, onto))
        mouse = self.page.mouse
        mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        mouse.down()
        middle = end["x"] + end["width"] / 2, end["y"] + end["height"] / 2
        mouse.move(*middle, steps=steps)
        mouse.up()

    def toolbar(self, key: str, label: str) -> Locator:
        self.figure(key).locator(".js-plotly-plot").hover()
        return self.figure(key).get_by_role("button", name=label)

    # -- expectations --------------------------------------------------------------------------

    def z(self, key: str) -> np.ndarray:
        """The values of a heatmap."""
        return np.array(self.figure(key).locator(".js-plotly-plot").evaluate(NUMBERS))

    def expect_order(self, *words: str) -> None:
        """Wait until the words are in this order. Each button also shows the word's typed index."""
        expect(self.words()).to_have_text([re.compile(rf"^{re.escape(w)}\d+$") for w in words])

    def difference(self, of: str) -> float:
        """The printed difference with positions "off" or "on"."""
        text = self.alerts().filter(has_text=f"Positions {of}").inner_text()
        return float(re.search(r"difference: (\d+(?:\.\d+)?(?:e[+-]\d+)?)", text)[1])
