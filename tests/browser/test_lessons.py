"""A lesson in a browser: answer, leave the page, return, and clear the progress."""

import json
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from pages.lessons.course import Place, course
from pages.lessons.schema import Step
from tests.browser.explore_page import ExplorePage
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

KEPT = "() => localStorage.getItem('headlight.lessons')"
PHONE = {"width": 390, "height": 844}


def link_to(step: Step, place: str) -> str:
    """The link to a step that was never opened before."""
    return f"/{step.path}?{urlencode({**step.query, 'lesson': place})}"


class LessonsPage(Visitor):
    """The list of lessons, and the strip of a lesson above other pages."""

    path = "/lessons"

    def strip(self) -> Locator:
        return self.part("lesson").locator("section")

    def verdict(self) -> Locator:
        return self.strip().locator(".verdict")

    def press(self, name: str) -> None:
        self.strip().get_by_role("button", name=name).click()

    def body(self) -> Locator:
        return self.strip().locator(".body")

    def stored_progress(self) -> dict[str, object] | None:
        return json.loads(self.page.evaluate(KEPT) or "null")


def test_a_lesson_can_be_left_and_continued(visit, base):
    learner = visit(base, LessonsPage)
    learner.go()
    learner.page.get_by_role("link", name="One query, many keys").click()
    expect(learner.strip()).to_contain_text("2 · One query, many keys")
    learner.address_says(lesson="one-query.1", layer="3", head="1")
    learner.press("Show the page")
    explore = learner.on(ExplorePage).drawn()
    height = explore.overview("left").bounding_box()
    assert height is not None and height["y"] + height["height"] < 700  # on the first screen

    option = learner.strip().get_by_role("button", name="dog")
    option.press("Enter")
    expect(learner.verdict()).to_contain_text("one of them has 0.49")
    expect(option).to_be_focused()
    learner.press("Hint")
    expect(learner.strip().locator(".hints li")).to_have_count(1)
    learner.press("sister")
    expect(learner.verdict()).to_contain_text("✓ “sister”: 0.49.")
    answered = learner.stored_progress()["done"]["one-query"]["1"]
    assert (answered["answer"], answered["seen"]) == ("sister", False)
    assert "0.49" in answered["text"]

    # The next step uses the same view, so it keeps the changes to that view.
    explore.click_head("left", 2, 7)
    learner.address_says(layer="2", head="7")
    learner.press("Next")
    expect(learner.strip()).to_contain_text("Step 2 of 3")
    learner.address_says(lesson="one-query.2", layer="2", head="7")

    learner.page.get_by_role("link", name="About").click()
    expect(learner.page.get_by_role("heading", name="About Headlight")).to_be_visible()
    learner.press("Back to the lesson")
    learner.address_says(lesson="one-query.2", layer="2", head="7")
    explore.drawn()
    learner.page.go_back()
    expect(learner.page.get_by_role("heading", name="About Headlight")).to_be_visible()
    learner.at_rest()
    learner.page.go_back()
    explore.drawn()
    learner.address_says(lesson="one-query.2", layer="2", head="7")
    learner.press("Reset the view")
    learner.address_says(lesson="one-query.2", layer="3", head="1")

    learner.press("Leave the lesson")
    expect(learner.strip()).to_have_count(0)
    learner.address_says(lesson=None)
    learner.page.get_by_role("link", name="Lessons").click()
    expect(learner.page.get_by_role("link", name="One query, many keys")).to_contain_text("1 of 3")
    learner.page.get_by_role("button", name="Go on: 2 · One query, many keys").click()
    expect(learner.strip()).to_contain_text("Step 2 of 3")
    learner.press("All lessons")
    learner.page.get_by_role("button", name="Clear my progress").click()
    expect(learner.page.get_by_role("button", name="Begin")).to_be_visible()
    assert learner.stored_progress() is None
    learner.at_rest()


