"""Page object of the Explore page."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor
from tests.components.explore import spot

SIDES = ("left", "right")
ANYTHING = re.compile(".")
CAT = ["[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"]
"""The tokens of "The cat sat on the mat."."""


class ExplorePage(Visitor):
    def open(self, **address: str) -> "ExplorePage":
        self.go(**address)
        return self.drawn()

    def drawn(self) -> "ExplorePage":
        """Wait until both overviews and both details are painted, and the run has ended."""
        for side in SIDES:
            expect(self.overview(side)).to_have_attribute("data-selected", ANYTHING)
            expect(self.chart(side).locator(".heatmaplayer image")).to_have_count(1)
        self.at_rest()
        return self

    def overview(self, side: str) -> Locator:
        return self.part(f"overview_{side}").locator("canvas.grid")

    def lens(self, side: str) -> Locator:
        return self.part(f"overview_{side}").locator(".lens")

    def announcement(self, side: str) -> Locator:
        return self.part(f"overview_{side}").locator(".said")

    def chips(self, side: str = "left") -> Locator:
        return self.part("chips").locator(f'button[data-side="{side}"]')

    def pieces(self, side: str = "left") -> Locator:
        return self.chips(side).locator(".piece")

    def chart(self, side: str) -> Locator:
        return self.part(f"heatmap_{side}")

    def figure(self, side: str) -> Locator:
        return self.chart(side).get_by_role("figure")

    def title(self, side: str) -> Locator:
        return self.chart(side).locator(".gtitle")

    def subtitle(self, side: str) -> Locator:
        return self.chart(side).locator(".gtitle-subtitle")

    def legend(self, side: str) -> Locator:
        return self.part(f"lines_{side}").locator(".legend span")

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
        """Change a display option in the popover, and close the popover."""
        self.page.get_by_role("button", name="Display").click()
        self.page.get_by_test_id("stPopoverBody").get_by_text(name, exact=True).click()
        self.page.keyboard.press("Escape")

    def choose(self, side: str, name: str) -> None:
        self.picker(side).fill(name)
        self.page.keyboard.press("Enter")

    def hover_head(self, side: str, layer: int, head: int, size: tuple[int, int] = (6, 12)) -> None:
        self.overview(side).hover(position=spot(self.overview(side), layer, head, size))

    def click_head(self, side: str, layer: int, head: int) -> None:
        self.overview(side).click(position=spot(self.overview(side), layer, head))

    def shows(self, layer: int, head: int, sides: tuple[str, ...] = SIDES) -> None:
        """Wait until the outlines and the heatmaps of sides show a head."""
        name = f"L{layer}·H{head}"
        for side in sides:
            expect(self.overview(side)).to_have_attribute("data-selected", name)
            expect(self.title(side)).to_have_text(re.compile(f" · {name}$"))
            expect(self.figure(side)).to_have_attribute("aria-busy", "false")
