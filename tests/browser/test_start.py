"""Start here: what somebody sees on the first visit."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.explore_page import ExplorePage
from tests.browser.test_first_visit import MOVED

pytestmark = pytest.mark.browser


class FirstVisit(ExplorePage):
    """The Explore page with Start here."""

    def panel(self) -> Locator:
        return self.page.get_by_role("region", name="Start here")

    def step(self) -> Locator:
        return self.panel().get_by_role("status")

    def press(self, name: str) -> None:
        self.panel().get_by_role("button", name=name).click()


@pytest.fixture
def newcomer(visit, base) -> FirstVisit:
    return visit(base, FirstVisit, first_visit=True)


def test_a_newcomer_does_three_steps_and_comes_to_the_lessons(newcomer):
    newcomer.open()
    expect(newcomer.step()).to_contain_text("1/3")
    newcomer.chips().nth(10).click()
    expect(newcomer.step()).to_contain_text("✓")
    newcomer.address_says(picked="10")
    newcomer.press("Next")
    expect(newcomer.step()).not_to_contain_text("✓")
    newcomer.click_head("left", 1, 10)
    expect(newcomer.step()).to_contain_text("✓")
    newcomer.press("Next")
    newcomer.page.get_by_role("button", name="Find similar head").click()
    expect(newcomer.step()).to_contain_text("✓")
    newcomer.shows(1, 10, sides=("left",))
    newcomer.shows(0, 2, sides=("right",))  # the heads of both models for the previous token
    newcomer.page.get_by_role("button", name="Display").click()
    expect(newcomer.page.get_by_role("switch", name="Sides move together")).not_to_be_checked()
    newcomer.page.keyboard.press("Escape")
    newcomer.press("Next")
    newcomer.press("To the lessons")
    newcomer.page.wait_for_url("**/lessons**")


def test_the_columns_have_their_names_on_the_first_screen(visit, base):
    newcomer = visit(base, FirstVisit, first_visit=True, viewport={"width": 1440, "height": 900})
    newcomer.open()
    for side in ("left", "right"):
        names = newcomer.part(f"heatmap_{side}").locator(".xtick")
        expect(names).to_have_count(16)
        expect(names.first).to_be_in_viewport(ratio=0.99)
        expect(names.filter(has_text="because")).to_be_in_viewport(ratio=0.99)


def test_on_a_phone_the_changed_map_and_the_next_step_are_on_the_screen(visit, base):
    visitor = visit(
        base,
        FirstVisit,
        new=True,
        first_visit=True,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        reduced_motion="reduce",
    )
    visitor.open()
    for changed, following in (
        ("heatmap_left", "overviews"),
        ("heatmap_left", "similar"),
        ("heatmap_right", "start"),
    ):
        visitor.press("for me")
        expect(visitor.step()).to_contain_text("✓")
        expect(visitor.part(changed)).to_be_in_viewport(ratio=0.7)
        expect(visitor.panel().get_by_role("button", name="Next")).to_be_in_viewport()
        panel, close = visitor.panel(), visitor.panel().get_by_role("button", name="Close")
        header = visitor.page.get_by_test_id("stHeader").bounding_box()["height"]
        expect(visitor.step()).to_be_in_viewport(ratio=1)
        assert visitor.step().bounding_box()["y"] >= header
        assert panel.bounding_box()["y"] + panel.bounding_box()["height"] - header <= 92
        assert min(close.bounding_box()[side] for side in ("width", "height")) >= 44
        visitor.press("Next")
        expect(visitor.part(following)).to_be_in_viewport()
    expect(visitor.panel()).to_contain_text("three steps")
    assert visitor.sideways() == 0


def test_on_a_phone_the_map_that_the_similar_head_changes_is_on_the_screen(visit, base):
    profile = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
    visitor = visit(base, FirstVisit, new=True, first_visit=True, **profile)
    visitor.open()
    visitor.press("Next")
    visitor.press("Next")
    visitor.click_head("right", 5, 6)
    visitor.shows(5, 6)
    visitor.press("for me")
    expect(visitor.step()).to_contain_text("✓")
    visitor.shows(5, 6, sides=("right",))
    expect(visitor.part("heatmap_left")).to_be_in_viewport(ratio=0.7)


@pytest.mark.parametrize("width", [1440, 390])
def test_selections_do_not_move_the_page(visit, base, width):
    visitor = visit(base, FirstVisit, new=True, viewport={"width": width, "height": 900})
    visitor.open()
    places = {name: visitor.part(name).bounding_box() for name in ("chips", "overviews")}
    head = visitor.part("heatmap_left").bounding_box()
    visitor.click_head("left", 2, 5)
    visitor.shows(2, 5)
    expect(visitor.page.get_by_text("Each small square is one head")).to_be_visible()
    for name, before in places.items():
        assert visitor.part(name).bounding_box() == pytest.approx(before, abs=1)
    assert visitor.part("heatmap_left").bounding_box() == pytest.approx(head, abs=1)


def test_a_finished_start_stays_closed_after_a_reload(newcomer):
    newcomer.open()
    for _ in range(3):
        newcomer.press("Next")
    expect(newcomer.panel()).to_contain_text("three steps")
    newcomer.page.reload()
    newcomer.drawn()
    expect(newcomer.panel()).to_be_hidden()


def test_a_button_does_each_step(newcomer):
    newcomer.open()
    for number in (1, 2, 3):
        expect(newcomer.step()).to_contain_text(f"{number}/3")
        newcomer.press("for me")
        expect(newcomer.step()).to_contain_text("✓")
        newcomer.press("Next")
    newcomer.address_says(picked="10", layer="1", head="10", linked="0", right_head="2")


def test_a_closed_start_stays_closed_and_opens_from_any_page(newcomer):
    newcomer.open()
    newcomer.press("Close")
    expect(newcomer.panel()).to_be_hidden()
    newcomer.page.reload()
    newcomer.drawn()
    expect(newcomer.panel()).to_be_hidden()
    newcomer.page.get_by_role("link", name="About").click()
    expect(newcomer.page.get_by_role("heading", name="About Headlight")).to_be_visible()
    newcomer.page.get_by_role("button", name="Start here").click()
    expect(newcomer.step()).to_contain_text("1/3")
    newcomer.drawn()


def test_a_returning_visitor_never_sees_it(visit, base):
    visitor = visit(base)
    visitor.page.add_init_script(
        "window.seen = false; new MutationObserver(() => {"
        " const start = document.querySelector('.st-key-start');"
        " window.seen ||= Boolean(start?.offsetHeight); }).observe(document, "
        "{ childList: true, subtree: true, attributes: true });"
    )
    visitor.open()
    expect(visitor.part("start")).to_be_attached()
    assert visitor.page.evaluate("window.seen") is False


def test_it_hides_during_a_lesson(newcomer):
    newcomer.page.goto(f"{newcomer.base}/?lesson=tokens.1")
    expect(newcomer.page.get_by_role("region", name=re.compile("^Lesson"))).to_be_visible()
    newcomer.at_rest()
    expect(newcomer.panel()).to_be_hidden()


@pytest.mark.parametrize("width", [1440, 390])
def test_it_neither_moves_nor_covers_the_page(visit, base, width):
    visitor = visit(
        base, FirstVisit, new=True, first_visit=True, viewport={"width": width, "height": 900}
    )
    visitor.page.add_init_script(MOVED)
    visitor.open()
    assert visitor.page.evaluate("window.moved") < 0.1
    assert visitor.sideways() == 0
    panel, sentence = visitor.panel().bounding_box(), visitor.sentence().bounding_box()
    assert panel["y"] + panel["height"] <= sentence["y"]
    for side in ("left", "right") if width == 1440 else ("left",):
        box = visitor.overview(side).bounding_box()
        assert box["y"] + box["height"] <= 900


def test_the_keyboard_reaches_its_buttons_first(newcomer):
    newcomer.open()
    newcomer.panel().get_by_role("link").focus()
    names = []
    for _ in range(3):
        newcomer.page.keyboard.press("Tab")
        names.append(newcomer.focused()["text"] or newcomer.focused()["name"])
    assert names[1:] == ["Do it for me", "Next"]
    newcomer.page.keyboard.press("Enter")
    expect(newcomer.step()).to_contain_text("2/3")
