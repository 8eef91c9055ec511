from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board

pytestmark = pytest.mark.browser

WORDS = ["the", "dog", "chased", "a", "cat"]


class Order:
    def __init__(self, board: Board, *words: str) -> None:
        self.board = board
        self.page = board.page
        self.typed = words
        self.answer(".".join(map(str, range(len(words)))))

    def answer(self, order: str) -> None:
        address = {"kind": "shuffle", "text": " ".join(self.typed), "order": order}
        self.board.draw(f"positions?{urlencode(address)}", "word_order")

    def words(self) -> Locator:
        return self.board.part("word_order").locator(".words button")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def hold(self, place: int) -> None:
        self.words().nth(place).hover()
        self.page.mouse.down()

    def drag_over(self, place: int, *parts: float) -> list[str]:
        """Move the mouse through a word from left to right; return the order after each move."""
        box = self.words().nth(place).bounding_box()
        orders = []
        for part in parts:
            self.page.mouse.move(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
            orders.append(self.words().all_inner_texts())
        return orders

    def expect_order(self, *order: int) -> None:
        """Each word shows its original place."""
        expect(self.words()).to_have_text([f"{self.typed[word]}{word}" for word in order])

    def expect_sent(self, *order: int) -> None:
        self.expect_order(*order)
        self.board.expect_event("moved", {"order": list(order)})


@pytest.fixture
def order(board) -> Order:
    return Order(board, *WORDS)


def test_a_dragged_word_takes_the_place_under_the_pointer_and_is_sent_once(order):
    order.hold(0)
    for place in (1, 2, 3):
        order.drag_over(place, 0.5)
    order.expect_order(1, 2, 3, 0, 4)
    expect(order.words().nth(3)).to_have_class("moved held")
    order.page.mouse.move(1000, 700)  # the release counts anywhere
    assert order.board.events("moved") == []
    order.page.mouse.up()
    order.expect_sent(1, 2, 3, 0, 4)
    assert len(order.board.events("moved")) == 1
    expect(order.board.part("word_order").locator(".words .moved")).to_have_count(4)


def test_dragging_a_short_word_across_a_long_one_swaps_them_once(board):
    order = Order(board, "I", "incomprehensibilities", "agree", "so")
    order.hold(0)
    # Through the second half of the long word: no move may undo an earlier one.
    orders = order.drag_over(1, 0.6, 0.65, 0.7, 0.75, 0.8)
    order.page.mouse.up()
    order.expect_sent(1, 0, 2, 3)
    assert orders == [orders[0]] * 5


def test_arrow_keys_move_the_focused_word_and_keep_the_focus(order):
    order.words().nth(1).focus()
    order.page.keyboard.press("ArrowRight")
    order.page.keyboard.press("ArrowRight")
    order.expect_sent(0, 2, 3, 1, 4)
    order.answer("0.2.3.1.4")
    expect(order.words().nth(3)).to_be_focused()
    for _ in range(4):  # one more than the places before it
        order.page.keyboard.press("ArrowLeft")
    order.expect_sent(1, 0, 2, 3, 4)
    expect(order.words().nth(0)).to_be_focused()


def test_the_buttons_shuffle_reverse_and_restore_the_words(order):
    order.press("Reverse")
    order.expect_sent(4, 3, 2, 1, 0)
    before = [4, 3, 2, 1, 0]
    for _ in range(5):
        order.press("Shuffle")
        shuffled = order.board.events("moved")[-1]["order"]
        assert sorted(shuffled) == [0, 1, 2, 3, 4] and shuffled != before
        before = shuffled
    order.expect_order(*before)
    order.press("As typed")
    order.expect_sent(0, 1, 2, 3, 4)
    expect(order.board.part("word_order").locator(".moved")).to_have_count(0)
