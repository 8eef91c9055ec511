import re

import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Board
from tests.components.explore import View

pytestmark = pytest.mark.browser

HEADER = (
    '<header data-testid="stHeader" style="position: fixed; inset: 0 0 auto; z-index: 999;'
    ' height: 60px">Pages</header><div style="height: 60px"></div>'
)
FORM = '<div class="st-key-sentence_form"><input aria-label="Sentence"></div>'
STAGES = ("view", "view", "more")  # all heads, then the selected ones alone
CHANGE = "heads?part=change"

# Keeps the end of the time for which the controls stay, for the test.
KEEP_REST = """() => {
  const { setTimeout } = window;
  window.setTimeout = (go, time, ...more) =>
    time === 2500 ? ((window.rest = go), 0) : setTimeout(go, time, ...more);
}"""


def stage(name: str, inner: str = "") -> str:
    return f'<div class="stVerticalBlock st-key-stage_{name}">{inner}</div>'


class Projector:
    """The Explore page with present mode."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.page = board.page
        self.html = board.page.locator("html")
        self.line = board.page.locator(".headlight-present .caption")
        main = FORM + stage("view", '<div class="st-key-view_capture"></div>')
        main += stage("more", "<p>A map</p>")
        board.lay_out(f'{HEADER}<div data-testid="stMain">{main}</div>')
        self.view = View(board)
        self.view.expect_selected("L3·H1", "L3·H1")
        board.draw("", "caption", "present")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def button(self, name: str) -> Locator:
        return self.page.locator(f".headlight-present .{name}")

    def presents(self, number: int) -> None:
        expect(self.html).to_have_attribute("data-present", str(number))
        if number <= len(STAGES):
            expect(self.html).to_have_attribute("data-stage", f"st-key-stage_{STAGES[number - 1]}")
        else:
            expect(self.html).not_to_have_attribute("data-stage", "")
        assert self.page.evaluate("location.search") == f"?present={number}"

    def rests(self) -> None:
        expect(self.html).not_to_have_attribute("data-present", "1")
        expect(self.html).not_to_have_attribute("data-stage", "st-key-stage_view")
        assert self.page.evaluate("location.search") == ""


@pytest.fixture
def projector(board) -> Projector:
    return Projector(board)


def test_keys_and_the_switch_start_and_end_it_but_typing_does_not(projector):
    sentence = projector.page.get_by_label("Sentence")
    sentence.click()
    projector.press("p", "Escape", "Enter")
    expect(sentence).to_have_value("p")
    projector.rests()
    projector.button("switch").click()
    projector.presents(1)
    expect(projector.line).to_have_text(re.compile("^Each picture is one head: rows"))
    for keys in (["p"], ["p", "Escape"]):
        projector.press(*keys)
        projector.rests()


def test_escape_leaves_it_below_a_question_and_closes_another_dialog_first(projector):
    projector.press("p")
    projector.presents(1)
    for name, then in (("other", lambda: projector.presents(1)), ("question", projector.rests)):
        projector.page.evaluate(
            """(name) => {
              const dialog = document.body.appendChild(document.createElement("dialog"));
              dialog.className = name;
              dialog.showModal();
            }""",
            name,
        )
        projector.press("Escape")
        then()


def test_enter_shows_every_figure_and_then_what_no_figure_shows(board):
    board.page.evaluate("history.replaceState(null, '', '?present=2')")  # a link to a figure
    projector = Projector(board)
    for number in (2, 3, 1, 2, 3, 4, 1):
        projector.presents(number)
        shown = [name for name in ("view", "more") if board.part(f"stage_{name}").is_visible()]
        assert shown == (["view", "more"] if number == 4 else [STAGES[number - 1]])
        assert board.page.locator(".heads").first.is_visible() == (number in (1, 4))
        if number == 1:
            board.page.evaluate("document.body.classList.add('st-key-lesson_strip')")
        projector.press("Enter")


def test_arrow_keys_move_between_heads_once_for_each_press(projector):
    view = projector.view
    projector.press("p", "ArrowDown", "ArrowRight")
    view.expect_edit(left=[4, 2], side="right", paired=False)
    for side in ("left", "right"):  # both show the same place, and go on doing so
        expect(view.canvas(side)).to_have_attribute("data-selected", "L4·H2")
    view.canvas("left").focus()
    projector.press("ArrowUp")  # the focused canvas handles the key alone: one step
    view.expect_edit(left=[3, 2], side="left", paired=True)
    projector.page.evaluate("document.activeElement.blur()")
    for key, head in (("PageDown", 5), ("PageUp", 2)):
        for _ in range(3):
            projector.press(key)
            view.answer(acknowledged=1)  # to the first press
        expect(view.canvas("left")).to_have_attribute("data-selected", f"L3·H{head}")
    view.expect_edit(left=[3, 2])


def test_without_heads_on_the_page_arrow_keys_change_the_caption(board):
    board.lay_out(HEADER + stage("layer", "<p>Layer</p>")).draw(CHANGE, "caption", "present")
    board.page.evaluate(KEEP_REST.replace("2500", "120"))  # the delay before a request
    for key in ("p", *["ArrowRight"] * 4, "PageDown", "ArrowDown"):
        board.page.keyboard.press(key)
    expect(board.page.locator(".caption b")).to_have_text("L5·H1")
    board.page.evaluate("rest()")
    board.expect_event("edited", {"number": 1, "fields": {"layer": 5, "head": 1}})
    walk = {"layer": 2, "head": 0, "layers": 6, "heads": 1}
    board.draw(CHANGE, "caption", text="A layer", walk=walk)
    expect(board.page.locator(".caption")).to_have_text("L2A layer")


def test_the_caption_is_a_figures_bold_sentence_and_as_many_after_it_as_fit(board):
    said = f"<b>A</b><p><strong>A is 1.</strong> Why. <strong>B is 2.</strong>{' Long.' * 99}</p>"
    pages = stage("a", "<p>A</p>") + stage("b", "<p>B</p>")
    board.lay_out(f'{HEADER}<div class="st-key-headline">{said}</div>{pages}')
    board.draw(CHANGE, "caption", "present")
    line = board.page.locator(".caption")
    for key, text in {"p": r"^A is 1\. Why\. $", "Enter": r"^B is 2\.( Long\.){20,80} $"}.items():
        board.page.keyboard.press(key)
        expect(line).to_have_text(re.compile(text))
        assert line.evaluate("({scrollHeight, clientHeight}) => scrollHeight <= clientHeight")


def test_space_plays(projector):
    projector.page.evaluate(
        "() => window.addEventListener('headlight-play', () => host.events.push(['', 'play', 1]))"
    )
    projector.press(" ", "p", "x", "Control+ArrowDown", " ", "Enter", " ")
    projector.presents(2)
    assert projector.board.events("play") == [1, 1]
    assert projector.view.edits() == []


def test_a_moving_pointer_shows_the_controls_for_a_moment(board):
    board.page.evaluate(KEEP_REST)
    projector = Projector(board)
    header = projector.page.get_by_test_id("stHeader")
    projector.press("p")
    expect(header).to_be_hidden()
    expect(projector.html).to_have_css("cursor", "none")
    projector.page.mouse.move(300, 300)
    projector.page.mouse.move(340, 320)
    expect(header).to_be_visible()
    expect(board.part("sentence_form")).to_be_visible()
    projector.page.evaluate("rest()")
    expect(header).to_be_hidden()
    projector.page.mouse.move(600, 20)
    expect(header).to_be_visible()
    projector.page.mouse.move(610, 20)  # hovers over what is visible now
    projector.page.evaluate("rest()")  # but the pointer is on the header
    expect(header).to_be_visible()


def test_the_page_answers_after_every_way_to_leave(projector):
    grid = projector.view.canvas("left")
    for act, leave in (
        (lambda: projector.press("ArrowDown", "ArrowRight"), lambda: projector.press("Escape")),
        (
            lambda: projector.press("Enter"),
            lambda: projector.button("switch").dispatch_event("click"),
        ),
    ):
        projector.press("p")
        projector.presents(1)
        act()
        leave()
        projector.rests()  # times out if a script never ends
        grid.focus()
        before = grid.get_attribute("data-selected")
        projector.press("ArrowRight")
        expect(grid).not_to_have_attribute("data-selected", before)
        projector.page.evaluate("document.activeElement.blur()")


def test_reset_keeps_the_language_alone(projector):
    projector.page.evaluate("history.pushState(null, '', '?lang=en&text=typed&layer=2')")
    projector.button("reset").click()
    projector.page.wait_for_url("**/?lang=en")
    expect(projector.page.locator("main > *")).to_have_count(0)  # a new page


def test_a_stage_that_does_not_fit_keeps_readable_type(board):
    board.lay_out(stage("tall", '<p style="height: 2000px">Tall</p>')).draw("", "present")
    board.page.keyboard.press("p")
    expect(board.page.locator("html")).to_have_attribute("data-scale", "1.500")
