"""Page object of the Explore page."""

import re

import numpy as np
from playwright.sync_api import Locator, expect

from model import AttentionCapture
from tests.browser.visitor import Visitor
from tests.components.explore import NUMBERS, spot

SIDES = ("left", "right")
ANYTHING = re.compile(".")
CAT = ["[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"]
"""The tokens of "The cat sat on the mat."."""


class ExplorePage(Visitor):
    def open(self, **address: str) -> "ExplorePage":
        self.go(**address)
        return self.drawn()

    def drawn(self) -> "ExplorePage":
        """Wait until all heads and both maps are painted, and the run has ended."""
        for side in SIDES:
            expect(self.overview(side)).to_have_attribute("data-selected", ANYTHING)
            expect(self.heatmap(side)).to_have_attribute("data-head", ANYTHING)
        self.at_rest()
        return self

    def column(self, side: str) -> Locator:
        return self.page.locator(f'.headlight-view .column[data-side="{side}"]')

    def overview(self, side: str) -> Locator:
        return self.column(side).locator("canvas.grid")

    def panel(self, side: str) -> Locator:
        """The selected head, with its strongest links; its name states the largest weight."""
        return self.column(side).get_by_role("figure")

    def heatmap(self, side: str) -> Locator:
        return self.column(side).locator(".map")

    def title(self, side: str) -> Locator:
        return self.heatmap(side).locator(".gtitle")

    def said(self) -> Locator:
        """What the selected head does with the selected token."""
        return self.page.locator(".headlight-view .said")

    def chips(self, side: str = "left") -> Locator:
        return self.page.locator(f'.headlight-view .chips button[data-side="{side}"]')

    def sentence(self) -> Locator:
        return self.text_box()

    def picker(self, side: str) -> Locator:
        return self.box({"left": "First model", "right": "Second model"}[side])

    def training(self, side: str = "left") -> Locator:
        """The slider of the training."""
        return self.part(f"training_{side}").get_by_role("slider", name="Training step")

    def type(self, text: str) -> None:
        self.enter(text)

    def display(self, name: str) -> None:
        """Change a display option, which folds above the view."""
        summary = self.part("display").locator("summary")
        summary.click()
        self.part("display").get_by_text(name, exact=True).click()
        summary.click()
        # The view moves up while the options fold, and a click would miss it.
        expect(self.part("display").locator("details[open]")).to_have_count(0)

    def choose(self, side: str, name: str) -> None:
        self.picker(side).fill(name)
        self.page.keyboard.press("Enter")

    def hover_head(self, side: str, layer: int, head: int, size: tuple[int, int] = (6, 12)) -> None:
        self.overview(side).hover(position=spot(self.overview(side), layer, head, size))

    def click_head(self, side: str, layer: int, head: int, **how: object) -> None:
        self.overview(side).click(position=spot(self.overview(side), layer, head), **how)

    def shows(self, layer: int, head: int, sides: tuple[str, ...] = SIDES) -> None:
        """Wait until the outlines and the maps of sides show a head."""
        name = f"L{layer}·H{head}"
        for side in sides:
            expect(self.overview(side)).to_have_attribute("data-selected", name)
            expect(self.heatmap(side)).to_have_attribute("data-head", name)
            expect(self.title(side)).to_have_text(re.compile(f" · {name}$"))

    def draws(self, side: str, capture: AttentionCapture, layer: int, head: int) -> None:
        """Check that a map has the weights of a head, rounded to four decimals."""
        drawn = np.array(self.heatmap(side).evaluate(NUMBERS))
        np.testing.assert_allclose(drawn, capture.weights[layer, head], rtol=0, atol=5.001e-5)
