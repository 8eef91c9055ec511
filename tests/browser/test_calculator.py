"""The Calculator with its server: edits and the URL, real heads, and practice."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from model.calculator.practice.numeric import numeric_exercises
from tests.browser.calculator_page import CalculatorPage, calculate, formatted
from tests.browser.explore_page import DEFAULT, ExplorePage, truth
from tests.browser.visitor import SlowLine
from viz import distinct

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=a(1)>"  # 24 characters, the maximum of a name
LONG = ("the dog saw the cat and " * 10).strip() + "."  # 63 tokens
IT, ANIMAL = 10, 2  # positions in the default sentence


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
    calculator.holds("q", "−3,5", "0", "0", "1")
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(calculator.page.url)
    classmate.drawn().expect_steps(edited)
    calculator.page.go_back()
    calculator.expect_steps(calculate())
    calculator.holds("q", "1", "0", "0", "1")
    calculator.page.go_forward()
    calculator.expect_steps(edited)

    classmate.page.get_by_label("name of token 0", exact=True).first.fill(MARKUP)
    classmate.page.keyboard.press("Tab")
    classmate.at("allowed", 1, 1).click()
    classmate.at("weights", 1, 0).click()
    classmate.address_says(tokens=f"{MARKUP}|think", hidden="1-1", look="|pair.1.0")
    classmate.type("k", 1, 0, "abc")
    problem = classmate.grid("k").locator(".problem")
    expect(problem).to_have_text("“abc” is not a number. Write one such as 0.5 or −2.")
    classmate.address_says(k="1,0;abc,0.5")
    classmate.page.reload()
    expect(problem).to_have_text("“abc” is not a number. Write one such as 0.5 or −2.")
    classmate.holds("k", "1", "0", "abc", "0.5")
    classmate.type("k", 1, 0, "0.5")
    expect(classmate.row_names("weights")).to_have_text(["", MARKUP, "think"])
    expect(classmate.cells("weights")).to_have_text(
        [*(formatted(x) for x in edited.steps.weights[0, 0].tolist()), "1.0000", "0.0000"]
    )
    assert classmate.page.locator("img[src='x']").count() == 0


def test_a_stale_response_does_not_overwrite_an_edit(calculator):
    line = SlowLine(calculator.page)
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
    calculator.holds("q", "2", "3", "0", "1")
    calculator.type("v", 0, 0, "7")  # sent together with the content of Q
    line.held = later + line.held
    line.release()
    calculator.expect_steps(calculate(q=(("2", "3"), ("0", "1")), v=(("7", "0"), ("1", "1"))))
    calculator.holds("q", "2", "3", "0", "1")


def test_an_example_has_its_story_until_its_numbers_change_and_after_back(calculator):
    calculator.open()
    calculator.choose("Take an example", "Worked example")
    expect(calculator.cells("weights")).to_have_text(["0.1763", "0.2101", "0.3336", "0.2800"])
    expect(calculator.row_names("weights")).to_have_text(["", "love"])
    calculator.address_says(q="1", temperature="8", sources="I|love|learning|AI", story="worked")
    calculator.type("k", 0, 0, "5")
    expect(calculator.page.get_by_text("Numbers changed.")).to_be_visible()
    calculator.at_rest()  # the URL contains the edit
    calculator.page.reload()
    expect(calculator.page.get_by_text("Numbers changed.")).to_be_visible()
    calculator.page.go_back()
    expect(calculator.page.get_by_text("Worked example: I love learning AI.")).to_be_visible()
    expect(calculator.page.get_by_text("Numbers changed.")).to_have_count(0)
    calculator.choose("Take an example", "Two heads")
    expect(calculator.cells("output")).to_have_count(12)
    before = calculator.cells("weights").all_text_contents()
    calculator.part("followed").get_by_role("radio", name="1").click()
    expect(calculator.cells("weights")).not_to_have_text(before)
    calculator.address_says(form="x", followed="1")


# -- a real head ---------------------------------------------------------------------------------


def test_a_head_of_explore_is_calculated_and_the_menu_leads_back(explore):
    explore.open(left="scratch-minilm", right="minilm", layer="3", head="1")
    explore.page.get_by_role("link", name="Step by step").nth(1).click()
    calculator = explore.on(CalculatorPage).drawn()
    weights = truth("minilm").weights[3]
    calculator.near("weights", weights[1])
    expect(calculator.row_names("weights")).to_have_text(["", *distinct(truth("minilm").tokens)])
    calculator.address_says(mode="head", left="minilm", layer="3", head="1", text=DEFAULT)
    # The strongest link is selected.
    expect(calculator.at("weights", IT, ANIMAL)).to_have_class(re.compile("chosen"))
    expect(calculator.arithmetic("softmax")).to_contain_text("A[it, animal] =")
    expect(calculator.page.get_by_text("No weight differs from the model")).to_be_visible()
    calculator.choose("Head", "H8")
    calculator.near("weights", weights[8])
    calculator.address_says(layer="3", head="8")
    calculator.page.get_by_role("radio", name="Causal").click()
    expect(calculator.page.get_by_text("Your settings differ from the model")).to_be_visible()
    expect(calculator.at("weights", 0, 1)).to_have_text("0.0000")
    calculator.at_rest()
    calculator.menu("Explore")
    explore.on(ExplorePage).drawn().shows(3, 8)  # both pages show the same head
    explore.address_says(left="scratch-minilm", right="minilm", layer="3", head="8")
    explore.menu("Calculator")
    expect(calculator.at("weights", 0, 1)).to_have_text("0.0000")
    calculator.address_says(head="8", mask="causal")


def test_a_long_sentence_has_a_window_and_all_tokens_take_part(calculator):
    calculator.open(text=LONG, left="minilm", layer="2", head="3")
    capture = truth("minilm", LONG)
    names = distinct(capture.tokens)
    label = re.compile("First token on screen .16 of 63; all are computed.")
    slider = calculator.page.get_by_role("slider", name=label)
    for first in (0, 47):
        if first:
            slider.press("End")
            calculator.address_says(first=str(first))
        last = first + 16
        expect(calculator.row_names("weights")).to_have_text(["", *names[first:last], "… 47"])
        expected = capture.weights[2, 3, first:last, first:last]
        calculator.near("weights", expected)
        assert expected.sum(axis=1).max() < 0.99  # keys that are not drawn have weights too
    calculator.page.reload()
    calculator.drawn()
    expect(calculator.row_names("weights").nth(1)).to_have_text(names[47])


# -- practice ------------------------------------------------------------------------------------

RIGHT = [["0.5875", "0.4125"], ["0.4125", "0.5875"]]  # exercise 1 by hand: 1 / (1 + e^-0.3536)


def score(calculator: CalculatorPage) -> Locator:
    return calculator.page.get_by_text("Score:")


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
    expect(score(calculator)).to_contain_text("Score: 1 of 5 exercises, 4 of ")
    choice = calculator.part("exercise")
    choice.get_by_role("radio", name="2").click()
    calculator.holds("weights", *[""] * 9)
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
    calculator.marked("weights", *["right"] * 4)
    # The link contains no answers.
    classmate = visit(base, CalculatorPage)
    classmate.page.goto(link)
    classmate.drawn()
    classmate.holds("weights", *[""] * 9)
    expect(score(classmate)).to_contain_text("Score: 0 of 5 exercises, 0 of ")
    # Clearing affects only this set.
    calculator.button("Clear my answers to this set").click()
    calculator.holds("weights", *[""] * 4)
    calculator.at_rest()  # before that, the old score may be visible too
    calculator.page.reload()
    calculator.drawn()
    calculator.holds("weights", *[""] * 4)
    expect(score(calculator)).to_contain_text("Score: 0 of 5 exercises, 0 of ")


def test_a_link_gives_another_browser_the_same_exercises_without_their_answers(
    calculator, visit, base
):
    calculator.open(mode="practice", level="3", seed="7", exercise="3", ask="context")
    show = calculator.button("Show the answer")
    show.click()
    exercise = numeric_exercises(7, 3)[3]
    calculator.near("context", exercise.true("context").numpy())
    calculator.button("Hide the answer").click()
    calculator.page.get_by_text("Allow “Show the answer”").click()
    calculator.address_says(reveal="0", seed="7")
    expect(calculator.page.get_by_text("Answers are hidden in this set.")).to_be_visible()
    calculator.at_rest()
    pupil = visit(base, CalculatorPage)
    pupil.page.goto(calculator.page.url)
    pupil.drawn()
    expect(pupil.page.get_by_text("Answers are hidden in this set.")).to_be_visible()
    expect(pupil.page.get_by_text("Show the answer")).to_have_count(0)
    for each in (calculator, pupil):
        for name, matrix in (("Q", exercise.q), ("K", exercise.k), ("V", exercise.v)):
            each.holds(name, *(f"{x:g}" for x in matrix.flatten().tolist()))
    true = exercise.true("context")
    pupil.fill("context", [[formatted(x) for x in row] for row in true.tolist()])
    pupil.button("Check").click()
    pupil.marked("context", *["right"] * true.numel())
    # Another number gives other exercises.
    calculator.enter("8", "Set")
    calculator.address_says(mode="practice", level="3", seed="8", exercise="3", ask="context")
    other = numeric_exercises(8, 3)[3]
    assert not np.array_equal(other.q, exercise.q)
    calculator.holds("Q", *(f"{x:g}" for x in other.q.flatten().tolist()))
