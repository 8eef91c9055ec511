"""The overviews: select heads by mouse, keyboard and touch, and enlarge them in the lens."""

import re
from contextlib import suppress

import numpy as np
import pytest
from playwright.sync_api import Error, Route, expect

from tests.browser.chart_page import NUMBERS
from tests.browser.explore_page import DEFAULT, MARGIN, RECORD_TEXT, SIDES, strongest, truth, two
from tests.browser.visitor import SlowLine
from viz import distinct
from viz.canvas import FIRST_SIDE

pytestmark = pytest.mark.browser

LONG = ("the dog saw the cat and " * 10).strip() + "."  # 63 tokens
# Records the titles of all figures from now on.
RECORD_TITLES = """() => {
  const { react } = Plotly;
  window.titles = [];
  Plotly.react = (chart, data, layout, ...more) => {
    window.titles.push(layout.title.text);
    return react(chart, data, layout, ...more);
  };
}"""
OVERVIEW_BYTES = 72 * FIRST_SIDE**2 * 2


def test_a_click_on_a_head_updates_everything_that_shows_it(explore):
    explore.open()
    explore.click_head("right", 4, 9)
    explore.shows(4, 9)
    explore.address_says(layer="4", head="9")
    expect(explore.box("Layer")).to_have_value("L4")
    expect(explore.box("Head")).to_have_value("H9")


def test_a_clicked_head_is_drawn_without_the_server_and_a_stale_response_is_ignored(explore):
    line = SlowLine(explore.page)
    explore.open()
    explore.page.evaluate(RECORD_TITLES)
    line.hold()
    for layer, head in ((1, 8), (5, 11)):
        explore.click_head("right", layer, head)
        for side, name in zip(SIDES, ("scratch", "minilm"), strict=True):
            expect(explore.title(side)).to_have_text(f"{name} · L{layer}·H{head}")
            drawn = explore.figure(side).locator(".js-plotly-plot").evaluate(NUMBERS)
            weights = truth(name).weights[layer, head]
            np.testing.assert_array_equal(drawn, weights.astype(np.float64).round(4))
        line.wait_for(f"_L{layer}-H{head}_".encode())  # in the names of its files
    line.release()
    explore.shows(5, 11)
    drawn = explore.figure("right").locator(".js-plotly-plot").evaluate(NUMBERS)
    np.testing.assert_array_equal(np.float32(drawn), truth("minilm").weights[5, 11])
    titles = explore.page.evaluate("window.titles")
    assert [title[-6:].strip("· ") for title in titles] == ["L1·H8"] * 2 + ["L5·H11"] * 4


def test_a_click_on_a_head_does_not_send_the_overviews_again(explore):
    explore.open(text=LONG)
    assert max(explore.received) > OVERVIEW_BYTES
    explore.received.clear()
    explore.click_head("right", 2, 7)
    explore.shows(2, 7)
    explore.at_rest()
    assert 0 < max(explore.received) < 60_000


def test_an_unlinked_side_has_its_own_selection(explore):
    explore.open()
    explore.display("Sides move together")
    expect(explore.part("right_layer")).to_be_visible()
    explore.click_head("right", 0, 8)
    explore.shows(0, 8, ("right",))
    explore.shows(3, 1, ("left",))
    explore.address_says(linked="0", layer="3", head="1", right_layer="0", right_head="8")


def test_the_head_picker_updates_the_outline(explore):
    explore.open()
    explore.box("Head").click()  # a click scrolls to the list first, and scrolling closes the list
    explore.page.keyboard.type("H10")
    explore.page.keyboard.press("Enter")
    explore.shows(3, 10)


def test_hovering_over_a_head_shows_all_its_weights_without_a_request(explore):
    explore.page.add_init_script(RECORD_TEXT)
    explore.open()
    weights = truth("minilm").weights
    explore.sent.clear()
    explore.received.clear()
    for layer, head in ((3, 1), (0, 2), (5, 11)):
        explore.hover_head("right", layer, head)
        lens = explore.lens("right")
        expect(lens.locator(".title")).to_have_text(f"minilm L{layer}·H{head}")
        expect(lens).to_be_visible()
        written = lens.locator("canvas").evaluate("canvas => canvas.written.splice(0)")
        numbers = [text for text in written if re.fullmatch(r"\d\.\d{2}", text)]
        assert numbers == [two(weight) for weight in weights[layer, head].flat if weight >= 0.00995]
    assert explore.sent == explore.received == []


