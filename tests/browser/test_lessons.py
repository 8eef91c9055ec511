"""A lesson in a browser: answer, leave the page, return, and clear the progress."""

import json
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from pages.lessons.course import Place, course
from tests.browser.explore_page import ExplorePage
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

KEPT = "() => localStorage.getItem('headlight.lessons')"
SEEN_13 = {"done": {"quiz": {"13": {"answer": "9", "text": "It is 9.", "seen": False}}}}


class LessonsPage(Visitor):
    """The list of lessons, and the strip of a lesson above other pages."""

    path = "/lessons"

    def step(self, name: str, number: int) -> None:
        """Open the link to a step that was never opened before."""
        place = Place(name, number)
        step = course().step(place)
        self.page.goto(f"{self.base}/{step.path}?{urlencode({**step.query, 'lesson': str(place)})}")

    def strip(self) -> Locator:
        return self.part("lesson").locator("section")

    def verdict(self) -> Locator:
        return self.strip().locator(".verdict")

    def press(self, name: str) -> None:
        self.strip().get_by_role("button", name=name).click()

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
    box = explore.overview("left").bounding_box()
    assert box["y"] + box["height"] < 700  # on the first screen

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

    about = learner.page.get_by_role("heading", name="About Headlight")
    learner.menu("About")
    expect(about).to_be_visible()
    learner.press("Back to the lesson")
    learner.address_says(lesson="one-query.2", layer="2", head="7")
    explore.drawn()
    learner.page.go_back()
    expect(about).to_be_visible()
    learner.at_rest()
    learner.page.go_back()
    explore.drawn()
    learner.address_says(lesson="one-query.2", layer="2", head="7")
    learner.press("Reset the view")
    learner.address_says(lesson="one-query.2", layer="3", head="1")

    learner.press("Leave the lesson")
    expect(learner.strip()).to_have_count(0)
    learner.address_says(lesson=None)
    learner.menu("Lessons")
    expect(learner.page.get_by_role("link", name="One query, many keys")).to_contain_text("1 of 3")
    learner.page.get_by_role("button", name="Go on: 2 · One query, many keys").click()
    expect(learner.strip()).to_contain_text("Step 2 of 3")
    learner.press("All lessons")
    learner.button("Clear my progress").click()
    expect(learner.button("Begin")).to_be_visible()
    assert learner.stored_progress() is None
    learner.at_rest()


def test_a_guess_hides_the_page_and_a_shown_solution_counts_as_seen(visit, base):
    learner = visit(base, LessonsPage)
    learner.step("masks", 1)
    steps = learner.part("steps").locator("section").first
    expect(steps).to_be_attached()
    expect(learner.strip()).to_contain_text("Show the page")
    expect(steps).to_be_hidden()
    number = learner.strip().get_by_label("Your number")
    number.fill("a lot")
    number.press("Enter")
    expect(learner.verdict()).to_have_text("“a lot” is not a number. Write one such as 0.5 or −2.")
    expect(number).to_be_focused()
    expect(steps).to_be_hidden()
    number.fill("100 %")
    learner.press("Check")
    expect(learner.verdict()).to_contain_text("✓ It is 1.")
    expect(steps).to_be_visible()
    learner.at_rest()

    progress = json.dumps({"at": "quiz.13", **SEEN_13})
    learner.page.evaluate("(text) => localStorage.setItem('headlight.lessons', text)", progress)
    learner.go()
    learner.page.get_by_role("button", name="Go on: 15 · Final quiz, step 14").click()
    expect(learner.strip()).to_contain_text("Step 14 of 14")
    for wrong in ("give it a name", "read its largest weight"):
        learner.press(wrong)
        expect(learner.verdict()).to_contain_text(f"✗ “{wrong}” is not right")
    expect(learner.verdict()).to_contain_text("it is “switch it off and compare”")
    learner.press("switch it off and compare")
    expect(learner.verdict()).to_contain_text("◐ “switch it off and compare” is right.")
    learner.go()
    expect(learner.part("course")).to_contain_text(
        "Your answers: 1 right, 1 after the solution was shown"
    )
    learner.at_rest()

    learner.step("twenty-common-errors", 4)
    expect(learner.part("overview_left")).to_be_hidden()
    expect(learner.strip()).not_to_contain_text("Source:")
    learner.press(course().step(Place("twenty-common-errors", 4)).question.solution())
    link = learner.strip().get_by_role("link", name="github.com/jessevig/bertviz/issues/5")
    expect(link).to_have_attribute("href", "https://github.com/jessevig/bertviz/issues/5")
    expect(learner.part("overview_left")).to_be_visible()
    learner.at_rest()


def test_on_a_phone_the_strip_is_one_line_while_the_page_is_used(visit, base):
    learner = visit(base, LessonsPage, viewport={"width": 390, "height": 844})
    learner.step("one-query", 2)
    learner.press("Back")
    learner.press("sister")
    heatmap = learner.part("heatmap_right")
    heatmap.scroll_into_view_if_needed()
    before = heatmap.bounding_box()
    heatmap.click(position={"x": 200, "y": 340})
    body = learner.strip().locator(".body")
    expect(body).not_to_be_in_viewport()
    assert heatmap.bounding_box() == before  # nothing moves under the finger
    bar, task = learner.strip().locator(".bar"), learner.strip().locator(".task")
    expect(bar).to_be_in_viewport(ratio=1)
    expect(task).to_contain_text("read the row she")
    expect(task).to_be_in_viewport(ratio=1)
    lower = task.bounding_box()["y"] + task.bounding_box()["height"]
    assert lower - bar.bounding_box()["y"] <= 90
    task.click()
    expect(body).to_be_in_viewport(ratio=1)
    assert heatmap.bounding_box() == before
    learner.press("Show or hide")
    expect(body).not_to_be_in_viewport()
    learner.press("Next")
    learner.at_rest()
