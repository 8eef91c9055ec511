"""Part Masks of the Decoder page in a browser."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from model import causal_mask
from pages.decoder.mask_spec import unpack_mask
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

N = 16
ROOM = re.compile(r"\d+ of 256 cells are allowed")


class DecoderPage(Visitor):
    """One visitor's Decoder page."""

    path = "/decoder"

    def open(self, **address: str) -> "DecoderPage":
        self.go(**{"part": "masks", **address})
        for key in ("before", "after"):
            expect(self.part(key).locator(".heatmaplayer image").first).to_be_visible()
        self.at_rest()
        return self

    def canvas(self) -> Locator:
        return self.part("mask_grid").locator("canvas")

    def cell_text(self) -> Locator:
        return self.part("mask_grid").locator(".said")

    def expect_unmasked(self, count: int) -> None:
        expect(self.page.get_by_text(f"{count} of 256 cells are allowed")).to_be_visible()
        self.at_rest()

    def drawn(self) -> np.ndarray:
        """The mask in the URL."""
        return unpack_mask(re.search(r"cells=([\w.-]+)", self.page.url)[1]).numpy()


@pytest.fixture
def decoder(visit, base) -> DecoderPage:
    """A visitor who has not opened the page yet."""
    return visit(base, DecoderPage, viewport={"width": 1440, "height": 900})


def test_mask_and_both_heatmaps_fit_on_the_first_screen(decoder):
    decoder.open()
    decoder.expect_unmasked(136)
    for key in ("mask_grid", "before", "after"):
        box = decoder.part(key).bounding_box()
        assert box["y"] > 0 and box["y"] + box["height"] < 900


def test_a_mask_drawn_with_keyboard_and_mouse_survives_a_reload(decoder):
    decoder.open(mask="causal")
    decoder.canvas().focus()
    decoder.page.keyboard.press("ArrowRight")
    expect(decoder.cell_text()).to_have_text("[CLS] → the₁: hidden")
    decoder.page.keyboard.press("Space")
    decoder.expect_unmasked(137)
    decoder.address_says(mask="drawn", pads="0")
    expected = causal_mask(N).numpy().copy()
    expected[0, 1] = True
    np.testing.assert_array_equal(decoder.drawn(), expected)
    # Drag straight up from the last row: every cell takes the value of the first one pressed.
    box, mouse = decoder.canvas().bounding_box(), decoder.page.mouse
    x, bottom = box["x"] + box["width"] * 0.6, box["y"] + box["height"]
    mouse.move(x, bottom - 4)
    mouse.down()
    mouse.move(x, bottom - 55, steps=2)
    mouse.up()
    expect(decoder.page.get_by_text(ROOM)).not_to_contain_text("137 of")
    decoder.at_rest()
    drawn = decoder.drawn()
    (column,) = np.unique(np.argwhere(drawn != expected)[:, 1])
    assert not drawn[-4:, column].any()
    decoder.page.reload()
    decoder.expect_unmasked(int(drawn.sum()))


def test_a_mask_can_be_chosen_again_after_each_drawn_cell(decoder):
    decoder.open(mask="none")
    for name, count in (("Causal", 136), ("None", 256), ("Causal", 136), ("None", 256)):
        decoder.page.get_by_role("radio", name=name, exact=True).click()
        decoder.expect_unmasked(count)
        decoder.canvas().focus()
        decoder.page.keyboard.press("Enter")  # the first cell, [CLS] to itself
        decoder.expect_unmasked(count - 1)


def test_one_click_inverts_the_mask_and_shows_the_leak(decoder):
    decoder.open()
    decoder.page.get_by_text("Inverted", exact=True).click()
    expect(decoder.alerts().filter(has_text="The mask leaks: 93.8%")).to_be_visible()
    decoder.address_says(mask="causal", inverted="1")