def test_on_a_phone_the_strip_is_one_line_while_the_page_is_used(visit, base):
    learner = visit(base, LessonsPage, viewport=PHONE)
    learner.page.goto(f"{base}{link_to(course().step(Place('one-query', 2)), 'one-query.2')}")
    learner.press("Back")
    learner.press("sister")
    heatmap = learner.page.locator(".st-key-heatmap_right")
    heatmap.scroll_into_view_if_needed()
    before = heatmap.bounding_box()
    heatmap.click(position={"x": 200, "y": 340})
    expect(learner.body()).not_to_be_in_viewport()
    assert heatmap.bounding_box() == before  # nothing moves under the finger
    bar = learner.strip().locator(".bar")
    expect(bar).to_be_in_viewport(ratio=1)
    task = learner.strip().locator(".task")
    expect(task).to_contain_text("read the row she")
    expect(task).to_be_in_viewport(ratio=1)
    lower = task.bounding_box()["y"] + task.bounding_box()["height"]
    assert lower - bar.bounding_box()["y"] <= 90
    fold = learner.strip().get_by_role("button", name="Show or hide").bounding_box()
    assert min(fold["width"], fold["height"]) >= 44
    task.click()
    expect(learner.body()).to_be_in_viewport(ratio=1)
    assert heatmap.bounding_box() == before
    learner.press("Show or hide")
    expect(learner.body()).not_to_be_in_viewport()
    learner.press("Next")
    learner.at_rest()


def test_a_guess_hides_the_page_until_there_is_an_answer(visit, base):
    learner = visit(base, LessonsPage)
    learner.page.goto(f"{base}{link_to(course().step(Place('masks')), 'masks.1')}")
    steps = learner.part("steps").locator("section").first
    expect(steps).to_be_attached()
    expect(learner.strip()).to_contain_text("Show the page")
    expect(steps).to_be_hidden()
    number = learner.strip().get_by_label("Your number")
    number.fill("a lot")
    number.press("Enter")
    expect(learner.verdict()).to_have_text("“a lot” is not a number. Write one such as 0.5 or −2.")
    expect(steps).to_be_hidden()
    expect(number).to_be_focused()
    number.fill("100 %")
    learner.press("Check")
    expect(learner.verdict()).to_contain_text("✓ It is 1.")
    expect(steps).to_be_visible()
    learner.at_rest()


def test_a_revealed_answer_counts_as_seen(visit, base):
    learner = visit(base, LessonsPage)
    learner.page.goto(f"{base}/about")
    learner.page.evaluate(
        "() => localStorage.setItem('headlight.lessons', JSON.stringify({at: 'quiz.13', "
        "done: {quiz: {13: {answer: '9', text: 'It is 9.', seen: false}}}}))"
    )
    learner.go()
    learner.page.get_by_role("button", name="Go on: 15 · Final quiz, step 14").click()
    expect(learner.strip()).to_contain_text("Step 14 of 14")
    learner.press("give it a name")
    expect(learner.verdict()).to_have_text("✗ “give it a name” is not right.")
    learner.press("read its largest weight")
    expect(learner.verdict()).to_contain_text("it is “switch it off and compare”")
    learner.press("switch it off and compare")
    expect(learner.verdict()).to_contain_text("◐ “switch it off and compare” is right.")
    expect(learner.verdict()).to_contain_text("You have seen the answer.")
    learner.go()
    course_list = learner.part("course")
    expect(course_list).to_contain_text("Your answers: 1 right, 1 after the solution was shown")
    expect(
        learner.page.get_by_role("button", name="Go on: 16 · Twenty common errors, step 1")
    ).to_be_visible()
    learner.at_rest()


def test_an_answer_shows_the_source_of_the_error(visit, base):
    learner = visit(base, LessonsPage)
    place = Place("twenty-common-errors", 4)
    step = course().step(place)
    learner.page.goto(base + link_to(step, str(place)))
    expect(learner.part("overview_left")).to_be_hidden()
    expect(learner.strip()).not_to_contain_text("Source:")
    learner.press(step.question.solution())
    expect(learner.part("overview_left")).to_be_visible()
    link = learner.strip().get_by_role("link", name="github.com/jessevig/bertviz/issues/5")
    expect(link).to_have_attribute("href", "https://github.com/jessevig/bertviz/issues/5")
