"""The Positions page in a browser."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.order import reorder
from model.version import citation, version
from tests.browser.explore_page import DEFAULT, ExplorePage, model, truth
from tests.browser.positions_page import HEATMAPS, PositionsPage
from tests.browser.test_reach import colour
from viz import provenance

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


def test_a_first_visit_shows_the_sinusoids(positions):
    positions.open()
    np.testing.assert_allclose(positions.z("sinusoids"), sinusoid(200, 128), atol=1e-6)
    expect(positions.subtitle("sinusoids")).to_have_text(
        "200 positions × 128 dimensions, base 10000"
    )
    expect(positions.figure("curves").locator(".legendtext")).to_have_text(
        ["dim 0", "dim 1", "dim 20", "dim 21", "dim 60"]
    )
    expect(positions.figure("wavelengths").locator(".js-plotly-plot")).to_be_visible()
    positions.address_says(kind="sinusoidal", d_model="128", length="200")


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


def test_an_odd_d_model_is_an_error_until_it_is_corrected(positions):
    positions.open()
    positions.set("d_model", "7")
    expect(positions.alerts()).to_contain_text("d_model must be even and at least 2, not 7.")
    expect(positions.figure("sinusoids")).to_have_count(0)
    positions.set("d_model", "8")
    expect(positions.alerts()).to_have_count(0)
    positions.drawn("sinusoidal")
    np.testing.assert_allclose(positions.z("sinusoids"), sinusoid(200, 8), atol=1e-6)


def formatted(value: float) -> str:
    return f"{value:.6f}".replace("-", "−")


def test_the_rotating_point_prints_sine_and_cosine_to_six_decimals(positions):
    positions.open(length="120")
    slider = positions.dial()
    slider.focus()

    def expect_point(position: int, pair: int) -> None:
        angle = position / 10_000 ** (2 * pair / 128)
        expect(positions.part("phasor").locator("output")).to_have_text(str(position))
        expect(positions.numbers()).to_have_text(
            [
                formatted(math.sin(angle)),
                formatted(math.cos(angle)),
                f"{angle:.4f} rad",
                f"{angle / (2 * math.pi):.4f}",
            ]
        )

    expect_point(7, 4)
    for key, position in (
        ("ArrowRight", 8),
        ("ArrowRight", 9),
        ("Home", 0),
        ("End", 119),
        ("ArrowLeft", 118),
        ("ArrowLeft", 117),
    ):
        positions.page.keyboard.press(key)
        expect_point(position, 4)
    positions.set("Pair of dimensions", "0")
    expect_point(117, 0)
    # A shorter table gives a shorter slider, and the point moves to its end.
    positions.set("Length (positions)", "11")
    expect_point(10, 0)
    here = positions.part("phasor").locator("circle.here")
    assert float(here.get_attribute("cx")) == pytest.approx(math.cos(10))
    assert float(here.get_attribute("cy")) == pytest.approx(-math.sin(10))


# -- the other kinds -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "key"), [("sinusoidal", "sinusoids"), ("relative", "buckets"), ("alibi", "alibi")]
)
def test_the_colour_bar_is_whole_on_a_wide_screen(visit, base, kind, key):
    positions = visit(base, PositionsPage, viewport={"width": 1920, "height": 1000})
    positions.open(kind=kind)
    figure = positions.figure(key)
    edge = figure.locator(".svg-container").bounding_box()
    parts = figure.locator(".cbaxis text, .cbtitle text").all()
    assert len(parts) > 2
    for part in parts:
        box = part.bounding_box()
        assert box["x"] + box["width"] <= edge["x"] + edge["width"]


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


def test_a_click_draws_each_kind(positions):
    positions.open()
    for name, kind in (
        ("Learned tables", "learned"),
        ("Shift by k", "shift"),
        ("Relative", "relative"),
        ("Rotary", "rotary"),
        ("ALiBi", "alibi"),
        ("Shuffle test", "shuffle"),
        ("Sinusoids", "sinusoidal"),
    ):
        positions.kind(name).click()
        positions.address_says(kind=kind)
        positions.drawn(kind)


def test_the_rotation_and_its_notice_follow_k(positions):
    positions.open(kind="shift")
    expect(positions.alerts()).to_contain_text("PE(pos + 7) differ by")
    positions.set("Shift by k", "-20")
    expect(positions.alerts()).to_contain_text("PE(pos + -20) differ by")
    expect(positions.title("rotation")).to_have_text(["R for k = -20: first 16 of 128 dimensions"])
    positions.drawn("shift")
    assert positions.z("rotation")[0, 0] == pytest.approx(math.cos(20), abs=1e-6)
    assert positions.z("rotation")[0, 1] == pytest.approx(math.sin(-20), abs=1e-6)


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


def test_dragging_a_word_back_restores_the_order(positions):
    positions.open(kind="shuffle", text="unbelievable cats ran to me")
    first, third = (positions.words().nth(n).bounding_box() for n in (0, 2))
    mouse = positions.page.mouse
    mouse.move(first["x"] + 12, first["y"] + 12)
    mouse.down()
    mouse.move(third["x"] + 12, third["y"] + 12, steps=6)
    positions.expect_order("cats", "ran", "unbelievable", "to", "me")
    expect(positions.words().nth(2)).to_have_class("moved held")
    mouse.move(first["x"] + 2, first["y"] + 12, steps=6)
    mouse.up()
    positions.expect_order("unbelievable", "cats", "ran", "to", "me")
    expect(positions.alerts()).to_have_text([AS_TYPED])


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


def test_a_new_sentence_has_its_typed_order(positions):
    positions.open(kind="shuffle", text=TEXT, order="4.3.2.1.0")
    positions.type("a cat chased the dog")
    positions.expect_order("a", "cat", "chased", "the", "dog")
    positions.address_says(text="a cat chased the dog", order=None)


def test_the_heatmaps_show_the_weights_of_the_reordered_sentence(positions):
    positions.open(kind="shuffle", text=TEXT, strength="1")
    np.testing.assert_allclose(
        positions.z("before"), truth("scratch-minilm", TEXT).weights[3, 1], atol=1e-6
    )
    positions.press("Reverse")
    positions.address_says(order="4.3.2.1.0")
    expect(positions.alerts()).to_have_count(2)
    positions.drawn("shuffle")
    moved = truth("scratch-minilm", " ".join(reversed(WORDS))).weights[3, 1]
    back = [0, 5, 4, 3, 2, 1, 6]
    np.testing.assert_allclose(positions.z("after"), moved[np.ix_(back, back)], atol=1e-6)


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


@pytest.mark.parametrize(
    "address",
    [
        {"kind": "sinusoidal", "d_model": "64", "length": "30", "base": "100", "dims": "2.9"},
        {"kind": "shuffle", "text": TEXT, "order": "1.0.2.4.3", "strength": "0.35"},
    ],
    ids=lambda address: address["kind"],
)
def test_a_reload_keeps_the_view(positions, address):
    positions.open(**address)
    before = positions.address()
    assert before == before | address
    positions.page.reload()
    positions.drawn(address["kind"])
    assert positions.address() == before
    if address["kind"] == "shuffle":
        positions.expect_order("dog", "the", "chased", "cat", "a")


def click_menu(visitor, name: str) -> None:
    # "You are here" on Explore has a link with this name too.
    visitor.page.get_by_test_id("stTopNav").get_by_role("link", name=name).click()


def test_back_undoes_a_move(positions):
    positions.open(kind="shuffle", text=TEXT)
    positions.press("Reverse")
    positions.address_says(order="4.3.2.1.0")
    expect(positions.alerts()).to_have_count(2)
    positions.page.go_back()
    positions.expect_order(*WORDS)
    positions.address_says(order=None)


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


def test_a_visit_to_explore_keeps_the_sentence_order_and_strength(visit, base):
    positions = visit(base, PositionsPage)
    positions.open(kind="shuffle", text=TEXT, order="4.3.2.1.0", strength="0.5")
    explore = positions.on(ExplorePage)
    click_menu(positions, "Explore")
    explore.drawn()
    expect(explore.sentence()).to_have_value(TEXT)
    click_menu(explore, "Positions")
    positions.drawn("shuffle")
    positions.expect_order(*reversed(WORDS))
    positions.address_says(kind="shuffle", text=TEXT, order="4.3.2.1.0", strength="0.5")


def test_a_figure_is_downloaded_as_svg_and_as_png(positions, tmp_path):
    positions.open()
    svg = positions.toolbar("wavelengths", "Download the figure as SVG")
    file, data = positions.download(svg.click)
    saved = tmp_path / file.suggested_filename
    saved.write_bytes(data)
    assert provenance(saved).items() >= {"headlight": version(), "citation": citation()}.items()
    assert provenance(saved)["link"] == positions.page.url
    drawing = ElementTree.fromstring(data)
    text = "{http://www.w3.org/2000/svg}text"
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert "position" in " ".join("".join(each.itertext()) for each in drawing.iter(text))
    png = positions.toolbar("sinusoids", "Download the figure as PNG")
    file, data = positions.download(png.click)
    assert file.suggested_filename == "headlight_sinusoids_200x128_base-10000.png"
    assert data.startswith(b"\x89PNG\r\n\x1a\n")


# -- dark theme and phones -----------------------------------------------------------------------


def test_figures_and_components_have_light_text_in_the_dark_theme(visit, base):
    positions = visit(base, PositionsPage, color_scheme="dark").open()
    assert colour(positions.page.get_by_test_id("stApp"), "backgroundColor") < 0.15
    assert colour(positions.title("sinusoids"), "fill") > 0.5
    assert colour(positions.numbers().first, "color") > 0.5
    assert colour(positions.part("phasor").locator("circle.ring"), "stroke") > 0.5
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
