import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board

pytestmark = pytest.mark.browser

N = 16
CAUSAL = ["1" * (row + 1) + "0" * (N - row - 1) for row in range(N)]
NONE = ["1" * N] * N
HINT = "Hatched: hidden. Press or drag to change."


class Mask:
    """The editor, drawn with the data of a URL."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.page = board.page
        self.answer("causal")

    def answer(self, mask: str, **state: object) -> None:
        self.board.draw(f"decoder?part=masks&pads=0&mask={mask}", "mask_grid", state=state)

    def grid(self) -> Locator:
        return self.board.part("mask_grid").locator(".cells")

    def says(self, text: str) -> None:
        expect(self.board.part("mask_grid").locator(".said")).to_have_text(text)

    def move(self, row: int, column: int) -> None:
        self.grid().locator("i").nth(row * N + column).hover()

    def drag(self, *cells: tuple[int, int], button: str = "left") -> None:
        self.move(*cells[0])
        self.page.mouse.down(button=button)
        for cell in cells[1:]:
            self.move(*cell)
        self.page.mouse.up(button=button)

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
    mask.grid().focus()
    for key, text in {
        "ArrowRight": "[CLS] → the₁: hidden",
        "End": "[SEP] → [SEP]: allowed",
        "ArrowDown": "[CLS] → [SEP]: hidden",
        "Home": "[CLS] → [CLS]: allowed",
        "Space": "[CLS] → [CLS]: hidden",
    }.items():
        mask.page.keyboard.press(key)
        mask.says(text)
    mask.expect_sent(1, {(0, 0): "0"})
    mask.page.keyboard.press("ArrowDown")
    mask.page.keyboard.press("Enter")
    mask.expect_sent(2, {(0, 0): "0", (1, 0): "0"})


def test_a_drag_gives_every_cell_on_its_way_the_state_of_the_first_and_is_sent_once(mask):
    mask.says(HINT)
    mask.move(2, 10)
    mask.says("animal → it: hidden")
    mask.move(12, 9)
    mask.page.mouse.down()
    mask.move(8, 5)  # diagonally, with one event
    assert mask.board.events("edited") == []
    mask.page.mouse.up()
    changed = {(12 - step, 9 - step): "0" for step in range(5)}
    mask.expect_sent(1, changed)
    mask.drag((0, 7), (0, 15))
    changed |= {(0, column): "1" for column in range(7, 16)}
    mask.expect_sent(2, changed)
    mask.move(12, 3)  # no button is pressed
    mask.drag((5, 5), (5, 6), button="right")
    mask.page.mouse.move(600, 700)
    mask.says(HINT)
    assert len(mask.board.events("edited")) == 2


def test_a_chosen_mask_replaces_the_drawn_one_but_not_a_newer_edit(mask):
    mask.grid().focus()
    mask.page.keyboard.press("Enter")
    mask.expect_sent(1, {(0, 0): "0"})
    mask.answer("none")
    expect(mask.board.part("mask_grid").locator(".title")).to_have_text("No mask")
    mask.page.keyboard.press("Enter")
    mask.expect_sent(2, {(0, 0): "0"}, base=NONE)
    mask.page.keyboard.press("ArrowRight")
    mask.page.keyboard.press("Enter")
    mask.answer("causal", mask_grid_acknowledged=2)  # late
    mask.page.keyboard.press("ArrowRight")
    mask.page.keyboard.press("Enter")
    mask.expect_sent(4, {(0, 0): "0", (0, 1): "0", (0, 2): "0"}, base=NONE)
