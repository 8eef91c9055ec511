"""axe-core finds no serious fault on any page, light or dark: contrast, names of elements.

`make js` installs axe-core.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.classroom_page import ClassroomPage
from tests.browser.conftest import visits
from tests.browser.visitor import PATIENCE, Visitor

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

VIEWS = (
    "/",
    "/model?left=minilm",
    "/model?left=smollm2&zoom=layer",
    "/model?left=phrases&zoom=head",
    "/model?left=minilm&zoom=score",
    "/layers",
    "/layers?part=profile",
    "/layers?part=stream",
    "/heads",
    "/heads?part=links",
    "/heads?part=map",
    "/heads?part=corpus",
    "/heads?part=change",
    "/heads?part=tuned",
    "/decoder",
    "/decoder?part=masks&mask=causal&inverted=1&below=cost",
    "/decoder?part=masks&mask=window&below=reach",
    "/calculator",
    "/calculator?mode=practice",
    "/calculator?mode=norms",
    "/positions",
    "/about",
)

MOST_TABS = 60
"""Presses of Tab from the start of a page or of a sheet to an element of it."""

# The dark theme changes only the colours, so only the rules on colours run again.
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}

SERIOUS = """async (rules) =>
  (await axe.run(document, { resultTypes: ["violations"], ...rules })).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
    `${id}: ${html.slice(0, 120)} ${[...any, ...all, ...none][0]?.message ?? ""}`))"""


@pytest.fixture(scope="module")
def reader(pages, base) -> Iterator[Visitor]:
    """A visitor whose browser accepts axe-core, which the content security policy would block."""
    with visits(pages, base) as visit:
        yield visit(base, Visitor, bypass_csp=True)


@pytest.mark.parametrize("view", VIEWS)
def test_no_page_has_a_serious_fault(reader, view):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make js")
    reader.page.emulate_media(color_scheme="light")
    reader.page.goto(f"{reader.base}{view}")
    expect_no_faults(reader)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_open_popover_has_no_serious_fault(visit, base, scheme):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make js")
    visitor = visit(base, Visitor, color_scheme=scheme)
    visitor.go()
    visitor.at_rest()
    visitor.page.get_by_role("button", name="Display").click()
    expect(visitor.page.get_by_test_id("stPopoverBody").get_by_text("Heatmap")).to_be_visible()
    # The button under the pointer has another colour.
    visitor.page.get_by_role("button", name="Copy link").hover()
    assert not faults_found(visitor, scheme)


@pytest.fixture
def members(visit, base) -> tuple[ClassroomPage, ClassroomPage]:
    """A teacher with an open room and a student in it, whose browsers accept axe-core."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make js")
    teacher, student = (visit(base, ClassroomPage, bypass_csp=True) for _ in range(2))
    student.join(teacher.open_room())
    return teacher, student


def test_a_lesson_in_a_room_has_no_serious_fault(members):
    teacher, student = members
    section = teacher.page.locator(".desk .lesson")
    section.get_by_label("Lesson").select_option("one-query")
    section.get_by_role("button", name="Start").click()
    student.address_says(lesson="one-query.1")
    strip = student.page.locator(".st-key-lesson_strip")
    strip.get_by_role("button", name="dog", exact=True).click()
    answers = section.locator("details").first
    expect(answers).to_contain_text("Answers: 1.")
    answers.locator("summary").click()
    expect(answers.locator("li")).to_have_text("dog (1)")
    expect_no_faults(teacher)
    teacher.page.once("dialog", lambda dialog: dialog.accept("Look!"))
    teacher.bar.get_by_role("button", name="Pause", exact=True).click()
    expect(student.page.locator("dialog.pause[open]")).to_be_visible()
    expect_no_faults(student)
    teacher.bar.get_by_role("button", name="End the pause").click()


