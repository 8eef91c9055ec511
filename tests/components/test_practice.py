import pytest
from playwright.sync_api import Locator, expect

from model.calculator.practice.numeric import numeric_exercises
from pages.calculator.practice_answers import Key
from tests.components.calculator import Calculator, Cells
from tests.components.conftest import PHONE

pytestmark = pytest.mark.browser

SET = "1.1.weights"
EMPTY = [["", ""], ["", ""]]
GIVEN = {"Q": [["1", "0"], ["0", "1"]], "K": [["1", "0"], ["0.5", "0.5"]]}
RIGHT = [["0.5875", "0.4125"], ["0.4125", "0.5875"]]  # exercise 1 by hand: 1 / (1 + e^-0.3536)
FIRST, SECOND = Key(1, 1, 0, "weights"), Key(1, 1, 1, "weights")
STORED = "() => JSON.parse(localStorage.getItem('headlight.practice.1.1.weights'))"
SIGN = "(cells) => cells.map((cell) => getComputedStyle(cell, '::after').content)"


@pytest.fixture
def practice(board) -> Calculator:
    return Calculator(board, mode="practice")


def answered(cells: Cells, handed_in: Cells | None = None, **more: object) -> dict[str, object]:
    """The state of a session with answers to exercise 1, of which some were handed in."""
    found = {} if handed_in is None else {FIRST: handed_in}
    return {"answers": {FIRST: cells}, "handed_in": found, "recalled": {SET}, **more}


def expect_sent(practice: Calculator, number: int, cells: Cells, **more: object) -> None:
    """Wait until an edit sends the given grids, the answers, and what the browser has stored."""
    fields = {"cells": {**GIVEN, "weights": cells}, "names": {}, **more}
    practice.board.expect_event("edited", {"number": number, "fields": fields})


def test_each_cell_is_marked_with_a_sign(practice):
    cells = [["58.75 %", "0,4125"], ["0.3775", "half"]]
    practice.answer(state=answered(cells, cells))
    practice.holds("weights", cells)
    marks = practice.grid("weights").locator("td")
    expect(marks).to_have_class(["right", "right", "wrong", "unreadable"])
    assert marks.evaluate_all(SIGN) == ['"✓"', '"✓"', '"✗"', '"?"']
    # A changed cell has no mark until the next check, and an empty one has no sign.
    cells = [["0.5875", ""], ["1/2", "0,5875"]]
    practice.answer(state=answered(cells, [["0.5", ""], ["1/2", "0,5875"]]))
    expect(marks).to_have_class(["", "empty", "wrong", "right"])
    assert marks.evaluate_all(SIGN) == ["none", "none", '"✗"', '"✓"']


def test_an_answer_is_sent_and_stored_under_its_exercise_and_survives_a_reload(practice):
    practice.type("weights", 0, 0, "0.5")
    own = {"0": {"weights": [["0.5", ""], ["", ""]]}}
    expect_sent(practice, 1, own["0"]["weights"], stored={"set": SET, "items": own})
    assert practice.page.evaluate(STORED) == own
    practice.answer(exercise="1", state=answered(own["0"]["weights"]))
    practice.holds("weights", [[""] * 3] * 3)
    practice.type("weights", 2, 1, "7")
    second = [[""] * 3, [""] * 3, ["", "7", ""]]
    practice.page.wait_for_function("() => host.events.length === 2")
    items = {**own, "1": {"weights": second}}
    assert practice.page.evaluate(STORED) == items
    fields = practice.board.events("edited")[-1]["fields"]
    assert fields["cells"]["weights"] == second and "stored" not in fields
    practice.page.reload()  # a new session receives them
    reloaded = Calculator(practice.board, mode="practice")
    reloaded.holds("weights", own["0"]["weights"])
    stored = {"set": SET, "items": items}
    expect_sent(reloaded, 1, own["0"]["weights"], stored=stored, recalled=True)
    reloaded.answer(seed="2")  # another set has none
    reloaded.holds("weights", EMPTY)
    assert len(reloaded.board.events("edited")) == 1


def test_a_session_that_has_lost_the_answers_receives_them_again(practice):
    practice.answer(state=answered(RIGHT, answer_grids_acknowledged=4))
    practice.type("weights", 0, 0, "0.6")
    typed = [["0.6", "0.4125"], RIGHT[1]]
    expect_sent(practice, 5, typed)
    practice.answer(state=answered(typed, answer_grids_acknowledged=5))
    # The session on a restarted server has received fewer edits.
    practice.answer(state={"recalled": {SET}, "answer_grids_acknowledged": 1})
    practice.holds("weights", typed)
    expect_sent(practice, 6, typed, recalled=True)


def test_a_block_fills_only_the_cells_of_an_unlocked_grid(practice):
    practice.paste("weights", 0, 1, "0.1\t0.2\r\n0.3\t0.4")
    practice.holds("weights", [["", "0.1"], ["", "0.3"]])
    expect(practice.grid("weights").locator(".cut")).to_have_text(
        "You pasted 2 x 2 cells; 2 x 1 of them fit."
    )
    practice.paste("Q", 0, 0, "5\t6\r\n7\t8")
    practice.page.keyboard.type("9")
    practice.holds("Q", GIVEN["Q"])
    assert len(practice.board.events("edited")) == 1
    practice.page.set_viewport_size(PHONE)
    q, k = (practice.grid(name).bounding_box() for name in "QK")
    assert q["y"] == k["y"] and q["x"] + q["width"] <= k["x"]  # side by side


def test_the_revealed_answer_selects_cells_and_cannot_be_changed(practice):
    truth = numeric_exercises(1, 1)[1].calculation()
    revealed = {"answers": {}, "handed_in": {}, "recalled": {SET}, "revealed": {SECOND}}
    practice.answer("steps", exercise="1", state=revealed)
    practice.expect_steps(truth)
    practice.at("weights", 2, 1).click()
    practice.expect_look(1, "", "pair", 2, 1)
    practice.at("allowed", 0, 1).click()  # selects, does not hide
    practice.expect_look(2, "", "pair", 0, 1)


@pytest.fixture
def drawing(board) -> Calculator:
    return Calculator(board, mode="practice", level="1", ask="mask")


def switches(drawing: Calculator) -> Locator:
    return drawing.grid("mask").get_by_role("switch")


def test_keys_move_between_switches_and_change_them(drawing):
    switches(drawing).nth(6).focus()
    for key in ("ArrowUp", " ", "End", " ", "ArrowRight", "ArrowDown", "Enter", "Home"):
        drawing.page.keyboard.press(key)
    rows = (".1...", "1....", ".....", ".....", "....1")  # a point was never changed
    cells = [[cell.strip(".") for cell in row] for row in rows]
    drawing.page.wait_for_function(
        "(cells) => JSON.stringify(host.events.at(-1)?.[2].fields.cells.mask) === cells",
        arg=str(cells).replace("'", '"').replace(" ", ""),
    )
    for index, cell in enumerate("".join(rows)):
        state = "true" if cell == "1" else "false"
        expect(switches(drawing).nth(index)).to_have_attribute("aria-checked", state)
    expect(switches(drawing).nth(0)).to_be_focused()
    expect(switches(drawing).nth(0)).to_have_accessible_name("0 → 0: hidden")
