"""A teacher and students in a room, each in a separate browser."""

import csv
import io
import re

import pytest
from playwright.sync_api import Error, expect

from tests.browser.axe import serious_faults
from tests.browser.classroom_page import ClassroomPage
from tests.components.explore import truth
from web.translators import DEFAULT

pytestmark = pytest.mark.browser

ARRIVED = "The server has your answer."

# The parts of the sheet of a question that are not whole on the screen.
CUT = """(sheet) => [...sheet.querySelectorAll("*")].filter((each) => {
  const { width, left, right, top, bottom } = each.getBoundingClientRect();
  return width && (left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1);
}).map((each) => each.outerHTML)"""

# Text of the sheet that cannot be read from the last row.
SMALL = """(sheet) => [...sheet.querySelectorAll("*")].filter((each) =>
  [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE) && each.offsetHeight &&
  parseFloat(getComputedStyle(each).fontSize) * each.currentCSSZoom < innerHeight / 40 - 0.01
  && !each.closest(".foot")).map((each) => each.outerHTML)"""

# What a browser does that forbids cookies and the storage of sites.
FORBID_STORAGE = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {
    get() { throw new DOMException("Access is denied.", "SecurityError"); },
  });"""


@pytest.fixture
def members(visit, base) -> tuple[ClassroomPage, ClassroomPage]:
    teacher, student = (visit(base, ClassroomPage) for _ in range(2))
    student.join(teacher.open_room())
    return teacher, student


def expect_no_faults(*members: ClassroomPage) -> None:
    for each in members:
        for scheme in ("dark", "light"):
            assert not serious_faults(each, scheme)


def test_a_room_of_three_from_its_opening_to_the_results(members, visit, base):
    teacher, student = members
    code = teacher.page.locator(".desk .code").inner_text()
    typing = visit(base, ClassroomPage)
    typing.go()
    typing.join_with("1000 0000")
    alert = typing.page.locator(".desk > .error")
    expect(alert).to_have_text("There is no room with this code.")
    box = typing.page.get_by_role("textbox", name="Code")
    box.fill(code)
    box.press("Enter")
    expect(typing.bar).to_contain_text("connected")
    expect(alert).to_have_text("")
    typing.complaints[:] = [each for each in typing.complaints if "404" not in each]

    teacher.show("Explore")
    for each in (student, typing):
        each.address_says(head="1")
    teacher.ask("token", "Where does <b>it</b> look?", query="it")
    expect(student.question.locator("h2")).to_have_text("Where does <b>it</b> look?")
    student.choose("street")
    chosen = student.question.get_by_role("button", pressed=True)
    student.page.context.set_offline(True)
    student.send()
    expect(student.question.locator(".status")).to_contain_text("Saved in this browser")
    typing.question.get_by_role("button", name="animal", exact=True).press("Enter")
    typing.question.get_by_role("button", name="Send answer").press("Enter")
    typing.expect_status(ARRIVED)
    expect(typing.question.locator(".status")).to_be_focused()
    teacher.expect_answers(1)
    student.page.context.set_offline(False)
    student.expect_status(ARRIVED)
    teacher.expect_answers(2)
    student.page.reload()
    student.expect_status(ARRIVED)
    expect(chosen).to_have_text("street")
    assert student.question.locator(".model").count() == 0

    teacher.reveal()
    student.expect_status("Your answer: street.")
    typing.expect_status("Your answer is right: animal.")
    minilm = truth("minilm")
    weights = minilm.weights[3, 1, minilm.tokens.index("it")]
    shown = student.question.locator(".token .model").all_inner_texts()
    assert shown == [f"{weight:.3f}" for weight in weights]
    expect(student.question.locator(".token.right .label")).to_have_text("animal")
    expect_no_faults(student, teacher)

    teacher.lead("Vote again")
    expect(student.question.get_by_role("button", name="Send answer")).to_be_disabled()
    expect(chosen).to_have_count(0)
    student.choose("animal")
    student.send()
    student.expect_status(ARRIVED)
    teacher.reveal()
    student.expect_status("Your answer is right: animal.")
    # The newest round first.
    expect(student.question.locator(".token.own .label")).to_have_text(["animal", "street"])
    teacher.lead("Close")
    expect(student.question).to_have_count(0)

    teacher.page.get_by_role("link", name="Room page").click()
    teacher.page.once("dialog", lambda dialog: dialog.accept())
    teacher.press("End the room")
    expect(teacher.page.get_by_role("heading", name=re.compile("has ended"))).to_be_visible()
    expect(student.bar).to_contain_text("This room has ended.")
    saved, content = teacher.download(lambda: teacher.press("Results as CSV"))
    assert re.fullmatch(r"headlight_\d{8}\.csv", saved.suggested_filename)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert {row["prompt"] for row in rows} == {"Where does <b>it</b> look?"}
    assert sorted((row["round"], row["student"], row["right"]) for row in rows) == [
        ("1", "1", "0"),
        ("1", "2", "1"),
        ("2", "1", "1"),
    ]

    teacher.page.once("dialog", lambda dialog: dialog.accept())
    teacher.press("Delete its data now")
    expect(teacher.button("Open a room")).to_be_visible()
    student.ignore_network_errors()


def test_a_student_follows_and_works_alone(members):
    teacher, student = members
    student.show("Decoder")
    student.address_says(part="translate", text=DEFAULT["phrases"])
    teacher.show("Explore")
    student.address_says(head="1")
    box = student.part("text").locator("input")
    box.fill("Birds sing.")
    box.press("Enter")
    student.address_says(text="Birds sing.")
    teacher.show("Layers")
    student.address_says(part="layers", layer="3")
    student.page.go_back()  # the teacher's view has replaced the sentence
    student.address_says(text="Birds sing.")
    teacher.page.get_by_role("radio", name="Logit lens").click()
    student.address_says(part="lens")
    student.at_rest()

    teacher.page.context.set_offline(True)
    teacher.set_mode("Free")
    expect(teacher.bar).to_contain_text("The server does not respond.")
    teacher.page.context.set_offline(False)
    expect(teacher.bar).not_to_contain_text("does not respond")
    teacher.ignore_network_errors()
    teacher.set_mode("Free")
    expect(student.bar).to_contain_text("Work on your own now.")
    teacher.show("Heads")
    student.show("Positions")
    teacher.set_mode("Follow")
    student.page.wait_for_url("**/heads?**")


def test_a_class_works_through_a_lesson_at_the_teachers_pace(members):
    teacher, student = members
    teacher.show("Explore")
    student.address_says(head="1")
    teacher.bar.get_by_role("link", name="Room page").click()
    section = teacher.page.locator(".desk .lesson")
    section.get_by_label("Lesson").select_option("one-query")
    section.get_by_role("button", name="Start").click()
    student.address_says(lesson="one-query.1")
    strip = student.part("lesson_strip")
    expect(strip.get_by_text("hidden until you answer")).to_be_visible()
    expect(strip.get_by_role("button", name="Show it")).to_be_hidden()  # in a class, an answer does
    expect(strip.get_by_role("button", name="Next")).to_be_disabled()
    strip.get_by_role("button", name="dog", exact=True).click()
    expect(teacher.bar).to_contain_text("Step 1 of 3 · 1 of 1")
    expect(section.locator("li").first).to_have_text("Step 1. Answers: 1. Right: 0.")
    expect_no_faults(teacher)
    student.page.context.set_offline(True)
    expect(student.bar).to_contain_text("no connection")
    student.page.context.set_offline(False)
    strip.get_by_role("button", name="sister", exact=True).click()
    expect(strip).to_contain_text("sister")

    teacher.bar.get_by_role("button", name="Open the next step").click()
    student.address_says(lesson="one-query.2")
    expect(strip.get_by_role("button", name="Back")).to_be_disabled()
    expect_no_faults(student)
    box = student.part("text").locator("input")
    box.fill("Birds sing.")
    box.press("Enter")
    student.address_says(text="Birds sing.", lesson="one-query.2")
    section.get_by_role("button", name="Show the lesson").click()
    teacher.address_says(lesson="one-query.2")
    teacher.at_rest()
    teacher.bar.get_by_role("button", name="Open the next step").click()
    student.address_says(lesson="one-query.3")
    teacher.address_says(lesson="one-query.3")
    student.page.go_back()
    student.address_says(text="Birds sing.")
    student.ignore_network_errors()

    teacher.bar.get_by_role("link", name="Room page").click()
    section.get_by_role("button", name="Open all steps").click()
    expect(student.bar).to_contain_text("All 3 steps")
    expect(strip.get_by_role("button", name="Back")).to_be_enabled()
    _download, content = teacher.download(lambda: teacher.press("Results as CSV"))
    assert b"one-query.1,lesson" in content


def test_heads_numbers_and_choices_are_asked(members, visit, base):
    teacher, student = members
    projector = visit(base, ClassroomPage, viewport={"width": 1024, "height": 768})
    projector.page.goto(teacher.teachers_link("present=1"))
    joining = projector.page.locator(".desk .out.large")
    expect(teacher.page.locator(".desk .alone")).to_contain_text("--host 0.0.0.0")
    expect(joining.locator(".qr, .alone")).to_have_count(0)  # no phone could open its link
    assert joining.evaluate(CUT) == []
    teacher.show("Explore")
    for each in (student, projector):
        each.address_says(head="1")
    teacher.press("Ask")
    suggested = "What does “it” attend to in minilm's L3·H1?"
    expect(teacher.form.get_by_label("Question")).to_have_value(suggested)
    for each in (student, projector):  # their page shows the answer
        expect(each.page.locator(".stMain")).to_have_css("filter", re.compile("blur"))
    teacher.form.get_by_role("button", name="Cancel").click()
    for each in (student, projector):
        expect(each.page.locator(".stMain")).to_have_css("filter", "none")
    teacher.ask("head", query="it", key="animal")
    expect(projector.question).to_be_visible()
    for key, presents in (("Escape", None), ("p", "1")):
        projector.page.keyboard.press(key)
        projector.address_says(present=presents)
    student.question.get_by_role("button", name="L0·H0", exact=True).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "Enter"):
        student.page.keyboard.press(key)
    student.press("Look at the page")  # which shows the heads
    expect(student.question).to_have_count(0)
    student.press("Back to the question")
    expect(student.question.get_by_role("button", pressed=True)).to_have_attribute("title", "L3·H1")
    expect_no_faults(student)
    teacher.lead("Stop answers")  # a selected answer is sent
    student.expect_status("The teacher has stopped the answers. Your answer: L3·H1.")
    projector.expect_answers(1)
    expect(teacher.question.get_by_text("For you only")).to_be_visible()
    expect(teacher.question.locator(".dot")).to_be_hidden()
    teacher.question.get_by_text("For you only").click()
    expect(teacher.question.locator(".dot")).to_have_text("1")
    expect_no_faults(teacher, projector)
    for each in (student, projector):
        expect(each.question.locator(".votes, .dot, .right")).to_have_count(0)
    for each in (student, projector, teacher):
        expect(each.button("Look at the page")).to_have_count(0)  # it waits for the reveal
    assert projector.question.evaluate(CUT) == []
    teacher.lead("Reveal")
    student.expect_status("Your answer is right: L3·H1.")
    expect(student.button("Look at the page")).to_be_visible()
    expect(student.question.locator(".mark").first).to_have_attribute("aria-label", "right")
    expect(projector.question.locator(".verdict")).to_have_text(
        "Right: L3·H1 (0.677), L5·H11 (0.673)."
    )
    assert projector.question.evaluate(CUT) == []
    for each in (projector, teacher):
        assert each.question.evaluate(SMALL) == []
    teacher.lead("Close")
    expect(student.question).to_have_count(0)

    teacher.page.goto(f"{teacher.base}/?special=hide")
    student.address_says(special="hide")
    teacher.ask("number", "How *large*?", query="it", key="animal")
    expect(student.question.locator("h2 em")).to_have_text("large")
    expect(student.question).to_contain_text("minilm · L3·H1 · it → animal.")
    number = student.question.get_by_label("Your number")
    number.fill("0,65")
    student.send()
    student.expect_status(ARRIVED)
    teacher.reveal()
    student.expect_status("Your answer is right: 0.65.")
    verdict = student.question.locator(".verdict")
    expect(verdict).to_have_text(re.compile(r"Right: 0\.67684[89]\."))  # processors differ
    teacher.lead("Close")
    expect(student.question).to_have_count(0)

    teacher.ask_choice("How many?", "*one\ntwo")
    student.choose("two")
    student.send()
    teacher.reveal()
    student.expect_status("Your answer: two.")


def test_a_browser_without_storage_shows_pages_and_says_why_it_cannot_join(visit, base):
    student = visit(base, ClassroomPage)
    student.page.context.add_init_script(FORBID_STORAGE)
    for page, path in (("Calculator", "calculator?mode=practice"), ("Classroom", "classroom")):
        student.page.goto(f"{base}/{path}")
        expect(student.page).to_have_title(f"{page} · Headlight")
        student.at_rest()
    with pytest.raises(Error, match="Access is denied"):
        student.page.evaluate("localStorage")
    alert = student.page.locator(".desk > .error")
    for act in (lambda: student.join_with("1000 0000"), lambda: student.press("Open a room")):
        act()
        expect(alert).to_contain_text("This browser does not let the page store anything")