@pytest.mark.parametrize("kind", ["token", "head", "number", "choice", "next"])
def test_a_question_in_a_room_has_no_serious_fault(members, kind):
    teacher, student = members
    path, view = "/", {"layer": "3", "head": "1"}
    if kind == "next":
        path, view = "/decoder", {"part": "generate", "text": "The capital of France is"}
    teacher.page.goto(f"{teacher.base}{path}?{urlencode(view)}")
    student.address_says(**view)
    teacher.press("Ask")
    form = teacher.page.locator("dialog.question-form[open]")
    form.get_by_label("Kind").select_option(kind)
    if kind == "choice":
        form.get_by_role("textbox", name="Options").fill("street\n*animal")
        form.get_by_role("textbox", name="Question").fill("What does “it” mean?")
    expect_no_faults(teacher)
    form.get_by_role("button", name="Ask now").click()
    sheet = student.question
    expect(sheet.get_by_role("button", name="Send answer")).to_be_disabled()
    answer(student, kind)
    expect_no_faults(student)
    student.send()
    teacher.expect_answers(1)
    expect_no_faults(student)
    teacher.lead("Show the votes")
    expect_no_faults(teacher)
    teacher.lead("Reveal")
    expect(sheet.locator(".status")).to_contain_text("Your answer")
    expect_no_faults(teacher)
    expect_no_faults(student)


def answer(student: ClassroomPage, kind: str) -> None:
    """Give an answer of that kind on the sheet, by keyboard alone."""
    page, sheet = student.page, student.question
    if kind == "number":
        tab_to(student, sheet.get_by_label("Your number"))
        page.keyboard.type("0.42")
        expect(sheet.get_by_label("Your number")).to_have_value("0.42")
    elif kind == "head":
        tab_to(student, sheet.get_by_role("button", name="L0·H0", exact=True))
        for key in ("ArrowDown", "ArrowRight", "Space"):
            page.keyboard.press(key)
        pressed = sheet.get_by_role("button", pressed=True)
        expect(pressed).to_have_attribute("title", "L1·H1")
    else:
        name = "Paris" if kind == "next" else "street"
        tab_to(student, sheet.get_by_role("button", name=name, exact=True))
        page.keyboard.press("Enter")


def test_a_student_answers_by_keyboard_alone(visit, base):
    teacher, student = (visit(base, ClassroomPage) for _ in range(2))
    code = teacher.open_room()
    student.go()
    tab_to(student, student.page.get_by_role("textbox", name="Code"))
    student.page.keyboard.type(code)
    student.page.keyboard.press("Enter")
    expect(student.bar).to_contain_text("connected")
    teacher.show("Explore")
    student.address_says(head="1")
    teacher.ask("head")
    expect(student.question.locator("h2")).to_be_focused()
    answer(student, "head")
    tab_to(student, student.question.get_by_role("button", name="Send answer"))
    student.page.keyboard.press("Enter")
    student.expect_status("The server has your answer.")
    expect(student.question.locator(".status")).to_be_focused()
    teacher.expect_answers(1)


def tab_to(visitor: Visitor, target: Locator) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(MOST_TABS):
        if target.evaluate("target => target.getRootNode().activeElement === target"):
            return
        visitor.page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {target}")


def expect_no_faults(visitor: Visitor) -> None:
    """Check the drawn page, light and dark: it follows the system's setting while it is open."""
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme)
        expect(visitor.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
        assert not faults_found(visitor, scheme)


def faults_found(visitor: Visitor, scheme: str) -> list[str]:
    """The faults of a drawn page. The check repeats, because new elements first have no names."""
    visitor.at_rest()
    if not visitor.page.evaluate("'axe' in window"):
        visitor.page.evaluate(AXE.read_text("utf-8"))  # the policy blocks a script tag
    end = time.monotonic() + PATIENCE / 4000
    while (found := visitor.page.evaluate(SERIOUS, RULES[scheme])) and time.monotonic() < end:
        visitor.page.wait_for_timeout(100)
    return found
