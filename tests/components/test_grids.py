import pytest
from playwright.sync_api import expect

from tests.components.calculator import FIRST, NAMES, Calculator
from tests.components.conftest import PHONE

pytestmark = pytest.mark.browser


@pytest.fixture
def calculator(board) -> Calculator:
    return Calculator(board)


def test_a_typed_number_is_sent_as_typed_with_all_grids(calculator):
    calculator.type("q", 0, 0, "−3,5")
    calculator.expect_sent(1, q=[["−3,5", "0"], ["0", "1"]])
    calculator.cell("k", 1, 1).fill("7")
    calculator.cell("k", 1, 1).press("Tab")
    calculator.expect_sent(2, q=[["−3,5", "0"], ["0", "1"]], k=[["1", "0"], ["0.5", "7"]])


def test_keys_move_down_a_column_and_a_focused_cell_is_overwritten(calculator):
    calculator.cell("k", 0, 1).focus()
    for key, row in (("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", 0), ("Enter", 1), ("Enter", 1)):
        calculator.page.keyboard.press(key)
        expect(calculator.cell("k", row, 1)).to_be_focused()
    assert calculator.board.events("edited") == []  # no text has changed
    calculator.page.keyboard.press("ArrowUp")
    calculator.page.keyboard.type("8")
    calculator.page.keyboard.press("ArrowDown")
    calculator.page.keyboard.type("9")
    calculator.page.keyboard.press("Enter")
    calculator.expect_sent(2, k=[["1", "8"], ["0.5", "9"]])


def test_a_name_is_sent_and_a_row_without_one_has_a_placeholder(calculator):
    calculator.size("q", "rows", "+").click()
    name = calculator.grid("q").get_by_label("name of token 2", exact=True)
    expect(name).to_have_attribute("placeholder", "token 2")
    name.click()
    calculator.page.keyboard.type("abcdefghijklmnopqrstuvwxyz")
    calculator.page.keyboard.press("Tab")
    grown = {name: [*rows, ["0", "0"]] for name, rows in FIRST.items()}
    names = {**NAMES, "tokens": ["dogs", "bark", "abcdefghijklmnopqrstuvwx"]}
    fields = {"cells": grown, "names": names}
    calculator.board.expect_event("edited", {"number": 2, "fields": fields})
    calculator.answer(q="1,0;0,1;0,0", k="1,0;0.5,0.5;0,0", v="2,0;1,1;0,0", tokens="dogs|bark|<b>")
    for grid in ("q", "k", "v"):
        names = calculator.grid(grid).get_by_label("name of token 2", exact=True)
        expect(names).to_have_value("<b>")


def test_a_pasted_block_grows_a_grid_and_those_that_share_its_size(calculator):
    calculator.paste("q", 1, 1, "2\t-1\r\n\t4\t0,5\r\n")
    grown = {
        "q": [["1", "0", "0", "0"], ["0", "2", "-1", "0"], ["0", "", "4", "0,5"]],
        "k": [["1", "0", "0", "0"], ["0.5", "0.5", "0", "0"], ["0", "0", "0", "0"]],
        "v": [["2", "0"], ["1", "1"], ["0", "0"]],
    }
    calculator.expect_sent(1, **grown)
    for grid, cells in grown.items():
        calculator.holds(grid, cells)
    calculator.paste("v", 0, 1, "6\t7")
    grown["v"] = [["2", "6", "7"], ["1", "1", "0"], ["0", "0", "0"]]
    calculator.expect_sent(2, **grown)
    calculator.paste("k", 0, 1, "42")  # a number is text of its cell
    expect(calculator.cell("k", 0, 1)).to_have_value("42")
    assert len(calculator.board.events("edited")) == 2


