"""Practice in the browser: fill in, check, reveal, and store answers."""

import re

import pytest
from playwright.sync_api import Locator, expect
from torch import Tensor

from model.calculator.practice.numeric import numeric_exercises
from tests.browser.calculator_page import CalculatorPage, formatted

pytestmark = pytest.mark.browser

RIGHT = [["0.5875", "0.4125"], ["0.4125", "0.5875"]]  # exercise 1 by hand: 1 / (1 + e^-0.3536)
UNSCALED = [["0.6225", "0.3775"], ["0.3775", "0.6225"]]  # 1 / (1 + e^-0.5)


def fill(calculator: CalculatorPage, step: str, cells: list[list[str]]) -> None:
    for i, row in enumerate(cells):
        for j, text in enumerate(row):
            calculator.cell(step, i, j).fill(text)
            calculator.cell(step, i, j).press("Tab")


def cells_of(matrix: Tensor) -> list[str]:
    return [f"{x:g}" for x in matrix.flatten().tolist()]


def marks(calculator: CalculatorPage, step: str) -> Locator:
    return calculator.grid(step).locator("td")


def mark_drawn(calculator: CalculatorPage, step: str) -> str:
    """The sign in a step's first cell."""
    return (
        calculator.grid(step)
        .locator("td")
        .first.evaluate("cell => getComputedStyle(cell, '::after').content")
    )


def all_marked(calculator: CalculatorPage, step: str, expected: list[str]) -> None:
    expect(marks(calculator, step)).to_have_class([re.compile(f"^{mark}$") for mark in expected])


def score(calculator: CalculatorPage) -> Locator:
    return calculator.page.get_by_text("Score:")


def test_wrong_answers_are_marked_and_right_ones_count(calculator):
    calculator.open(mode="practice")
    calculator.holds("Q", "1", "0", "0", "1")
    calculator.holds("K", "1", "0", "0.5", "0.5")
    expect(score(calculator)).to_contain_text("Score: 0 of 5 exercises, 0 of ")
    fill(calculator, "weights", UNSCALED)
    calculator.press("Check")
    expect(calculator.alerts()).to_contain_text("0 of 4 cells are right.")
    all_marked(calculator, "weights", ["wrong"] * 4)
    assert mark_drawn(calculator, "weights") == '"✗"'
    calculator.expect_no_nan()
    # A changed cell loses its mark until the next check.
    calculator.type("weights", 0, 0, RIGHT[0][0])
    all_marked(calculator, "weights", ["", "wrong", "wrong", "wrong"])
    calculator.press("Check")
    expect(calculator.alerts()).to_contain_text("1 of 4 cells are right.")
    all_marked(calculator, "weights", ["right", "wrong", "wrong", "wrong"])
    fill(calculator, "weights", [["0.5875", "abc"], ["", "0,5875"]])
    calculator.press("Check")
    all_marked(calculator, "weights", ["right", "unreadable", "empty", "right"])
    expect(score(calculator)).to_contain_text("Score: 0 of 5 exercises, 2 of ")
    fill(calculator, "weights", RIGHT)
    calculator.press("Check")
    expect(calculator.alerts()).to_have_text("All 4 cells are right.")
    all_marked(calculator, "weights", ["right"] * 4)
    assert mark_drawn(calculator, "weights") == '"✓"'
    expect(score(calculator)).to_contain_text("Score: 1 of 5 exercises, 4 of ")
    # The next exercise is empty, and the answers to the first exercise remain.
    choice = calculator.part("exercise")
    choice.get_by_role("radio", name="2").click()
    expect(marks(calculator, "weights")).to_have_count(9)
    calculator.holds("weights", *[""] * 9)
    expect(score(calculator)).to_contain_text("Score: 1 of 5 exercises")
    choice.get_by_role("radio", name="1 ✓").click()
    expect(marks(calculator, "weights")).to_have_count(4)
    calculator.holds("weights", *RIGHT[0], *RIGHT[1])


def test_the_answer_is_revealed_with_all_its_steps(calculator):
    calculator.open(mode="practice", exercise="1")
    expect(calculator.sheet()).to_have_count(0)
    calculator.press("Show the answer")
    truth = numeric_exercises(1, 1)[1].calculation()
    calculator.expect_steps(truth)
    calculator.at("weights", 2, 1).click()
    expect(calculator.arithmetic("softmax")).to_contain_text(
        f"A[2, 1] = {formatted(truth.exponentials[0, 2, 1])} ÷"
    )
    calculator.press("Hide the answer")
    expect(calculator.sheet()).to_have_count(0)


def test_a_link_gives_another_browser_the_same_exercises(calculator, visit, base):
    calculator.open(mode="practice", level="3", seed="7", exercise="3", ask="context")
    link = calculator.page.url
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(link)
    classmate.drawn()
    exercise = numeric_exercises(7, 3)[3]
    for pupil in (calculator, classmate):
        for name, matrix in (("Q", exercise.q), ("K", exercise.k), ("V", exercise.v)):
            pupil.holds(name, *cells_of(matrix))
    truth = [[formatted(x) for x in row] for row in exercise.true("context").tolist()]
    fill(classmate, "context", truth)
    classmate.press("Check")
    all_marked(classmate, "context", ["right"] * exercise.true("context").numel())
    # Another number gives other exercises, and the link contains that number.
    box = calculator.page.get_by_role("spinbutton", name="Set")
    box.fill("8")
    box.press("Enter")
    calculator.address_says(mode="practice", level="3", seed="8", exercise="3", ask="context")
    other = numeric_exercises(8, 3)[3]
    assert cells_of(other.q) != cells_of(exercise.q)
    calculator.holds("Q", *cells_of(other.q))
    calculator.holds("context", *[""] * other.true("context").numel())


