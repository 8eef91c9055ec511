"""The Calculator with its server: edits and the URL, real heads, and practice."""

import pytest
from playwright.sync_api import expect

from tests.browser.calculator_page import RIGHT, CalculatorPage
from tests.browser.explore_page import ExplorePage
from tests.browser.visitor import Line
from tests.components.calculator import calculate, formatted
from tests.components.explore import DEFAULT, truth
from viz import distinct

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=a(1)>"  # 24 characters, the maximum of a name


def test_an_edit_updates_every_step_and_the_link_and_back_undoes_it(calculator, visit, base):
    calculator.open()
    calculator.expect_steps(calculate())
    calculator.shows("weights", [[0.5875, 0.4125], [0.4125, 0.5875]])  # by hand: 1 / (1 + e^-0.354)
    calculator.type("q", 0, 0, "−3,5")  # a typographic minus and a decimal comma
    edited = calculate(q=(("-3.5", "0"), ("0", "1")))
    calculator.expect_steps(edited)
    calculator.address_says(mode="own", q="−3~c5,0;0,1", k=None)
    calculator.page.reload()
    calculator.drawn().expect_steps(edited)
    calculator.holds("q", [["−3,5", "0", "0", "1"]])
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(calculator.page.url)
    classmate.drawn().expect_steps(edited)
    calculator.page.go_back()
    calculator.expect_steps(calculate())
    calculator.holds("q", [["1", "0", "0", "1"]])
    calculator.page.go_forward()
    calculator.expect_steps(edited)

    classmate.page.get_by_label("name of token 0", exact=True).first.fill(MARKUP)
    classmate.page.keyboard.press("Tab")
    classmate.at("allowed", 1, 1).click()
    classmate.at("weights", 1, 0).click()
    classmate.address_says(tokens=f"{MARKUP}|bark", hidden="1-1", look="|pair.1.0")
    classmate.page.reload()
    expect(classmate.row_names("weights")).to_have_text(["", MARKUP, "bark"])
    expect(classmate.cells("weights")).to_have_text(
        [*(formatted(x) for x in edited.steps.weights[0, 0].tolist()), "1.0000", "0.0000"]
    )
    assert classmate.page.locator("img[src='x']").count() == 0


def test_a_stale_response_does_not_overwrite_an_edit(calculator):
    line = Line(calculator.page)
    calculator.open()
    line.hold()
    calculator.type("q", 0, 0, "2")
    line.wait_for(b"q=2%2C0")  # the end of its response
    late, line.held = line.held, []
    calculator.type("q", 0, 1, "3")
    line.wait_for(b"q=2%2C3")
    later, line.held = line.held, late
    line.deliver()
    calculator.shows(
        "raw_scores", calculate(q=(("2", "0"), ("0", "1"))).steps.raw_scores[0].tolist()
    )
    calculator.holds("q", [["2", "3", "0", "1"]])
    calculator.type("v", 0, 0, "7")  # sent together with the content of Q
    line.held = later + line.held
    line.release()
    calculator.expect_steps(calculate(q=(("2", "3"), ("0", "1")), v=(("7", "0"), ("1", "1"))))
    calculator.holds("q", [["2", "3", "0", "1"]])


def test_a_head_is_calculated_and_explore_shows_the_same_head(calculator):
    calculator.open(text=DEFAULT, left="minilm", layer="3", head="1")
    weights = truth("minilm").weights[3]
    calculator.near("weights", weights[1])
    expect(calculator.row_names("weights")).to_have_text(["", *distinct(truth("minilm").tokens)])
    calculator.address_says(mode="head", left="minilm", layer="3", head="1", text=DEFAULT)
    calculator.box("Head").fill("H8")
    calculator.page.keyboard.press("Enter")
    calculator.near("weights", weights[8])
    calculator.address_says(layer="3", head="8")
    calculator.button("Options").click()
    calculator.page.get_by_role("radio", name="Causal").click()
    expect(calculator.at("weights", 0, 1)).to_have_text("0.0000")
    calculator.at_rest()
    calculator.menu("Explore")
    calculator.on(ExplorePage).drawn().shows(3, 8)
    calculator.menu("Calculator")
    expect(calculator.at("weights", 0, 1)).to_have_text("0.0000")
    calculator.address_says(head="8", mask="causal")


def test_answers_are_checked_and_stay_in_their_browser_until_they_are_cleared(
    calculator, visit, base
):
    calculator.open(mode="practice")
    calculator.fill("weights", [["58.75 %", "0.6"], ["abc", ""]])
    calculator.button("Check").click()
    expect(calculator.alerts()).to_contain_text("1 of 4 cells are right.")
    calculator.marked("weights", "right", "wrong", "unreadable", "empty")
    calculator.fill("weights", RIGHT)
    calculator.button("Check").click()
    expect(calculator.page.get_by_text("Solved:")).to_contain_text(
        "Solved: 1 of 5 exercises, 4 of "
    )
    choice = calculator.part("exercise")
    choice.get_by_role("radio", name="2").click()
    calculator.holds("weights", [[""] * 9])
    calculator.type("weights", 0, 0, "1")
    calculator.address_says(exercise="1")
    calculator.at_rest()
    link = calculator.page.url
    calculator.page.reload()
    calculator.drawn()
    calculator.holds("weights", [["1", *[""] * 8]])
    expect(calculator.page.get_by_text("Solved:")).to_contain_text(
        "Solved: 1 of 5 exercises, 4 of "
    )
    choice.get_by_role("radio", name="1", exact=True).click()
    calculator.holds("weights", RIGHT)
    calculator.marked("weights", *["right"] * 4)
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(link)  # it contains no answers
    classmate.drawn()
    classmate.holds("weights", [[""] * 9])
    calculator.button("Clear my answers to this set").click()
    calculator.holds("weights", [[""] * 4])
    calculator.at_rest()  # before that, the old score may be visible too
    calculator.page.reload()
    calculator.drawn()
    calculator.holds("weights", [[""] * 4])