def test_a_pasted_block_that_does_not_fit_gives_a_message(calculator):
    block = [[str(10 * i + j) for j in range(10)] for i in range(10)]
    calculator.paste("q", 0, 0, "\r\n".join(map("\t".join, block)))
    cut = calculator.grid("q").locator(".cut")
    expect(cut).to_have_text("You pasted 10 x 10 cells; 8 x 8 of them fit.")
    calculator.holds("q", [row[:8] for row in block[:8]])
    expect(calculator.size("q", "rows", "+")).to_have_attribute("aria-disabled", "true")
    calculator.type("q", 0, 0, "1")
    expect(cut).to_be_empty()  # the message was about the previous block


def test_columns_are_removed_and_added_and_the_button_keeps_the_focus(calculator):
    fewer, more = (calculator.size("q", "columns", sign) for sign in "−+")
    fewer.focus()
    for _ in range(3):  # one more than there are
        calculator.page.keyboard.press("Enter")
        expect(fewer).to_be_focused()
    calculator.expect_sent(2, q=[[], []], k=[[], []])  # K shrinks too
    expect(fewer).to_have_attribute("aria-disabled", "true")
    calculator.answer(q="2x0", k="2x0")
    expect(calculator.grid("q").locator(".problem")).to_contain_text("Q has no columns")
    for _ in range(2):
        more.click()
    zeros = [["0", "0"], ["0", "0"]]
    calculator.expect_sent(4, q=zeros, k=zeros)
    calculator.holds("q", zeros)


def test_invalid_text_is_an_error_at_its_cell_until_it_is_corrected(calculator):
    calculator.type("k", 1, 0, "abc")
    calculator.answer(k="1,0;abc,0.5")
    problems = calculator.page.locator(".grids .problem:not(:empty)")
    said = "“abc” is not a number, or too large. Write one such as 0.5 or −2."
    expect(problems).to_have_text([said])
    expect(calculator.grid("k").locator(".problem")).to_be_visible()
    expect(calculator.cell("k", 1, 0)).to_have_attribute("aria-invalid", "true")
    expect(calculator.page.locator(".grids input[aria-invalid=true]")).to_have_count(1)
    calculator.holds("k", [["1", "0"], ["abc", "0.5"]])
    calculator.type("k", 1, 0, "0.5")
    calculator.answer(k="1,0;0.5,0.5")
    expect(problems).to_have_count(0)
    expect(calculator.page.locator(".grids input[aria-invalid=true]")).to_have_count(0)


def test_an_answer_overwrites_neither_a_newer_edit_nor_the_text_that_is_being_typed(calculator):
    calculator.type("q", 0, 0, "2")
    calculator.type("q", 0, 1, "3")
    calculator.answer(q="2,0;0,1", state={"grids_acknowledged": 1})
    calculator.holds("q", [["2", "3"], ["0", "1"]])
    calculator.type("v", 0, 0, "7")
    calculator.expect_sent(3, q=[["2", "3"], ["0", "1"]], v=[["7", "0"], ["1", "1"]])
    calculator.cell("q", 0, 0).click()
    calculator.page.keyboard.type("12")
    calculator.answer(q="4,6;7,8", v="7,0;1,1")
    calculator.holds("q", [["12", "6"], ["7", "8"]])
    calculator.page.keyboard.press("Enter")
    calculator.expect_sent(4, q=[["12", "6"], ["7", "8"]], v=[["7", "0"], ["1", "1"]])


def test_on_a_phone_grids_have_sizes_for_a_finger_and_a_wide_one_scrolls(calculator):
    calculator.page.set_viewport_size(PHONE)
    for button in calculator.board.part("grids").locator(".sizes button").all():
        assert min(button.bounding_box()[side] for side in ("width", "height")) >= 32
    inputs = calculator.page.locator(".grids input")
    size = "(inputs) => inputs.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    assert min(inputs.evaluate_all(size)) >= 16  # smaller text would make a phone zoom in
    for _ in range(6):
        calculator.size("q", "columns", "+").click()
    page, grid = calculator.page.locator("html"), calculator.grid("q").locator(".scroll")
    wider = "(box) => box.scrollWidth > box.clientWidth"
    assert grid.evaluate(wider) and not page.evaluate(wider)
