import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board
from tests.components.explore import truth

pytestmark = pytest.mark.browser


# Two tokenizations of "tokens help".
ROWS = [
    {
        "side": side,
        "chips": [{"label": each, "ids": "7", "title": each, "kind": ""} for each in labels],
        **{"picked": [], "hue": "red", "label": f"Tokens of {side}", "count": "3 tokens"},
    }
    for side, labels in (("left", ["token", "##s", "help"]), ("right", ["tokens", "he", "lp"]))
]
WORDS = [[[0, 1], [0]], [[2], [1, 2]]]


def chips(board: Board, side: str = "left") -> Locator:
    return board.part("chips").locator(f'button[data-side="{side}"]')


def pressed(board: Board, side: str = "left") -> list[int]:
    states = [each.get_attribute("aria-pressed") for each in chips(board, side).all()]
    return [index for index, state in enumerate(states) if state == "true"]


def test_a_click_and_the_keyboard_toggle_a_chip_and_keep_the_focus(board):
    board.draw("", "sync", "chips")
    expect(board.part("chips").locator(".piece")).to_have_text(list(truth("minilm").tokens))
    expect(chips(board).nth(0)).to_have_text("[CLS]101")
    chips(board).nth(10).click()
    board.expect_event("picked", {"side": "left", "units": [10]})
    chips(board).nth(2).focus()
    board.page.keyboard.press("Enter")
    board.expect_event("picked", {"side": "left", "units": [2, 10]})
    assert pressed(board) == [2, 10]
    board.page.keyboard.press("Space")
    board.expect_event("picked", {"side": "left", "units": [10]})
    assert pressed(board) == [10]
    expect(chips(board).nth(2)).to_be_focused()
    board.draw("", "sync", picked={"left": [3, 4], "right": []})  # a click on the heatmap
    assert pressed(board) == [3, 4]
    expect(chips(board).nth(3)).to_have_css("background-color", "rgb(240, 125, 20)")


def test_two_tokenizations_have_a_row_each_with_the_same_word_below(board):
    board.draw("", "chips", rows=ROWS, words=WORDS)
    ours, theirs = chips(board), chips(board, "right")
    expect(ours).to_have_count(3)
    for left, right in ((0, 0), (2, 1)):
        one, other = ours.nth(left).bounding_box(), theirs.nth(right).bounding_box()
        assert abs(one["x"] - other["x"]) < 1 and one["y"] + one["height"] <= other["y"]
    assert theirs.nth(0).get_attribute("aria-description") == "Tokens of right"
    theirs.nth(1).click()
    board.expect_event("picked", {"side": "right", "units": [1]})
    assert (pressed(board), pressed(board, "right")) == ([], [1])
    ours.nth(0).focus()
    for key, number in (("ArrowRight", 1), ("Home", 0), ("ArrowLeft", 2)):  # in its own row
        board.page.keyboard.press(key)
        expect(ours.nth(number)).to_be_focused()
    expect(board.part("chips").locator('button[tabindex="0"]')).to_have_count(2)
