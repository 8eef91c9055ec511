from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import ADDRESS, ROOT, Board
from tests.components.explore import FIXED_TIME

pytestmark = pytest.mark.browser

EARLY = Path(ROOT, "web", "assets", "early.js").read_text("utf-8")
SIMILAR = (
    "<div class=\"st-key-similar\"><button onclick=\"host.events.push(['', 'found', 1])\">"
    "Find similar head</button></div>"
)
BOXES = "".join(
    f'<div class="st-key-{key}"></div>' for key in ("start", "chips", "overviews", "heatmap_left")
)
PICKED = {"left": [10], "right": [10]}
FIRST, OTHER = {"layer": 1, "head": 10}, {"layer": 0, "head": 2}


class Newcomer:
    """A visitor whose browser has stored nothing."""

    def __init__(self, board: Board, html: str = BOXES + SIMILAR) -> None:
        self.board = board
        self.page = board.page
        self.html = html
        self.open()

    def open(self) -> None:
        self.page.goto(f"{ADDRESS}/")
        self.page.evaluate(FIXED_TIME)
        self.page.evaluate(EARLY)
        self.board.lay_out(self.html).draw("", "start", "sync")

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("region", name="Start here")

    @property
    def step(self) -> Locator:
        return self.panel.get_by_role("status")

    def press(self, name: str) -> None:
        self.panel.get_by_role("button", name=name).click()


@pytest.fixture
def newcomer(board) -> Newcomer:
    return Newcomer(board)


def test_three_steps_are_done_on_the_page_and_lead_to_the_lessons(newcomer):
    board, step = newcomer.board, newcomer.step
    expect(step).to_have_text("1/3 A model reads tokens: words and parts of words. Select a token.")
    view: dict[str, object] = {"picked": PICKED}
    board.draw("", "sync", **view)
    expect(step).to_contain_text("1/3 ✓ Two frames")
    expect(newcomer.panel.get_by_role("button", name="for me")).to_be_hidden()
    newcomer.panel.get_by_role("button", name="Next").press("Enter")
    expect(step).to_contain_text("2/3 Each small square")
    board.draw("", "sync", **view)
    expect(step).not_to_contain_text("✓")  # the view does not yet show another head
    view |= {"left": FIRST, "right": FIRST}
    board.draw("", "sync", **view)
    expect(step).to_contain_text("2/3 ✓")
    newcomer.press("Next")
    view |= {"right": OTHER}
    board.draw("", "sync", **view)
    expect(step).not_to_contain_text("✓")  # both sides still move together
    board.draw("", "sync", **view, linked=False)
    expect(step).to_contain_text("3/3 ✓")
    newcomer.press("Next")
    expect(step).to_contain_text("These were the three steps.")
    newcomer.press("To the lessons")
    assert newcomer.page.evaluate("location.pathname") == "/a/proxy/lessons"
    expect(newcomer.panel).to_be_hidden()
    assert board.events("acted") == []


def test_a_button_does_each_step_in_the_framed_part_of_the_page(newcomer):
    parts = ("chips", "overviews", "similar")
    for number, part in enumerate(parts, start=1):
        styles = {
            each: newcomer.board.part(each).evaluate("e => getComputedStyle(e).outlineStyle")
            for each in parts
        }
        assert styles == {each: "dashed" if each == part else "none" for each in parts}
        newcomer.press("Do it for me")
        if part != "similar":
            newcomer.board.expect_event("acted", {"step": number, "at": 1000})
            newcomer.press("Next")
    newcomer.board.expect_event("found", 1)
    assert len(newcomer.board.events("acted")) == 2


def test_it_hides_in_lessons_and_rooms_and_while_presenting(newcomer):
    expect(newcomer.panel).to_be_visible()
    for name in ("room", "present"):
        newcomer.page.evaluate("(name) => { document.documentElement.dataset[name] = 1; }", name)
        expect(newcomer.panel).to_be_hidden()
        newcomer.page.evaluate("(name) => delete document.documentElement.dataset[name]", name)
    expect(newcomer.panel).to_be_visible()
    newcomer.board.draw("?lesson=tokens.1", "lesson_strip")
    expect(newcomer.panel).to_be_hidden()


@pytest.mark.parametrize("ends", ["Close", "Next"])
def test_a_closed_or_finished_start_stays_closed_until_it_is_opened_again(newcomer, ends):
    for name in ("Next", "Next", ends):
        newcomer.press(name)
    expect(newcomer.panel).to_be_visible(visible=ends == "Next")
    newcomer.open()
    expect(newcomer.panel).to_be_hidden()
    newcomer.board.draw("", "present")
    newcomer.page.get_by_role("button", name="Start here").click()
    expect(newcomer.step).to_contain_text("1/3")


def test_on_a_phone_the_changed_map_and_the_next_step_are_on_the_screen(phone):
    boxes = {"chips": 40, "overviews": 420, "heatmap_left": 480, "heatmap_right": 480}
    tall = "".join(
        f'<div class="st-key-{key}" style="height: {height}px"></div>'
        for key, height in boxes.items()
    )
    start = '<div style="height: 3.75rem"></div><div class="st-key-start"></div>'
    newcomer = Newcomer(phone, start + tall + SIMILAR + '<div style="height: 900px"></div>')
    view: dict[str, object] = {}
    for change, changed, following in (
        ({"picked": PICKED}, "heatmap_left", "overviews"),
        ({"left": FIRST, "right": FIRST}, "heatmap_left", "similar"),
        ({"right": OTHER, "linked": False}, "heatmap_right", "start"),
    ):
        view |= change
        phone.draw("", "sync", **view)
        expect(newcomer.step).to_contain_text("✓")
        expect(phone.part(changed)).to_be_in_viewport(ratio=0.7)
        expect(newcomer.step).to_be_in_viewport(ratio=1)
        assert newcomer.step.bounding_box()["y"] >= 3.75 * 17  # below the page's header
        newcomer.press("Next")
        expect(phone.part(following)).to_be_in_viewport()
