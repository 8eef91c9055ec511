import re
from contextlib import suppress
from urllib.parse import quote_plus

import numpy as np
import pytest
from playwright.sync_api import Error, Locator, expect

from tests.components.conftest import Board
from tests.components.explore import (
    FIXED_TIME,
    LONG,
    MARGIN,
    RECORD_TEXT,
    SIDES,
    pixels,
    spot,
    truth,
    two,
)
from viz import distinct

pytestmark = pytest.mark.browser

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


class Layers:
    """The overviews of Layers: the mean over the heads of each layer. The time stands still."""

    def __init__(self, board: Board, address: str = "layers") -> None:
        self.board = board
        self.page = board.page
        self.page.evaluate(FIXED_TIME)
        box = '<div style="flex: 1; min-width: 0" class="st-key-layers_{}"></div>'
        boxes = "".join(map(box.format, SIDES))
        board.lay_out(f'<div style="display: flex; gap: 16px">{boxes}</div>')
        board.draw(address, "sync", "layers_left", "layers_right")

    def part(self, side: str, selector: str) -> Locator:
        return self.board.part(f"layers_{side}").locator(selector)

    def canvas(self, side: str) -> Locator:
        return self.part(side, "canvas.grid")

    def lens(self, side: str) -> Locator:
        return self.part(side, ".lens")

    def spot(self, side: str, layer: int) -> dict[str, float]:
        return spot(self.canvas(side), 0, layer, (1, 6))

    def hover(self, side: str, layer: int) -> None:
        self.canvas(side).hover(position=self.spot(side, layer))

    def expect_selected(self, layer: int, *sides: str) -> None:
        for side in sides or SIDES:
            expect(self.canvas(side)).to_have_attribute("data-selected", f"L{layer}")


def mean(name: str, layer: int, *text: str) -> np.ndarray:
    return truth(name, *text).weights[layer].mean(axis=0)


def strongest(weights: np.ndarray) -> tuple[int, int, str]:
    """Query, key and weight of the strongest link, (T, T)."""
    shown = weights.astype(np.float64).round(4)  # the page names the first of equal printed weights
    query, key = np.unravel_index(shown.argmax(), shown.shape)
    return int(query), int(key), two(weights[query, key])


@pytest.fixture
def layers(board) -> Layers:
    return Layers(board)


def test_hovering_enlarges_a_layer_with_all_its_weights_over_the_other_side(board):
    board.page.evaluate(RECORD_TEXT)
    layers = Layers(board)
    for (side, name), layer in zip(SIDES.items(), (3, 5), strict=True):
        layers.hover(side, layer)
        lens = layers.lens(side)
        expect(lens.locator(".title")).to_have_text(f"{name} L{layer}")
        expect(lens).to_be_visible()
        names, weights = distinct(truth(name).tokens), mean(name, layer)
        canvas = lens.locator("canvas")
        written = canvas.evaluate("canvas => canvas.written.splice(0)")
        numbers = [text for text in written if re.fullmatch(r"\d\.\d{2,3}", text)]
        assert numbers == [two(weight) for weight in weights.flat if weight >= 0.00995]
        assert written[: 2 * len(names)] == [*names, *names]
        query, key, weight = strongest(weights)
        said = f"{name} L{layer}: {names[query]} → {names[key]} {weight}"
        expect(layers.part(side, ".said")).to_have_text(said)
        x, y = LABEL + key * CELL["width"] + 2, LABEL + query * CELL["height"] + 2
        assert pixels(canvas)[y, x, 3] / 255 == pytest.approx(weights[query, key], abs=0.01)
        box, own = lens.bounding_box(), layers.canvas(side).bounding_box()
        assert box["x"] >= own["x"] + own["width"] or box["x"] + box["width"] <= own["x"]
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
        expect(lens.locator("ol")).to_be_hidden()


