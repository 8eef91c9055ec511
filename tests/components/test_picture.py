from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board
from tests.components.explore import ANIMAL, IT, pixels, truth

pytestmark = pytest.mark.browser

VIEW = "model?left=minilm&layer=3&head=1"

HIDDEN_LINKS = """() => [...document.querySelector("[data-drawn]").shadowRoot
  .querySelectorAll("a")].filter((link) => !link.checkVisibility()).length"""
WIDTHS = "(list) => [...list.children].map((box) => box.getBoundingClientRect().width)"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
GROWS = "(boxes) => boxes.getAnimations().length"


def boxes(board: Board, kind: str) -> Locator:
    return board.part("picture").locator(f"li.{kind} > .face")


def expect_address(board: Board, **wanted: str) -> None:
    url = urlsplit(board.page.evaluate("location.href"))
    assert url.path == "/a/proxy/model" and dict(parse_qsl(url.query)).items() >= wanted.items()


# An animation stands still, so that it is seen on a slow machine.
PAUSED = """() => {
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...how) {
    const animation = animate.apply(this, how);
    animation.pause();
    return animation;
  };
}"""


def test_a_click_opens_its_box_and_the_new_picture_grows_out_of_it(board):
    board.page.emulate_media(reduced_motion="no-preference")
    board.page.evaluate(PAUSED)
    board.page.evaluate("history.replaceState(null, '', 'model')")
    board.draw(VIEW, "picture")
    expect(boxes(board, "layer")).to_have_count(6)
    boxes(board, "layer").nth(3).click(position={"x": 20, "y": 10})
    expect_address(board, zoom="layer", layer="3", left="minilm", text=truth("minilm").text)
    picture = board.part("picture").locator(".boxes")
    assert picture.evaluate(GROWS) == 0
    board.draw(f"{VIEW}&zoom=layer", "picture")
    assert picture.evaluate(GROWS) == 1
    expect(boxes(board, "head")).to_have_count(12)
    boxes(board, "head").nth(1).click()
    expect_address(board, zoom="head", layer="3", head="1")
    board.page.emulate_media(reduced_motion="reduce")
    picture.evaluate("(boxes) => boxes.getAnimations().map((each) => each.finish())")
    board.draw(f"{VIEW}&zoom=head", "picture")
    assert picture.evaluate(GROWS) == 0
    key = boxes(board, "key").filter(has_text="animal")
    weight = truth("minilm").weights[3, 1, IT, ANIMAL]
    expect(key.locator(".value").last).to_have_text(f"{weight:.4f}")
    key.click()
    expect_address(board, zoom="score", layer="3", head="1")


def test_the_keyboard_zooms_in(board):
    board.page.evaluate("history.replaceState(null, '', 'model')")
    board.draw(VIEW, "picture")
    boxes(board, "head").nth(13).focus()
    stops = board.part("picture").locator("li.attention").nth(1).locator('a[tabindex="0"]')
    expect(stops).to_have_count(1)
    board.page.keyboard.press("ArrowRight")
    expect(boxes(board, "head").nth(14)).to_be_focused()
    board.page.keyboard.press("Enter")
    expect_address(board, zoom="head", layer="1", head="2")
    board.draw(f"{VIEW}&zoom=head", "picture")
    expect(board.part("picture").locator("li.crumb [aria-current]")).to_be_focused()


def test_the_cells_of_a_head_show_its_weights(board):
    board.draw(f"{VIEW}&zoom=layer", "picture")
    canvas = boxes(board, "head").nth(1).locator("canvas")
    weights = truth("minilm").weights[3, 1]
    shades = pixels(canvas)[..., 3] / 255
    np.testing.assert_allclose(shades, weights / weights.max(), atol=0.02)


def test_every_zoom_fits_the_screen(board):
    for zoom in ("", "&zoom=layer", "&zoom=head", "&zoom=score"):
        board.draw(VIEW + zoom, "picture")
        kind = zoom.partition("=")[2] or "whole"
        expect(board.part("picture").locator(f'[data-zoom="{kind}"]')).to_be_visible()
        if kind == "whole":  # attention and feed-forward are as wide as their parameters
            layer = board.part("picture").locator("li.layer").first.locator(":scope > ol")
            attention, feed = layer.evaluate(WIDTHS)
            assert attention / feed == pytest.approx(591_360 / 1_181_568, rel=0.01)
        for width in (390, 1440):
            board.page.set_viewport_size({"width": width, "height": 844})
            assert board.page.evaluate(SIDEWAYS) == 0
            assert board.page.evaluate(HIDDEN_LINKS) == 0


def test_on_a_phone_each_layer_is_large_enough_to_tap_and_has_its_prediction(phone):
    phone.draw("model?left=scratch", "picture")
    shown = [each.bounding_box() for each in boxes(phone, "layer").all()]
    pairs = boxes(phone, "layer").locator(".pair")
    assert len(shown) == 6 and pairs.count() == 12
    expect(pairs.nth(1)).to_contain_text("predicts")
    places = [pair.bounding_box() for pair in pairs.all()]
    assert all(one["y"] + 14 <= other["y"] for one, other in pairwise(places))
    assert min(box["height"] for box in shown) >= 24
