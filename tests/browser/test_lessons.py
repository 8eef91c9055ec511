"""A lesson in a browser: answer, leave the page, return, and clear the progress."""

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.explore_page import ExplorePage
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser


class LessonsPage(Visitor):
    """The list of lessons, and the strip of a lesson above other pages."""

    path = "/lessons"

    def strip(self) -> Locator:
        return self.part("lesson").locator("section")

    def press(self, name: str) -> None:
        self.strip().get_by_role("button", name=name).click()

    def stored_progress(self) -> dict[str, object] | None:
        kept = self.page.evaluate("localStorage.getItem('headlight.lessons')")
        return json.loads(kept or "null")


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
    learner.press("sister")
    expect(learner.strip().locator(".verdict")).to_contain_text("✓ “sister”: 0.49.")
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