def test_small_cells_have_a_list_of_the_strongest_links_and_a_late_answer_is_ignored(board):
    layers, waiting = Layers(board, f"layers?text={quote_plus(LONG)}"), []
    names, weights = distinct(truth("minilm", LONG).tokens), mean("minilm", 4, LONG)
    board.page.route("**/api/weights/**", lambda r: r.fallback() if waiting else waiting.append(r))
    with board.page.expect_request("**/api/weights/**"):
        layers.hover("right", 2)
    layers.hover("right", 4)
    query, key, weight = strongest(weights)
    sentence = f"minilm L4: {names[query]} → {names[key]} {weight}"
    expect(layers.part("right", ".said")).to_have_text(sentence)
    with suppress(Error):  # the browser may have cancelled the request
        waiting[0].fulfill(body=bytes(2 * weights.size))
    items = layers.lens("right").locator("li")
    expect(items).to_have_count(12)
    expect(items.first).to_be_visible()
    listed = [item.rsplit(" ", 1)[1] for item in items.all_text_contents()]
    assert listed == [two(weight) for weight in sorted(weights.ravel(), reverse=True)[:12]]
    expect(layers.part("right", ".said")).to_have_text(sentence)


def test_the_lens_closes(layers):
    layers.page.evaluate("document.body.style.height = '3000px'")
    for close in (
        lambda: layers.page.keyboard.press("Escape"),
        lambda: layers.page.mouse.move(5, 895),
        lambda: layers.canvas("left").click(position=layers.spot("left", 2)),
        lambda: layers.page.evaluate("window.scrollTo(0, 100)"),
    ):
        layers.hover("left", 2)
        expect(layers.lens("left")).to_be_visible()
        close()
        expect(layers.lens("left")).to_be_hidden()
        layers.page.mouse.move(5, 895)


def test_a_click_selects_a_layer_on_both_sides_and_an_earlier_answer_does_not_undo_it(layers):
    layers.expect_selected(3)
    layers.canvas("right").click(position=layers.spot("right", 4))
    picked = {"layer": 0, "head": 4, "at": 1000}
    layers.board.expect_event("picked", picked)
    layers.expect_selected(4)
    layers.board.draw("layers", "sync", at=999)  # the answer to an earlier selection
    layers.expect_selected(4)
    layers.page.evaluate(RUN_END, True)  # sends the selection to the new session
    layers.board.draw("layers", "sync")
    layers.expect_selected(4, "right")
    layers.page.evaluate(RUN_END, False)  # the server has the selection
    layers.page.evaluate(RUN_END, True)  # a new session without it
    layers.board.draw("layers", "sync")
    layers.expect_selected(3)
    assert layers.board.events("picked") == [picked] * 2


def test_arrow_keys_move_the_selection_and_enlarge_the_layer(layers):
    layers.canvas("right").focus()
    layers.page.keyboard.press("ArrowLeft")
    layers.expect_selected(2)
    lens = layers.lens("right")
    expect(lens.locator(".title")).to_have_text("minilm L2")
    expect(lens).to_be_visible()
    layers.board.expect_event("picked", {"layer": 0, "head": 2, "at": 1000})
    layers.canvas("right").evaluate(HOLD)
    layers.board.expect_event("picked", {"layer": 0, "head": 5, "at": 1007})
    assert len(layers.board.events("picked")) <= 3  # not one for each press


def test_on_a_large_screen_a_tap_selects_a_layer_and_opens_no_lens(phone):
    phone.page.set_viewport_size({"width": 1280, "height": 900})
    layers = Layers(phone)
    layers.canvas("left").tap(position=layers.spot("left", 1))
    phone.expect_event("picked", {"layer": 0, "head": 1, "at": 1000})
    slide = {"pointerType": "touch", "clientX": 300, "clientY": 40, "bubbles": True}
    layers.canvas("left").dispatch_event("pointermove", slide)  # a finger over another layer
    expect(layers.lens("left")).to_be_hidden()
