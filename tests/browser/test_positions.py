"""The Positions page in a browser."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.order import reorder
from tests.browser.explore_page import DEFAULT, ExplorePage, model
from tests.browser.positions_page import HEATMAPS, PositionsPage
from tests.browser.test_reach import colour

pytestmark = pytest.mark.browser

WORDS = ["the", "dog", "chased", "a", "cat"]
TEXT = " ".join(WORDS)
AS_TYPED = re.compile("The words are in the order that you typed. Move one to start the test.$")
PIXELS = "(image) => image.href.baseVal"


@pytest.fixture
def positions(visit, base) -> PositionsPage:
    """A visitor who has not opened the page yet."""
    return visit(base, PositionsPage)


def sinusoid(length: int, d_model: int, base: float = 10_000.0) -> np.ndarray:
    position, dimension = np.indices((length, d_model))
    angle = position / base ** (2 * (dimension // 2) / d_model)
    return np.where(dimension % 2 == 0, np.sin(angle), np.cos(angle))


# Streamlit leaves this container where the position in the queue was.
AFTER_WAITING = """(strip) => {
  const wrapper = document.createElement("div");
  wrapper.dataset.testid = "stLayoutWrapper";
  wrapper.innerHTML = '<div class="st-key-waiting"></div>';
  strip.parentElement.before(wrapper);
}"""


def test_the_position_in_the_queue_moves_nothing(positions):
    positions.open()
    before = positions.part("kind").bounding_box()
    positions.part("you_are_here").evaluate(AFTER_WAITING)
    assert positions.part("kind").bounding_box() == before


# -- sinusoids -----------------------------------------------------------------------------------


def test_the_heatmap_follows_the_inputs(positions):
    positions.open()
    image = positions.figure("sinusoids").locator(".heatmaplayer image")
    before = image.evaluate(PIXELS)
    positions.set("d_model", "64")
    expect(positions.subtitle("sinusoids")).to_have_text(
        ["200 positions × 64 dimensions, base 10000"]
    )
    positions.drawn("sinusoidal")
    assert image.evaluate(PIXELS) != before
    np.testing.assert_allclose(positions.z("sinusoids"), sinusoid(200, 64), atol=1e-6)
    positions.set("Length (positions)", "30")
    positions.set("Base", "50")
    expect(positions.subtitle("sinusoids")).to_have_text(["30 positions × 64 dimensions, base 50"])
    positions.drawn("sinusoidal")
    np.testing.assert_allclose(positions.z("sinusoids"), sinusoid(30, 64, 50), atol=1e-6)
    positions.address_says(d_model="64", length="30", base="50")


# -- the other kinds -----------------------------------------------------------------------------


def test_the_tables_of_two_models_are_side_by_side(positions):
    positions.open(kind="learned")
    for side, name in (("left", "scratch"), ("right", "minilm")):
        expect(positions.title(f"table_{side}")).to_have_text(
            f"{name}: what is added for each position"
        )
        table = model(name).position_table.numpy()
        np.testing.assert_array_equal(positions.z(f"table_{side}"), table[::2])
    left, right = (positions.figure(f"table_{s}").bounding_box() for s in ("left", "right"))
    assert left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]
    positions.box("First model").click()
    positions.page.get_by_role("option", name="scratch-minilm", exact=True).click()
    expect(positions.title("table_left")).to_have_text(
        ["scratch-minilm: what is added for each position"]
    )
    positions.drawn("learned")
    np.testing.assert_array_equal(positions.z("table_left"), positions.z("table_right"))
    positions.address_says(left="scratch-minilm", right="minilm")


# -- the shuffle test ----------------------------------------------------------------------------


def test_dragging_a_word_moves_it_and_both_differences_are_printed(positions):
    positions.open(kind="shuffle", text="unbelievable cats ran to me")
    positions.expect_order("unbelievable", "cats", "ran", "to", "me")
    expect(positions.alerts()).to_have_text([AS_TYPED])
    positions.drag(0, 3)
    positions.expect_order("cats", "ran", "to", "unbelievable", "me")
    positions.address_says(order="1.2.3.0.4")
    expect(positions.alerts()).to_have_count(2)
    positions.at_rest()
    assert positions.difference("off") < 1e-5
    assert positions.difference("on") > 0.1


def test_dragging_a_short_word_across_a_long_one_swaps_them_once(positions):
    positions.open(kind="shuffle", text="I incomprehensibilities agree so")
    long = positions.words().nth(1).bounding_box()
    start = positions.words().nth(0).bounding_box()
    mouse = positions.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + 12)
    mouse.down()
    orders = []
    # Drag through the second half of the long word: no step may undo an earlier one.
    for part in (0.6, 0.65, 0.7, 0.75, 0.8):
        mouse.move(long["x"] + part * long["width"], long["y"] + 12)
        orders.append(positions.words().all_inner_texts())
    mouse.up()
    positions.expect_order("incomprehensibilities", "I", "agree", "so")
    assert orders == [orders[0]] * 5


def test_arrow_keys_move_the_focused_word_and_keep_the_focus(positions):
    positions.open(kind="shuffle", text=TEXT)
    positions.words().nth(1).focus()
    positions.page.keyboard.press("ArrowRight")
    positions.expect_order("the", "chased", "dog", "a", "cat")
    positions.page.keyboard.press("ArrowRight")
    positions.expect_order("the", "chased", "a", "dog", "cat")
    positions.address_says(order="0.2.3.1.4")
    positions.at_rest()
    assert positions.focused()["text"] == "dog1"
    for _ in range(4):  # one more than the positions before it
        positions.page.keyboard.press("ArrowLeft")
    positions.expect_order("dog", "the", "chased", "a", "cat")
    positions.address_says(order="1.0.2.3.4")
    positions.at_rest()
    assert positions.focused()["text"] == "dog1"


def test_the_buttons_shuffle_reverse_and_restore_the_words(positions):
    positions.open(kind="shuffle", text=TEXT)
    positions.press("Reverse")
    positions.expect_order(*reversed(WORDS))
    positions.address_says(order="4.3.2.1.0")
    expect(positions.alerts()).to_have_count(2)
    positions.press("Shuffle")
    positions.page.wait_for_function(
        "() => new URLSearchParams(location.search).get('order') !== '4.3.2.1.0'"
    )
    order = [int(word) for word in positions.address()["order"].split(".")]
    assert sorted(order) == [0, 1, 2, 3, 4]
    positions.expect_order(*(WORDS[word] for word in order))
    positions.press("As typed")
    positions.expect_order(*WORDS)
    expect(positions.alerts()).to_have_text([AS_TYPED])


def test_the_strength_of_the_positions_changes_the_heatmaps(positions):
    positions.open(kind="shuffle", text=TEXT, order="4.3.2.1.0")
    off = positions.z("before")
    np.testing.assert_allclose(off, positions.z("after"), atol=1e-5)
    positions.strength().focus()
    for _ in range(10):
        positions.page.keyboard.press("ArrowRight")
    positions.address_says(strength="0.5")
    for key in ("before", "after"):
        expect(positions.subtitle(key)).to_have_text([f"positions × 0.5; {TEXT}"])
    positions.drawn("shuffle")
    half = reorder(model("scratch-minilm"), TEXT, position_scale=0.5).capture.weights[3, 1]
    np.testing.assert_allclose(positions.z("before"), half, atol=1e-6)
    assert np.abs(half - off).max() > 0.01
    assert np.abs(positions.z("before") - positions.z("after")).max() > 0.01


# -- the URL, the menu, files --------------------------------------------------------------------


def test_a_link_restores_order_and_strength_for_a_second_visitor(positions, visit, base):
    positions.open(kind="shuffle", text=TEXT, order="4.3.2.1.0")
    positions.words().nth(0).focus()
    positions.page.keyboard.press("ArrowRight")
    positions.address_says(order="3.4.2.1.0")
    positions.strength().focus()
    positions.page.keyboard.press("ArrowRight")
    positions.address_says(strength="0.05")
    positions.drawn("shuffle")

    friend = visit(base, PositionsPage)
    friend.open(**positions.address())
    friend.expect_order("a", "cat", "chased", "dog", "the")
    expect(friend.strength()).to_have_value("0.05")
    expect(friend.subtitle("after")).to_have_text([f"positions × 0.05; {TEXT}"])
    expect(positions.subtitle("after")).to_have_text([f"positions × 0.05; {TEXT}"])
    np.testing.assert_array_equal(friend.z("after"), positions.z("after"))
    assert friend.address() == positions.address()


def click_menu(visitor, name: str) -> None:
    # "You are here" on Explore has a link with this name too.
    visitor.page.get_by_test_id("stTopNav").get_by_role("link", name=name).click()


def test_the_menu_to_explore_and_back_keeps_both_views(visit, base):
    explore = visit(base, ExplorePage).open(layer="2", head="7")
    positions = explore.on(PositionsPage)
    click_menu(explore, "Positions")
    positions.drawn("sinusoidal")
    positions.kind("Shift by k").click()
    positions.drawn("shift")
    positions.set("Shift by k", "3")
    positions.address_says(kind="shift", offset="3")
    click_menu(positions, "Explore")
    explore.drawn().shows(2, 7)
    explore.address_says(layer="2", head="7", text=DEFAULT, kind=None)
    click_menu(explore, "Positions")
    positions.drawn("shift")
    positions.address_says(kind="shift", offset="3", layer=None)
    expect(positions.alerts()).to_contain_text("PE(pos + 3) differ by")


# -- dark theme and phones -----------------------------------------------------------------------


def test_figures_and_components_have_light_text_in_the_dark_theme(visit, base):
    positions = visit(base, PositionsPage, color_scheme="dark").open()
    assert colour(positions.page.get_by_test_id("stApp"), "backgroundColor") < 0.15
    assert colour(positions.title("sinusoids"), "fill") > 0.5
    positions.kind("Shuffle test").click()
    positions.drawn("shuffle")
    assert colour(positions.words().first, "color") > 0.5
    assert colour(positions.title("after"), "fill") > 0.5


@pytest.mark.parametrize("kind", HEATMAPS)
def test_a_phone_does_not_scroll_sideways(visit, base, kind):
    positions = visit(base, PositionsPage, viewport={"width": 390, "height": 844}).open(kind=kind)
    assert positions.sideways() <= 0
    formulas = positions.page.locator(".katex-html .base").all()
    ends = (box["x"] + box["width"] for box in (part.bounding_box() for part in formulas))
    assert max(ends, default=0) <= 390 - 12  # each formula fits in its column
    if kind == "sinusoidal":  # the widest table
        positions.set("d_model", "1024")
        positions.set("Length (positions)", "5000")
        expect(positions.subtitle("sinusoids")).to_have_text(
            ["5000 positions × 1024 dimensions, base 10000"]
        )
        positions.drawn("sinusoidal")
        assert positions.sideways() <= 0
