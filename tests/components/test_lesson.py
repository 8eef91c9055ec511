import json
import re
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board
from tests.components.explore import FIXED_TIME

pytestmark = pytest.mark.browser

# The strip, and a figure of the page, which it may blur.
WRAPPED = """<div class="stMain"><div data-testid="stLayoutWrapper"><div class="st-key-lesson">
<div class="st-key-lesson_strip"></div></div></div>
<div data-testid="stElementContainer"><p class="stMarkdown page">A figure</p></div></div>"""
BLURRED, HIDDEN = "blur(12px)", "blur(28px)"  # what is blurred a little can be counted

GUESS = "calculator?lesson=masks.1"
OPTIONS = "?lesson=one-query.1"
STORED = "localStorage.getItem('headlight.lessons')"


class Strip:
    """The strip of a lesson, and the page below it."""

    def __init__(self, board: Board, address: str, **data: object) -> None:
        self.board = board
        self.page = board.page
        self.address = address
        self.page.evaluate(FIXED_TIME)
        board.lay_out(WRAPPED)
        self.receive(**data)

    def receive(self, **data: object) -> None:
        self.board.draw(self.address, "lesson_strip", **data)

    @property
    def box(self) -> Locator:
        return self.page.get_by_role("region", name="Lesson")

    def part(self, name: str) -> Locator:
        return self.board.part("lesson_strip").locator(f".{name}")

    def button(self, name: str) -> Locator:
        return self.box.get_by_role("button", name=name)

    def expect_acted(self, do: str, answer: str = "") -> None:
        place = self.address.partition("lesson=")[2]
        self.board.expect_event("acted", {"do": do, "place": place, "answer": answer, "at": 1000})

    def stored(self) -> dict[str, object]:
        return json.loads(self.page.evaluate(STORED))


def verdict(answer: str, outcome: str, text: str, at: int = 1000) -> dict[str, object]:
    return {"answer": answer, "outcome": outcome, "text": text, "at": at}


def test_a_guess_hides_the_figures_until_there_is_an_answer(board):
    strip = Strip(board, GUESS)
    page = board.page.locator(".page")
    expect(page).to_have_css("filter", HIDDEN)
    expect(strip.part("hidden")).to_have_text("The answer on the page is hidden until you answer.")
    number = strip.box.get_by_label("Your number")
    number.fill(" a lot ")
    number.press("Enter")
    strip.expect_acted("answer", "a lot")
    strip.receive(verdict=verdict("a lot", "again", "“a lot” is not a number."))
    expect(strip.part("verdict")).to_have_text("“a lot” is not a number.")
    expect(page).to_have_css("filter", HIDDEN)
    expect(number).to_be_focused()
    expect(number).to_have_value("a lot")
    number.fill("100 %")
    strip.button("Check").click()
    strip.expect_acted("answer", "100 %")
    strip.receive(verdict=verdict("100 %", "right", "It is *1*."))
    expect(strip.part("verdict")).to_have_text("✓ It is 1.")
    expect(strip.part("verdict").locator("em")).to_have_text("1")
    expect(page).to_have_css("filter", "none")
    answered = {"answer": "100 %", "text": "It is *1*.", "seen": False}
    assert strip.stored() == {"at": "masks.1", "done": {"masks": {"1": answered}}}
    number.fill("")
    strip.button("Check").click()  # an empty answer is none
    assert [each["answer"] for each in board.events("acted")] == ["a lot", "100 %"]
    strip.address = "?lesson=tokens.1"  # another guess
    strip.receive()
    expect(page).to_have_css("filter", HIDDEN)
    strip.button("Show it").click()
    expect(page).to_have_css("filter", "none")


def test_an_option_is_answered_by_keyboard_and_keeps_the_focus(board):
    strip = Strip(board, OPTIONS)
    dog, sister = strip.button("dog"), strip.button("sister")
    expect(board.page.locator(".page")).to_have_css("filter", BLURRED)
    height = strip.box.bounding_box()["height"]
    dog.press("Enter")
    strip.expect_acted("answer", "dog")
    for older in (None, verdict("fed", "wrong", "Not “fed”.", at=999)):  # of an earlier answer
        expect(strip.part("verdict")).to_have_text("Checking…")
        expect(dog).to_have_attribute("aria-busy", "true")
        assert strip.box.bounding_box()["height"] == height
        strip.receive(verdict=older)
    strip.receive(verdict=verdict("dog", "wrong", "Not “dog”."))
    expect(strip.part("verdict")).to_have_text("✗ Not “dog”.")
    expect(dog).to_have_attribute("aria-busy", "false")
    expect(dog).to_have_class("wrong")
    expect(dog).to_have_attribute("aria-pressed", "true")
    expect(dog).to_be_focused()
    assert strip.stored() == {"at": "one-query.1", "done": {}}
    strip.receive(verdict=verdict("sister", "right", "“sister”: 0.49."))
    expect(sister).to_have_class("right")
    expect(dog).to_have_attribute("aria-pressed", "false")
    step = board.page.evaluate("window.headlightStep")  # for the room that this browser may be in
    assert step == {"lesson": "one-query", "step": 1, "answer": "sister", "outcome": "right"}
    strip.receive(verdict=verdict("dog", "revealed", "“dog” is wrong."))  # takes nothing back
    strip.receive()  # another run, without a new answer
    expect(strip.part("verdict")).to_have_text("✓ “sister”: 0.49.")


