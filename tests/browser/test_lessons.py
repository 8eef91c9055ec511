"""A lesson in a browser: answer, leave the page, return, and clear the progress."""

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.explore_page import ExplorePage
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

KEPT = "() => localStorage.getItem('headlight.lessons')"


class LessonsPage(Visitor):
    """The list of lessons, and the strip of a lesson above other pages."""

    path = "/lessons"

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
    learner.page.get_by_role("link", name="One query asks").click()
    expect(learner.strip()).to_contain_text("2 · One query asks, keys answer")
    learner.address_says(lesson="one-query.1", layer="3", head="1")
    explore = learner.on(ExplorePage).drawn()
    height = explore.overview("left").bounding_box()
    assert height is not None and height["y"] + height["height"] < 700  # on the first screen

    learner.press("dog")
    expect(learner.verdict()).to_contain_text("one of them has 0.49")
    learner.press("Hint")
    expect(learner.strip().locator(".hints li")).to_have_count(1)
    learner.press("sister")
    expect(learner.verdict()).to_contain_text("✓ “sister”: 0.49.")
    assert learner.stored_progress()["done"] == {"one-query": {"1": "sister"}}

    # The next step uses the same view, so it keeps the changes to that view.
    explore.part("overview_left").locator("canvas.grid").click(position={"x": 300, "y": 100})
    learner.address_says(layer="2", head="7")
    learner.press("Next")
    expect(learner.strip()).to_contain_text("step 2 of 3")
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
    expect(learner.page.get_by_role("link", name="One query asks")).to_contain_text("1 of 3")
    learner.page.get_by_role("button", name="Go on: 2 · One query asks").click()
    expect(learner.strip()).to_contain_text("step 2 of 3")
    learner.press("All lessons")
    learner.page.get_by_role("button", name="Clear my progress").click()
    expect(learner.page.get_by_role("button", name="Begin")).to_be_visible()
    assert learner.stored_progress() is None
    learner.at_rest()


def test_on_a_phone_the_strip_is_a_bar_that_can_be_opened(visit, base):
    learner = visit(base, LessonsPage, viewport={"width": 390, "height": 844})
    learner.page.goto(f"{base}/calculator?mode=spread&lesson=softmax.4")
    expect(learner.strip().locator(".say")).to_be_visible()
    bar = learner.part("lesson").bounding_box()
    assert bar is not None and bar["height"] < 60  # its text overlays the page
    learner.page.mouse.click(200, 800)
    expect(learner.strip().locator(".say")).to_be_hidden()
    learner.press("Show or hide")
    expect(learner.strip().locator(".say")).to_be_visible()
    learner.at_rest()
    assert learner.sideways() <= 0