def says_its_strongest_link(explore, text: str, layer: int, head: int) -> None:
    capture = truth("minilm", text)
    names = distinct(capture.tokens)
    query, key, weight = strongest(capture.weights[layer, head])
    expect(explore.announcement("right")).to_have_text(
        f"minilm L{layer}·H{head}: {names[query]} → {names[key]} {weight}"
    )


def test_the_lens_names_the_strongest_link(explore):
    explore.open()
    for layer, head in ((3, 1), (1, 8), (5, 0)):
        explore.hover_head("right", layer, head)
        says_its_strongest_link(explore, DEFAULT, layer, head)


def test_the_lens_covers_the_other_side_and_not_its_own_overview(visit, base):
    explore = visit(base, viewport={"width": 1440, "height": 900}).open()
    for side in SIDES:
        explore.hover_head(side, 2, 5)
        lens, own = explore.lens(side).bounding_box(), explore.overview(side).bounding_box()
        beside = lens["x"] >= own["x"] + own["width"] or lens["x"] + lens["width"] <= own["x"]
        assert beside
        explore.page.keyboard.press("Escape")


def test_the_lens_lists_the_strongest_links_if_its_cells_are_too_small_for_numbers(explore):
    explore.open(text=LONG)
    weights = truth("minilm", LONG).weights[2, 3]
    explore.hover_head("right", 2, 3)
    items = explore.lens("right").locator("li")
    expect(items).to_have_count(12)
    expect(items.first).to_be_visible()
    weights_in_list = [item.rsplit(" ", 1)[1] for item in items.all_text_contents()]
    assert weights_in_list == [two(weight) for weight in sorted(weights.ravel(), reverse=True)[:12]]
    says_its_strongest_link(explore, LONG, 2, 3)


def test_a_head_of_a_long_sentence_is_requested_once_and_alone(explore):
    explore.open(text=LONG)
    sizes: list[tuple[str, int]] = []
    explore.page.on(
        "response", lambda answer: sizes.append((answer.request.method, len(answer.body())))
    )
    explore.sent.clear()
    for _ in range(2):  # the second time from the browser's cache
        explore.hover_head("right", 2, 3)
        says_its_strongest_link(explore, LONG, 2, 3)
        explore.page.mouse.move(5, 5)
        expect(explore.lens("right")).to_be_hidden()
    assert sizes == [("GET", 2 * len(truth("minilm", LONG).tokens) ** 2)]
    assert explore.sent == []


def test_a_stale_head_does_not_replace_the_current_one_in_the_lens(explore):
    explore.open(text=LONG)
    waiting: list[Route] = []
    explore.page.route("**/api/weights/**", lambda route: waiting.append(route), times=1)
    with explore.page.expect_request("**/api/weights/**"):
        explore.hover_head("right", 2, 3)
    explore.hover_head("right", 4, 6)
    says_its_strongest_link(explore, LONG, 4, 6)
    assert len(waiting) == 1
    with suppress(Error):  # the browser may have cancelled the request
        waiting[0].continue_()
    explore.page.wait_for_timeout(300)
    expect(explore.lens("right").locator(".title")).to_have_text("minilm L4·H6")


def test_escape_and_leaving_the_overview_close_the_lens(explore):
    explore.open()
    explore.hover_head("left", 2, 2)
    expect(explore.lens("left")).to_be_visible()
    explore.page.keyboard.press("Escape")  # without a focused element
    expect(explore.lens("left")).to_be_hidden()
    explore.hover_head("left", 2, 3)
    expect(explore.lens("left")).to_be_visible()
    explore.page.mouse.move(5, 5)
    expect(explore.lens("left")).to_be_hidden()


def test_a_click_closes_the_lens_which_could_cover_the_large_map(explore):
    explore.open()
    explore.overview("left").hover(position={"x": 60, "y": 40})
    expect(explore.lens("left")).to_be_visible()
    explore.overview("left").click(position={"x": 60, "y": 40})
    expect(explore.lens("left")).to_be_hidden()