def test_a_link_without_reveal_has_no_reveal_controls(calculator, visit, base):
    calculator.open(mode="practice", seed="5")
    calculator.page.get_by_text("Allow “Show the answer”").click()
    calculator.address_says(reveal="0")
    notice = calculator.page.get_by_text("Answers are hidden in this set.")
    expect(notice).to_be_visible()
    # Only the teacher's page has this toggle.
    expect(calculator.page.get_by_text("Allow “Show the answer”")).to_be_visible()
    calculator.at_rest()
    copy, words = calculator.page.get_by_role("button", name="Copy link"), notice.bounding_box()
    assert 0 <= copy.bounding_box()["x"] - words["x"] - words["width"] < 60  # side by side
    pupil = visit(base, CalculatorPage)
    pupil.page.goto(calculator.page.url)
    pupil.drawn()
    expect(pupil.page.get_by_text("Answers are hidden in this set.")).to_be_visible()
    expect(pupil.page.get_by_role("button", name="Check")).to_be_visible()
    expect(pupil.page.get_by_role("button", name="Show the answer")).to_have_count(0)
    expect(pupil.page.get_by_text("Allow “Show the answer”")).to_have_count(0)
    expect(pupil.sheet()).to_have_count(0)
    calculator.page.get_by_text("Allow “Show the answer”").click()
    expect(
        calculator.page.get_by_role("button", name="Show the answer", exact=True)
    ).to_be_visible()


def test_answers_are_checked_to_the_chosen_decimals(calculator):
    calculator.open(mode="practice", decimals="2")
    expect(calculator.page.get_by_text("2 decimals. Answers within 0.02 count")).to_be_visible()
    fill(calculator, "weights", [["0.59", "0.41"], ["0.38", "0.61"]])
    calculator.press("Check")
    all_marked(calculator, "weights", ["right", "right", "wrong", "wrong"])
    calculator.part("decimals").get_by_role("radio", name="4").click()
    expect(calculator.page.get_by_text("4 decimals. Answers within 0.0002 count")).to_be_visible()
    all_marked(calculator, "weights", ["wrong"] * 4)
    calculator.address_says(decimals=None)


def test_answers_survive_a_reload_in_their_browser_until_they_are_cleared(calculator, visit, base):
    calculator.open(mode="practice")
    fill(calculator, "weights", RIGHT)
    calculator.press("Check")
    expect(score(calculator)).to_contain_text("Score: 1 of 5 exercises, 4 of ")
    choice = calculator.part("exercise")
    choice.get_by_role("radio", name="2").click()
    expect(marks(calculator, "weights")).to_have_count(9)
    calculator.type("weights", 0, 0, "1")
    calculator.address_says(exercise="1")
    calculator.at_rest()
    link = calculator.page.url
    calculator.page.reload()
    calculator.drawn()
    calculator.holds("weights", "1", *[""] * 8)
    expect(score(calculator)).to_contain_text("Score: 1 of 5 exercises, 4 of ")
    choice.get_by_role("radio", name="1 ✓").click()
    calculator.holds("weights", *RIGHT[0], *RIGHT[1])
    all_marked(calculator, "weights", ["right"] * 4)
    # The link contains no answers.
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(link)
    classmate.drawn()
    classmate.holds("weights", *[""] * 9)
    expect(score(classmate)).to_contain_text("Score: 0 of 5 exercises, 0 of ")
    # Clearing affects only this set.
    calculator.press("Clear my answers to this set")
    calculator.holds("weights", *[""] * 4)
    calculator.at_rest()  # before that, the old score may be visible too
    expect(score(calculator)).to_contain_text("Score: 0 of 5 exercises, 0 of ")
    calculator.page.reload()
    calculator.drawn()
    calculator.holds("weights", *[""] * 4)
    expect(score(calculator)).to_contain_text("Score: 0 of 5 exercises, 0 of ")


def test_a_percentage_and_a_decimal_comma_are_read_and_words_are_not(calculator):
    calculator.open(mode="practice")
    fill(calculator, "weights", [["58.75 %", "0,4125"], ["1/2", "half"]])
    calculator.press("Check")
    expect(calculator.alerts()).to_contain_text("2 of 4 cells are right.")
    all_marked(calculator, "weights", ["right", "right", "wrong", "unreadable"])


def test_a_mask_is_drawn_by_mouse_and_keys_and_survives_a_reload(calculator):
    calculator.open(mode="practice", level="1", seed="1", ask="mask")  # causal, 5 tokens
    page = calculator.page
    cells = calculator.grid("mask").get_by_role("switch")
    expect(cells).to_have_count(25)
    for row in range(1, 4):  # a drag from the first cell to the diagonal
        cells.nth(5 * row).hover()
        page.mouse.down()
        cells.nth(5 * row + row).hover(force=True)
        for column in range(row + 1):
            cells.nth(5 * row + column).hover(force=True)
        page.mouse.up()
    cells.nth(0).click()
    cells.nth(0).press("ArrowDown")
    for _step in range(3):
        page.keyboard.press("ArrowDown")
    for _column in range(5):
        page.keyboard.press(" ")
        page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")  # the last cell becomes hidden again
    calculator.press("Check")
    expect(calculator.alerts()).to_contain_text("24 of 25 cells are right.")
    link = page.url
    page.reload()
    calculator.drawn()
    assert page.url == link
    on = [[column <= row and (row, column) != (4, 4) for column in range(5)] for row in range(5)]
    for at, wanted in enumerate(cell for row in on for cell in row):
        expect(cells.nth(at)).to_have_attribute("aria-checked", str(wanted).lower())