def test_hints_are_shown_one_by_one(board):
    strip = Strip(board, OPTIONS, hints=["One.", "Two."])
    hints = strip.box.get_by_role("listitem")
    expect(hints).to_have_count(0)
    for shown in (["One."], ["One.", "Two."]):
        strip.button("Hint").click()
        expect(hints).to_have_text(shown)
    expect(strip.button("Hint")).to_be_disabled()
    strip.receive(place="one-query.2", hints=["Three."])
    expect(hints).to_have_count(0)


def test_a_revealed_answer_counts_as_seen_from_then_on(board):
    strip = Strip(board, OPTIONS)
    strip.receive(verdict=verdict("dog", "revealed", "It is “sister”."))
    strip.receive(verdict=verdict("sister", "right", "Right: sister."))
    seen = "◐ Right: sister. You have seen the answer."
    expect(strip.part("verdict")).to_have_text(seen)
    answered = {"answer": "sister", "text": "Right: sister.", "seen": True}
    assert strip.stored()["done"] == {"one-query": {"1": answered}}
    strip.receive()
    assert board.page.evaluate("window.headlightStep.outcome") == "revealed"


def test_buttons_open_the_steps_of_the_lesson_and_leave_it(board):
    board.page.evaluate("history.replaceState(null, '', 'calculator?mode=own&decimals=2')")
    strip = Strip(board, GUESS)
    for name, address in {
        # The next step has the same view, so it keeps the changes to that view.
        "Next": "/calculator?lesson=masks.2&mode=own&decimals=2",
        "Reset the view": "/calculator?lesson=masks.1&mask=causal&tokens=she|reads|books",
        "Back": "/calculator?lesson=softmax.4&mode=spread",
        "All lessons": "/lessons?",
    }.items():
        strip.button(name).click()
        path, _, query = board.page.evaluate("location.pathname + location.search").partition("?")
        wanted_path, _, wanted = f"/a/proxy{address}".partition("?")
        assert path == wanted_path and set(parse_qsl(query)) >= set(parse_qsl(wanted)), name
    strip.button("Leave the lesson").click()
    strip.expect_acted("leave")
    strip.receive(away=True)
    expect(strip.button("Check")).to_be_hidden()
    expect(board.page.locator(".page")).to_have_css("filter", "none")  # another page is sharp
    strip.button("Back to the lesson").click()
    assert "lesson=masks.1" in board.page.evaluate("location.search")


def test_the_text_folds_and_stays_folded(board):
    strip = Strip(board, OPTIONS)
    fold = strip.button("Show or hide")
    fold.click()
    expect(strip.part("body")).to_be_hidden()
    expect(fold).to_have_attribute("aria-expanded", "false")
    strip.receive(place="one-query.2")
    expect(strip.part("body")).to_be_hidden()
    fold.click()
    expect(strip.part("body")).to_be_visible()
    assert strip.stored()["folded"] is False


def test_the_list_goes_on_at_the_first_step_without_an_answer_until_it_is_cleared(board):
    right = {"answer": "9", "text": "It is 9.", "seen": False}
    done = {"tokens": {"1": right, "2": right, "3": right}, "one-query": {"1": right}}
    done["one-query"]["1"] = right | {"seen": True}
    stored = json.dumps({"at": "tokens.2", "done": done})
    board.page.evaluate("(p) => localStorage.setItem('headlight.lessons', p)", stored)
    course = board.draw("lessons", "course").part("course")
    expect(course.locator(".summary")).to_contain_text(re.compile("3 of .* right. For 1, you saw"))
    for row, text in enumerate(("✓ 3 of 3", "1 of 3", "")):
        expect(course.locator("a.row .done").nth(row)).to_have_text(text)
    course.get_by_role("button", name="Go on: 2 · One query, many keys (step 2)").click()
    assert "lesson=one-query.2" in board.page.evaluate("location.search")
    course.locator("a.row").nth(2).click()
    assert board.page.evaluate("location.pathname") == "/a/proxy/"
    course.get_by_role("button", name="Clear my progress").click()
    begin = course.get_by_role("button", name="Begin")
    expect(begin).to_be_focused()
    assert board.page.evaluate(STORED) is None
    begin.click()
    assert "lesson=tokens.1" in board.page.evaluate("location.search")
