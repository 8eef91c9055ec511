import re
from contextlib import suppress
from urllib.parse import quote_plus

import numpy as np
import pytest
from playwright.sync_api import Error, expect

from tests.components.explore import (
    LONG,
    MARGIN,
    RECORD_TEXT,
    SIDES,
    Heads,
    pixels,
    strongest,
    truth,
    two,
)
from viz import distinct

pytestmark = pytest.mark.browser

LONG_PAGE = f"?text={quote_plus(LONG)}"
SHORT, SHORT_PAGE = "A cat.", "?text=A+cat."
GROUND = 0.06  # opacity of a thumbnail without weights
LABEL = 74  # pixels for the names of tokens in the lens
CELL = {"width": 26, "height": 17}  # of the lens

# Presses a key seven times at once.
HOLD = """(canvas) => {
  for (let i = 0; i < 7; i++)
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
}"""

# As at the end of a run: components send what the server may not have.
RUN_END = """(reconnected) => {
  const detail = { reconnected, began: performance.now(), messages: [] };
  window.dispatchEvent(new CustomEvent("headlight-run-end", { detail }));
  for (const { send } of detail.messages) send();
}"""


@pytest.fixture
def heads(board) -> Heads:
    return Heads(board)


def test_each_thumbnail_shows_the_weights_of_its_head(board):
    heads = Heads(board, SHORT_PAGE)
    for side, name in SIDES.items():
        weights = truth(name, SHORT).weights
        wide, high = heads.step(side)
        image = pixels(heads.canvas(side))
        for layer, head in ((0, 7), (5, 11)):
            for (query, key), weight in np.ndenumerate(weights[layer, head]):
                x = MARGIN["left"] + head * wide + (key + 0.5) / 5 * (wide - 2)
                y = MARGIN["top"] + layer * high + (query + 0.5) / 5 * (high - 2)
                *rgb, alpha = image[int(y), int(x)]
                assert alpha / 255 == pytest.approx(1 - (1 - GROUND) * (1 - weight), abs=0.02)
                if weight > 0.8:
                    hue = (240, 125, 20) if side == "left" else (55, 135, 245)
                    assert rgb == pytest.approx(hue, abs=8)


def test_hovering_enlarges_a_head_with_all_its_weights_over_the_other_side(board):
    board.page.evaluate(RECORD_TEXT)
    heads = Heads(board)
    for (side, name), (layer, head) in zip(SIDES.items(), ((3, 1), (5, 11)), strict=True):
        heads.hover(side, layer, head)
        lens = heads.lens(side)
        expect(lens.locator(".title")).to_have_text(f"{name} L{layer}·H{head}")
        expect(lens).to_be_visible()
        names, weights = distinct(truth(name).tokens), truth(name).weights[layer, head]
        canvas = lens.locator("canvas")
        written = canvas.evaluate("canvas => canvas.written.splice(0)")
        numbers = [text for text in written if re.fullmatch(r"\d\.\d{2}", text)]
        assert numbers == [two(weight) for weight in weights.flat if weight >= 0.00995]
        assert written[: 2 * len(names)] == [*names, *names]
        query, key, weight = strongest(weights)
        said = f"{name} L{layer}·H{head}: {names[query]} → {names[key]} {weight}"
        expect(heads.said(side)).to_have_text(said)
        x, y = LABEL + key * CELL["width"] + 2, LABEL + query * CELL["height"] + 2
        assert pixels(canvas)[y, x, 3] / 255 == pytest.approx(weights[query, key], abs=0.01)
        box, own = lens.bounding_box(), heads.canvas(side).bounding_box()
        assert box["x"] >= own["x"] + own["width"] or box["x"] + box["width"] <= own["x"]
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
        expect(lens.locator("ol")).to_be_hidden()


def test_masked_cells_are_hatched_and_have_no_number(board):
    board.page.evaluate(RECORD_TEXT)
    board.draw("decoder?part=translate&stack=decoder", "sync", "stack_heads")
    grid = board.part("stack_heads").locator("canvas.grid")
    grid.hover(position={"x": MARGIN["left"] + 20, "y": MARGIN["top"] + 20})
    canvas = board.part("stack_heads").locator(".lens canvas")
    expect(canvas).to_be_visible()
    written = canvas.evaluate("canvas => canvas.written")
    numbers = [text for text in written if re.fullmatch(r"\d\.\d{2}", text)]
    assert 8 <= len(numbers) <= 8 * 9 / 2
    assert numbers[0] == "1.00"  # the first token sees itself alone
    image = pixels(canvas)
    for query, key in ((0, 1), (6, 7)):
        x, y = LABEL + key * CELL["width"], LABEL + query * CELL["height"]
        hatched = image[y : y + CELL["height"], x : x + CELL["width"], 3] > 0
        assert 0.1 < hatched.mean() < 0.6


