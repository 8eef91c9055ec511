"""Page object of the Positions page."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

HEATMAPS = {
    "sinusoidal": ["sinusoids"],
    "shift": ["rotation"],
    "shuffle": ["before", "after"],
}


class PositionsPage(Visitor):
    path = "/positions"

    def open(self, **address: str) -> "PositionsPage":
        self.go(**address)
        return self.drawn(address.get("kind", "sinusoidal"))

    def drawn(self, kind: str) -> "PositionsPage":
        """Wait until all figures of a kind are drawn and the run has ended."""
        for key in HEATMAPS[kind]:
            expect(self.plot(key).locator(".heatmaplayer image")).to_have_count(1)
        if kind == "shuffle":
            expect(self.words()).not_to_have_count(0)
        self.at_rest()
        return self

    def subtitle(self, key: str) -> Locator:
        return self.plot(key).locator(".gtitle-subtitle")

    def number(self, label: str) -> Locator:
        return self.page.get_by_role("spinbutton", name=label, exact=True)

    def words(self) -> Locator:
        """The buttons of the words, in the current order."""
        return self.part("word_order").locator(".words button")

    def expect_order(self, *words: str) -> None:
        """Wait for this order. Each button also shows the word's typed index."""
        expect(self.words()).to_have_text([re.compile(rf"^{re.escape(w)}\d+$") for w in words])
