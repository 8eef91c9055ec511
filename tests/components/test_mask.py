"""The mask editor of the Decoder page: keys, drags, taps, pixels, late answers."""

import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board

pytestmark = pytest.mark.browser

N = 16
CAUSAL = ["1" * (row + 1) + "0" * (N - row - 1) for row in range(N)]
NONE = ["1" * N] * N
HINT = "Press or drag over cells to draw a mask"

# The layout in pixels: see mask.js. The longest name is "because".
LEFT, RIGHT, ABOVE, HEIGHT = 7 * 6.4 + 8, 26, 72, 242

COLOUR = """(canvas, [x, y]) => {
  const scale = canvas.width / canvas.clientWidth;
  return [...canvas.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data];
}"""


class Mask:
    """The editor, drawn with the data of a URL."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.page = board.page
        self.answer("causal")

    def answer(self, mask: str, **state: object) -> None:
        """Draw the server's answer."""
        self.board.draw(f"decoder?part=masks&pads=0&mask={mask}", "mask_grid", state=state)

    def canvas(self) -> Locator:
        return self.board.part("mask_grid").locator("canvas")

    def says(self, text: str) -> None:
        """Wait until the line above the cells has this text."""
        expect(self.board.part("mask_grid").locator(".said")).to_have_text(text)

    def middle(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a cell on the canvas."""
        width = (self.canvas().bounding_box()["width"] - LEFT - RIGHT) / N
        return LEFT + (column + 0.5) * width, ABOVE + (row + 0.5) * HEIGHT / N

    def move(self, row: int, column: int) -> None:
        """Move the mouse to a cell, without an event on the way."""
        (x, y), box = self.middle(row, column), self.canvas().bounding_box()
        self.page.mouse.move(box["x"] + x, box["y"] + y)

    def drag(self, *cells: tuple[int, int], button: str = "left") -> None:
        self.move(*cells[0])
        self.page.mouse.down(button=button)
        for cell in cells[1:]:
            self.move(*cell)
        self.page.mouse.up(button=button)

    def finger(self, event: str, row: int, column: int) -> None:
        (x, y), box = self.middle(row, column), self.canvas().bounding_box()
        at = {"clientX": box["x"] + x, "clientY": box["y"] + y, "pointerType": "touch"}
        self.canvas().dispatch_event(f"pointer{event}", at)

    def colour(self, row: int, column: int) -> list[int]:
        """Red, green, blue and opacity near the middle of a cell, beside its slash."""
        x, y = self.middle(row, column)
        return self.canvas().evaluate(COLOUR, [x + 8, y + 3])

    def expect_sent(self, number: int, changed: dict[tuple[int, int], str], base=CAUSAL) -> None:
        """Wait until an edit sends all rows: the base, with some cells changed."""
        rows = [
            "".join(changed.get((row, column), cell) for column, cell in enumerate(line))
            for row, line in enumerate(base)
        ]
        self.board.expect_event("edited", {"number": number, "fields": {"rows": rows}})


@pytest.fixture
def mask(board) -> Mask:
    return Mask(board)


def test_arrow_keys_move_and_the_space_bar_changes_a_cell(mask):
    mask.canvas().focus()
    for key, text in {
        "ArrowRight": "[CLS] → the₁: hidden",
        "End": "[CLS] → [SEP]: hidden",
        "ArrowUp": "[CLS] → [SEP]: hidden",  # stops at the edge
        "ArrowDown": "the₁ → [SEP]: hidden",
        "ArrowLeft": "the₁ → .: hidden",
        "Home": "the₁ → [CLS]: allowed",
    }.items():
        mask.page.keyboard.press(key)
        mask.says(text)
    mask.page.keyboard.press("Space")
    mask.says("the₁ → [CLS]: hidden")
    mask.expect_sent(1, {(1, 0): "0"})
    mask.page.keyboard.press("ArrowDown")
    mask.page.keyboard.press("Enter")
    mask.expect_sent(2, {(1, 0): "0", (2, 0): "0"})


def test_a_drag_gives_every_cell_on_its_way_the_state_of_the_first(mask):
    mask.drag((12, 9), (8, 5))  # diagonally, with one event at the end
    mask.expect_sent(1, {(12 - step, 9 - step): "0" for step in range(5)})
    mask.drag((0, 7), (0, 15))
    changed = {(12 - step, 9 - step): "0" for step in range(5)}
    mask.expect_sent(2, changed | {(0, column): "1" for column in range(7, 16)})


def test_a_drag_is_sent_once_when_it_ends(mask):
    mask.move(15, 3)
    mask.page.mouse.down()
    for row in (14, 13):
        mask.move(row, 3)
    assert mask.board.events("edited") == []
    mask.page.mouse.up()
    mask.expect_sent(1, {(15, 3): "0", (14, 3): "0", (13, 3): "0"})
    mask.move(12, 3)  # no button is pressed
    mask.drag((5, 5), (5, 6), button="right")
    assert len(mask.board.events("edited")) == 1


def test_a_tap_changes_one_cell_and_a_scroll_none(mask):
    mask.finger("down", 6, 2)
    mask.finger("move", 3, 2)
    mask.finger("cancel", 3, 2)  # the browser scrolls
    mask.finger("up", 3, 2)
    assert mask.board.events("edited") == []
    mask.finger("down", 6, 2)
    mask.finger("up", 6, 2)
    mask.expect_sent(1, {(6, 2): "0"})


def test_the_cell_under_the_mouse_is_described(mask):
    mask.says(HINT)
    mask.move(10, 2)
    mask.says("it → animal: allowed")
    mask.move(2, 10)
    mask.says("animal → it: hidden")
    mask.page.mouse.move(600, 700)
    mask.says(HINT)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_allowed_cells_have_the_hue_and_hidden_cells_are_faint(board, scheme):
    board.page.emulate_media(color_scheme=scheme)
    mask = Mask(board)
    allowed, hidden = [240, 125, 20, 217], mask.colour(3, 9)
    for cell in ((0, 0), (9, 3), (15, 0)):
        assert mask.colour(*cell) == pytest.approx(allowed, abs=1)
    assert hidden[3] == round(0.09 * 255)
    ink = hidden[:3]
    assert max(ink) < 90 if scheme == "light" else min(ink) > 200
    mask.drag((3, 9))
    assert mask.colour(3, 9) == pytest.approx(allowed, abs=1)
    mask.answer("none")
    assert mask.colour(0, 15) == pytest.approx(allowed, abs=1)
    expect(board.part("mask_grid").locator(".title")).to_have_text("Mask: none")


def test_a_chosen_mask_replaces_the_drawn_one_but_not_a_newer_edit(mask):
    mask.canvas().focus()
    mask.page.keyboard.press("Enter")
    mask.expect_sent(1, {(0, 0): "0"})
    mask.answer("none")
    mask.page.keyboard.press("Enter")
    mask.expect_sent(2, {(0, 0): "0"}, base=NONE)
    mask.page.keyboard.press("ArrowRight")
    mask.page.keyboard.press("Enter")
    mask.answer("causal", mask_grid_acknowledged=2)  # late
    mask.page.keyboard.press("ArrowRight")
    mask.page.keyboard.press("Enter")
    mask.expect_sent(4, {(0, 0): "0", (0, 1): "0", (0, 2): "0"}, base=NONE)