def test_on_a_large_screen_a_tap_selects_a_head_and_opens_no_lens(visit, base):
    explore = visit(base, has_touch=True).open()
    spot = explore.spot("left", 1, 3)
    explore.overview("left").tap(position=spot)
    explore.shows(1, 3)
    expect(explore.lens("left")).to_be_hidden()
    explore.overview("left").evaluate(  # a finger slides over another head
        """canvas => {
          const { x, y } = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new PointerEvent("pointermove",
            { pointerType: "touch", clientX: x + 300, clientY: y + 100 }));
        }"""
    )
    expect(explore.lens("left")).to_be_hidden()


def test_on_a_phone_a_tap_enlarges_the_head_until_the_next_tap(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}, has_touch=True).open()
    explore.overview("right").tap(position=explore.spot("right", 2, 4))
    explore.shows(2, 4)
    expect(explore.lens("right")).to_be_visible()
    expect(explore.lens("right").locator(".title")).to_have_text("minilm L2·H4")
    box = explore.lens("right").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert box["y"] >= 0 and box["y"] + box["height"] <= 844
    explore.page.touchscreen.tap(5, 830)
    expect(explore.lens("right")).to_be_hidden()


def test_arrow_keys_move_the_selection_and_enlarge_the_head(explore):
    explore.open()
    explore.overview("right").focus()
    explore.page.keyboard.press("ArrowDown")
    explore.shows(4, 1)
    expect(explore.lens("right").locator(".title")).to_have_text("minilm L4·H1")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp"):
        explore.page.keyboard.press(key)
    explore.shows(3, 0)
    explore.address_says(layer="3", head="0")
    explore.page.keyboard.press("Escape")
    expect(explore.lens("right")).to_be_hidden()


def test_holding_an_arrow_key_sends_one_request_at_the_end(explore):
    explore.open()
    explore.sent.clear()
    # Repeat the key in the page: from outside, the intervals vary on a busy machine.
    explore.overview("right").evaluate(
        """canvas => {
          let times = 0;
          const press = () => {
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
            if (++times === 7) clearInterval(repeating);
          };
          const repeating = setInterval(press, 30);
        }"""
    )
    explore.shows(3, 8)
    explore.at_rest()
    assert len(explore.sent) == 1


def test_thirty_layers_are_drawn_in_blocks_for_mouse_and_keyboard(visit, base):
    explore = visit(base, viewport={"width": 1440, "height": 900})
    explore.go(text="red blue green red blue", left="smollm2", layer="17", head="5", linked="0")
    expect(explore.title("left")).to_have_text(["smollm2 · L17·H5"])
    canvas = explore.overview("left")
    expect(canvas).to_have_attribute("data-selected", "L17·H5")
    box = canvas.bounding_box()
    assert box["height"] < 0.27 * 900  # three blocks of ten layers
    block = box["width"] / 3
    wide, high = (block - MARGIN["left"]) / 9, (box["height"] - MARGIN["top"]) / 10
    canvas.hover(
        position={"x": block + MARGIN["left"] + 5.4 * wide, "y": MARGIN["top"] + 7.4 * high}
    )
    lens = explore.lens("left")
    expect(lens.locator(".title")).to_have_text("smollm2 L17·H5")
    expect(lens.locator(".note")).to_have_text(re.compile("H3 to H5 .* share keys and values"))
    canvas.focus()
    for key, name in (("ArrowRight", "L17·H6"), ("ArrowUp", "L16·H6")):
        explore.page.keyboard.press(key)
        expect(canvas).to_have_attribute("data-selected", name)
    expect(explore.title("left")).to_have_text(["smollm2 · L16·H6"])
    # Chips of the same word are below each other.
    ours, theirs = (explore.chips(side) for side in SIDES)
    for i in range(5):
        places = ours.nth(i).bounding_box(), theirs.nth(i + 1).bounding_box()
        assert abs(places[0]["x"] - places[1]["x"]) < 1 and places[0]["y"] < places[1]["y"]