def test_small_cells_have_a_list_of_the_strongest_links_and_a_late_answer_is_ignored(board):
    heads, waiting = Heads(board, LONG_PAGE), []
    capture = truth("minilm", LONG)
    names = distinct(capture.tokens)
    board.page.route("**/api/weights/**", lambda r: r.fallback() if waiting else waiting.append(r))
    with board.page.expect_request("**/api/weights/**"):
        heads.hover("right", 2, 3)
    size = 2 * len(names) ** 2  # of a head
    heads.hover("right", 4, 6)
    query, key, weight = strongest(capture.weights[4, 6])
    sentence = f"minilm L4·H6: {names[query]} → {names[key]} {weight}"
    expect(heads.said("right")).to_have_text(sentence)
    with suppress(Error):  # the browser may have cancelled the request
        waiting[0].fulfill(body=bytes(size))
    items = heads.lens("right").locator("li")
    expect(items).to_have_count(12)
    expect(items.first).to_be_visible()
    listed = [item.rsplit(" ", 1)[1] for item in items.all_text_contents()]
    weights = sorted(capture.weights[4, 6].ravel(), reverse=True)
    assert listed == [two(weight) for weight in weights[:12]]
    expect(heads.said("right")).to_have_text(sentence)


def test_the_lens_closes(heads):
    heads.page.evaluate("document.body.style.height = '3000px'")
    for close in (
        lambda: heads.page.keyboard.press("Escape"),
        lambda: heads.page.mouse.move(5, 895),
        lambda: heads.click("left", 2, 2),  # the lens could cover the large maps
        lambda: heads.page.evaluate("window.scrollTo(0, 100)"),
    ):
        heads.hover("left", 2, 2)
        expect(heads.lens("left")).to_be_visible()
        close()
        expect(heads.lens("left")).to_be_hidden()
        heads.page.mouse.move(5, 895)


def test_a_click_selects_a_head_on_both_sides_and_an_earlier_answer_does_not_undo_it(heads):
    heads.select(3, 1)
    heads.click("right", 4, 9)
    heads.board.expect_event("picked", {"layer": 4, "head": 9, "at": 1000})
    heads.select(4, 9)
    heads.board.draw("", "sync", at=999)  # the answer to an earlier selection
    heads.select(4, 9)
    heads.page.evaluate(RUN_END, True)  # sends the selection to the new session
    heads.board.draw("", "sync")
    heads.select(4, 9, "right")
    heads.page.evaluate(RUN_END, False)  # the server has the selection
    heads.page.evaluate(RUN_END, True)  # a new session without it
    heads.board.draw("", "sync")
    heads.select(3, 1)
    assert heads.board.events("picked") == [{"layer": 4, "head": 9, "at": 1000}] * 2


def test_a_side_that_is_not_linked_has_its_own_selection(heads):
    heads.board.draw("", "sync", linked=False, right={"layer": 0, "head": 5})
    heads.select(0, 5, "right")
    heads.click("right", 2, 8)
    heads.select(2, 8, "right")
    heads.select(3, 1, "left")


def test_a_click_with_a_modifier_overlays_a_head_in_the_colour_of_its_lines(heads):
    for modifier in ("Shift", "Control", "Meta"):
        heads.click("right", 1, 8, modifiers=[modifier])
    assert heads.board.events("overlaid") == [{"layer": 1, "head": 8, "at": 1000}] * 3
    heads.select(3, 1)
    heads.page.mouse.move(5, 895)
    heads.board.draw("", "sync", overlaid=[[1, 8, "rgb(1, 200, 3)"]])
    wide, high = heads.step("right")
    x, y = round(MARGIN["left"] + 8 * wide), round(MARGIN["top"] + 1.5 * high)
    edge = pixels(heads.canvas("right"))[y, x - 4 : x + 2].tolist()
    assert [1, 200, 3, 255] in edge


def test_arrow_keys_move_the_selection_and_enlarge_the_head(heads):
    heads.canvas("right").focus()
    heads.page.keyboard.press("ArrowDown")
    heads.select(4, 1)
    lens = heads.lens("right")
    expect(lens.locator(".title")).to_have_text("minilm L4·H1")
    expect(lens).to_be_visible()
    heads.board.expect_event("picked", {"layer": 4, "head": 1, "at": 1000})
    heads.canvas("right").evaluate(HOLD)
    heads.board.expect_event("picked", {"layer": 4, "head": 8, "at": 1007})
    assert len(heads.board.events("picked")) <= 3  # not one for each press


def test_on_a_large_screen_a_tap_selects_a_head_and_opens_no_lens(phone):
    phone.page.set_viewport_size({"width": 1280, "height": 900})
    heads = Heads(phone)
    heads.canvas("left").tap(position=heads.spot("left", 1, 3))
    phone.expect_event("picked", {"layer": 1, "head": 3, "at": 1000})
    slide = {"pointerType": "touch", "clientX": 300, "clientY": 100, "bubbles": True}
    heads.canvas("left").dispatch_event("pointermove", slide)  # a finger over another head
    expect(heads.lens("left")).to_be_hidden()
