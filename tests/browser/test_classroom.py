"""A teacher and a student in a room, each in a separate browser."""

import csv
import io
import re

import pytest
from playwright.sync_api import Error, expect

from tests.browser.classroom_page import ClassroomPage
from tests.browser.explore_page import truth
from web.widgets.translators import DEFAULT

pytestmark = pytest.mark.browser

# Records every path of the history, also one that is shown for half a second.
NOTE_PATHS = """() => {
  window.paths = [];
  navigation.addEventListener("currententrychange", () => paths.push(location.pathname));
}"""

ARRIVED = "The server has your answer."


@pytest.fixture
def members(visit, base) -> tuple[ClassroomPage, ClassroomPage]:
    """Return a teacher with an open room, and a student who joined it with its code."""
    teacher, student = (visit(base, ClassroomPage) for _ in range(2))
    student.join(teacher.open_room())
    return teacher, student


def test_a_wrong_code_is_reported_until_the_student_joins(visit, base):
    teacher, student = (visit(base, ClassroomPage) for _ in range(2))
    code = teacher.open_room()
    student.go()
    student.enter("1000 0000")
    alert = student.page.locator(".desk > .said")
    expect(alert).to_have_text("There is no room with this code.")
    student.enter(code)
    expect(student.bar).to_contain_text("connected")
    expect(alert).to_have_text("")
    student.complaints[:] = [each for each in student.complaints if "404" not in each]


PAGES = (
    *("Explore", "Model", "Layers", "Heads", "Decoder", "Calculator", "Positions", "Lessons"),
    "About",
)

# What a browser does that forbids cookies and the storage of sites.
FORBID_STORAGE = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {
    get() { throw new DOMException("Access is denied.", "SecurityError"); },
  });"""


def test_a_browser_without_storage_shows_every_page_and_says_why_it_cannot_join(visit, base):
    teacher, student = (visit(base, ClassroomPage) for _ in range(2))
    code = teacher.open_room()
    student.page.context.add_init_script(FORBID_STORAGE)
    for page in (*PAGES, "Classroom"):
        student.page.goto(f"{base}/{page.lower()}" if page != "Explore" else base)
        expect(student.page).to_have_title(f"{page} · Headlight")
        student.at_rest()
    with pytest.raises(Error, match="Access is denied"):
        student.page.evaluate("localStorage")
    alert = student.page.locator(".desk > .said")
    for act in (lambda: student.enter(code), lambda: student.press("Open a room")):
        act()
        expect(alert).to_contain_text("This browser does not let the page store anything")
    assert student.page.url == f"{base}/classroom"
    # A page whose script could not be loaded is loaded again, except without storage.
    student.page.clock.install()
    student.page.evaluate("dispatchEvent(new Event('headlight-script-error'))")
    student.page.clock.run_for(1_000)
    expect(alert).to_contain_text("This browser does not let the page store anything")


def test_a_student_follows_leaves_returns_and_is_locked(members):
    teacher, student = members
    teacher.show("Layers")
    student.address_says(part="layers", layer="3")
    expect(student.page.locator(".st-key-part")).to_be_visible()
    teacher.page.get_by_role("radio", name="Profile").click()
    student.address_says(part="profile")
    student.press("Stop following")
    student.show("Positions")
    teacher.page.get_by_role("radio", name="Logit lens").click()
    teacher.address_says(part="lens")
    student.page.wait_for_timeout(1_000)
    assert "/positions" in student.page.url
    student.press("Follow again")
    student.address_says(part="lens")
    teacher.set_mode("Locked")
    expect(student.bar).to_contain_text("has locked the view")
    student.page.evaluate(NOTE_PATHS)
    student.page.get_by_role("link", name="Positions").first.click()
    student.page.wait_for_function(
        "() => paths.includes('/positions') && paths.at(-1) === '/layers'"
    )
    student.address_says(part="lens")
    student.page.reload()
    student.address_says(part="lens")
    expect(student.bar).to_contain_text("has locked the view")


def test_a_sentence_of_a_student_is_kept_when_the_teachers_view_replaces_it(members):
    teacher, student = members
    student.show("Decoder")
    student.address_says(part="translate", text=DEFAULT["phrases"])
    teacher.show("Explore")
    student.address_says(head="1")  # the page's own text is not the student's
    expect(student.bar.get_by_role("button", name="Back to your sentence")).to_be_hidden()
    box = student.page.locator(".st-key-text input")
    box.fill("Birds sing.")
    box.press("Enter")
    student.address_says(text="Birds sing.")
    teacher.show("Layers")
    student.page.wait_for_url("**/layers?**")
    student.press("Back to your sentence")
    student.address_says(text="Birds sing.")
    expect(student.bar).to_contain_text("on your own")
    student.press("Follow again")
    student.page.wait_for_url("**/layers?**")

    teacher.set_mode("Free")
    expect(student.bar).to_contain_text("Work on your own now.")
    teacher.show("Heads")
    student.show("Positions")
    teacher.set_mode("Follow")
    student.page.wait_for_url("**/heads?**")


def test_a_class_follows_to_a_step_of_a_lesson_and_answers_its_question(members):
    teacher, student = members
    teacher.page.goto(f"{teacher.base}/?lesson=tokens.1")
    student.page.wait_for_url("**lesson=tokens.1**")
    strip = student.page.locator(".st-key-lesson_strip")
    expect(strip).to_contain_text("Step 1 of")
    teacher.press("Ask")
    form = teacher.page.locator("dialog.question-form[open]")
    expect(form.get_by_label("Kind")).to_have_value("lesson")
    asked = form.get_by_role("textbox", name="Question").input_value()
    form.get_by_role("button", name="Ask now").click()
    expect(student.question.locator("h2")).to_have_text(asked)
    teacher.lead("Close")
    teacher.page.locator(".st-key-lesson_strip").get_by_role("button", name="Next").click()
    student.page.wait_for_url("**lesson=tokens.2**")
    expect(strip).to_contain_text("Step 2 of")


def test_a_pause_from_the_bar_stays_above_a_question(members):
    teacher, student = members
    teacher.show("Explore")
    student.page.wait_for_url("**head=1**")
    sent: list[str | None] = []
    is_pause = re.compile(r"/pause$")
    teacher.page.on("request", lambda x: is_pause.search(x.url) and sent.append(x.post_data))
    pause = teacher.bar.get_by_role("button", name="Pause", exact=True)
    unpause = teacher.bar.get_by_role("button", name="End the pause")
    teacher.page.once("dialog", lambda dialog: dialog.dismiss())
    pause.click()
    teacher.page.once("dialog", lambda dialog: dialog.accept("Eyes up"))
    pause.click()
    message = student.page.locator("dialog.pause[open]")
    expect(message).to_contain_text("Eyes up")
    assert len(sent) == 1  # none for the cancelled message

    teacher.ask("choice", "Which one?", Options="a\n*b")
    expect(student.page.locator("dialog.question h2")).to_have_text("Which one?")
    expect(student.question).to_have_count(0)
    expect(message).to_be_visible()
    teacher.lead("Look at the page")
    unpause.click()
    student.choose("a")
    teacher.page.once("dialog", lambda dialog: dialog.accept("Eyes up"))
    pause.click()
    expect(message).to_be_visible()
    unpause.click()
    expect(message).to_have_count(0)
    expect(student.question.get_by_role("button", pressed=True)).to_have_text("a")
    student.send()
    student.expect_status(ARRIVED)


def test_the_bar_asks_the_prepared_questions_in_order(members):
    teacher, student = members
    section = teacher.page.locator(".prepared")
    for prompt in ("First?", "Second?"):
        section.get_by_role("button", name="New question").click()
        form = teacher.page.locator("dialog.question-form[open]")
        form.get_by_label("Kind").select_option("choice")
        form.get_by_role("textbox", name="Options").fill("a\n*b")
        form.get_by_role("textbox", name="Question").fill(prompt)
        form.get_by_role("button", name="Save for later").click()
    teacher.press("Ask question 1 of 2")
    expect(student.question.locator("h2")).to_have_text("First?")
    teacher.lead("Close")
    teacher.press("Ask question 2 of 2")
    expect(student.question.locator("h2")).to_have_text("Second?")
    teacher.lead("Close")
    expect(teacher.bar.get_by_role("button", name="Ask question")).to_have_count(0)
    teacher.bar.get_by_role("link", name="Room page").click()
    expect(section.locator(".asked")).to_have_count(2)


def test_a_class_works_through_a_lesson_at_the_teachers_pace(members):
    teacher, student = members
    teacher.show("Explore")
    student.address_says(head="1")
    teacher.bar.get_by_role("link", name="Room page").click()
    section = teacher.page.locator(".desk .lesson")
    section.get_by_label("Lesson").select_option("one-query")
    section.get_by_role("button", name="Start").click()
    student.address_says(lesson="one-query.1")
    to_lesson = student.bar.get_by_role("button", name="Go to the lesson")
    expect(to_lesson).to_be_hidden()
    strip = student.page.locator(".st-key-lesson_strip")
    expect(strip.get_by_role("button", name="Next")).to_be_disabled()
    expect(teacher.bar).to_contain_text("Step 1 of 3: 0 of 1")
    strip.get_by_role("button", name="dog", exact=True).click()
    expect(teacher.bar).to_contain_text("Step 1 of 3: 1 of 1")
    first = section.locator("details").first
    first.locator("summary").click()
    expect(first).to_contain_text("Step 1. Answers: 1. Right: 0.")
    expect(first.locator("li")).to_have_text(["dog (1)"])
    student.page.context.set_offline(True)
    expect(student.bar).to_contain_text("no connection")
    student.page.context.set_offline(False)
    strip.get_by_role("button", name="sister", exact=True).click()
    expect(strip).to_contain_text("sister")

    teacher.bar.get_by_role("button", name="Open the next step").click()
    student.address_says(lesson="one-query.2")
    # The sentence before the lesson was the teacher's.
    expect(student.bar.get_by_role("button", name="Back to your sentence")).to_be_hidden()
    expect(strip.get_by_role("button", name="Back")).to_be_disabled()
    teacher.page.once("dialog", lambda dialog: dialog.accept("Eyes to the <b>front</b>"))
    teacher.bar.get_by_role("button", name="Pause", exact=True).click()
    pause = student.page.locator("dialog.pause[open]")
    expect(pause).to_contain_text("Eyes to the <b>front</b>")
    student.page.keyboard.press("Escape")
    expect(pause).to_be_visible()
    teacher.bar.get_by_role("button", name="End the pause").click()
    expect(pause).to_be_hidden()
    box = student.page.locator(".st-key-text input")
    box.fill("Birds sing.")
    box.press("Enter")
    student.address_says(text="Birds sing.", lesson="one-query.2")
    teacher.show("Explore")
    teacher.bar.get_by_role("button", name="Open the next step").click()
    student.address_says(lesson="one-query.3")
    teacher.address_says(lesson="one-query.3")
    student.bar.get_by_role("button", name="Back to your sentence").click()
    student.address_says(text="Birds sing.")

    teacher.show("Heads")
    teacher.set_mode("Follow")
    student.page.wait_for_url("**/heads?**")
    teacher.set_mode("Free")
    student.address_says(lesson="one-query.3")
    student.complaints[:] = []  # about the connection that the test closed

    teacher.bar.get_by_role("link", name="Room page").click()
    section.get_by_role("button", name="Open all steps").click()
    expect(student.bar).to_contain_text("All 3 steps")
    expect(strip.get_by_role("button", name="Back")).to_be_enabled()
    teacher.page.once("dialog", lambda dialog: dialog.accept())
    teacher.press("End the room")
    expect(teacher.page.get_by_role("heading", name=re.compile("has ended"))).to_be_visible()
    expect(first).to_contain_text("Step 1. Answers: 1. Right: 0.")
    expect(section.get_by_role("button", name="Open all steps")).to_have_count(0)
    _download, content = teacher.download(lambda: teacher.press("Results as CSV"))
    assert b"one-query.1,lesson" in content


def test_a_class_guesses_the_next_token_of_a_text(members):
    teacher, student = members
    teacher.page.goto(f"{teacher.base}/decoder?part=generate&text=The+capital+of+France+is")
    student.address_says(text="The capital of France is")
    teacher.ask("next")
    expect(student.question).to_contain_text("Which token comes next?")
    expect(student.question).to_contain_text("The capital of France is")
    student.choose("Paris")
    student.send()
    teacher.expect_answers(1)
    teacher.lead("Reveal")
    expect(student.question.locator(".bar.right.own .label")).to_have_text("Paris")
    expect(student.question).to_contain_text("Second bar: probability in smollm2")


def test_an_offline_answer_is_sent_later_and_the_class_votes_again(members):
    teacher, student = members
    teacher.show("Explore")
    student.address_says(head="1")
    teacher.ask("token", "Where does <b>it</b> look?", query="it")
    expect(teacher.question).to_be_visible()
    for key, mode in (
        ("p", "1"),
        ("Escape", "1"),
        ("p", None),
    ):  # Escape does not end the presentation
        teacher.page.keyboard.press(key)
        teacher.address_says(present=mode)
        large = re.compile(r"\blarge\b")
        sheet = expect(teacher.question)
        sheet.to_have_class(large) if mode else sheet.not_to_have_class(large)
    expect(teacher.question).to_be_visible()
    expect(student.question.locator("h2")).to_have_text("Where does <b>it</b> look?")
    expect(student.question.locator(".scene")).to_contain_text("where does “it” look?")
    student.choose("street")
    chosen = student.question.get_by_role("button", pressed=True)
    expect(chosen).to_have_text("street")
    student.page.context.set_offline(True)
    student.send()
    expect(student.question.locator(".status")).to_contain_text("Saved in this browser")
    teacher.expect_answers(0)
    student.page.context.set_offline(False)
    student.expect_status(ARRIVED)
    teacher.expect_answers(1)
    student.page.reload()
    student.expect_status(ARRIVED)
    expect(chosen).to_have_text("street")
    assert student.question.locator(".model").count() == 0

    teacher.lead("Reveal")
    student.expect_status("Your answer: street.")
    minilm = truth("minilm")
    weights = minilm.weights[3, 1, minilm.tokens.index("it")]
    shown = student.question.locator(".token .model").all_inner_texts()
    assert shown == [f"{weight:.3f}" for weight in weights]
    expect(student.question.locator(".token.right .label")).to_have_text("animal")

    teacher.lead("Vote again")
    expect(student.question.get_by_role("button", name="Send answer")).to_be_disabled()
    expect(chosen).to_have_count(0)
    student.choose("animal")
    student.send()
    student.expect_status(ARRIVED)
    teacher.lead("Reveal")
    student.expect_status("Your answer is right: animal.")
    # Each round marks the answer that was given in it, the newest round first.
    own = student.question.locator(".token.own .label")
    expect(own).to_have_text(["animal", "street"])
    teacher.lead("See what changes without it")
    student.address_says(part="change", off="3-1", right="minilm")
    expect(student.question).to_have_count(0)

    teacher.page.get_by_role("link", name="Room page").click()
    _file, content = teacher.download(lambda: teacher.press("Results as CSV"))
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert [(row["prompt"], row["round"], row["student"], row["right"]) for row in rows] == [
        ("Where does <b>it</b> look?", "1", "1", "0"),
        ("Where does <b>it</b> look?", "2", "1", "1"),
    ]
    student.ignore_network_errors()


def test_a_head_and_a_number_question_are_in_the_results(members):
    teacher, student = members
    teacher.show("Explore")
    student.address_says(head="1")
    teacher.ask("head", query="it", key="animal")
    # One tab stop, and arrow keys between the heads.
    student.question.get_by_role("button", name="L0·H0", exact=True).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "Enter"):
        student.page.keyboard.press(key)
    student.press("Look at the page")  # which shows the heads
    expect(student.question).to_have_count(0)
    expect(student.part("overview_right")).to_be_visible()
    student.press("Back to the question")
    expect(student.question.get_by_role("button", pressed=True)).to_have_attribute("title", "L3·H1")
    student.send()
    student.expect_status(ARRIVED)
    expect(student.question.locator(".status")).to_be_focused()
    teacher.expect_answers(1)
    expect(teacher.question.locator(".dot")).to_have_count(0)  # the class still votes
    teacher.lead("Show the votes")
    expect(teacher.question.locator(".dot")).to_have_text("1")
    teacher.lead("Hide the votes")
    expect(teacher.question.locator(".dot")).to_have_count(0)
    teacher.lead("Stop answers")
    student.expect_status("The teacher has stopped the answers. Your answer: L3·H1.")
    expect(student.question.locator(".cell.right")).to_have_count(0)
    teacher.lead("Reveal")
    student.expect_status("Your answer is right: L3·H1.")
    expect(student.question.locator(".mark")).to_have_attribute("aria-label", "right")
    teacher.lead("Close")
    expect(student.question).to_have_count(0)

    teacher.ask("number", query="it", key="animal")
    expect(student.question).to_contain_text("weight from “it” to “animal”")
    student.page.get_by_label("Your number").fill("4,200")
    expect(student.page.get_by_text("Type it without a comma")).to_be_visible()
    student.page.get_by_label("Your number").fill("0,65")
    student.send()
    student.expect_status(ARRIVED)
    teacher.lead("Reveal")
    student.expect_status("Your answer is right: 0.65.")
    expect(student.question.locator(".legend")).to_contain_text(
        "The right number is 0.676848, plus or minus 0.05."
    )
    teacher.lead("Close")
    teacher.page.get_by_role("link", name="Room page").click()
    teacher.page.once("dialog", lambda dialog: dialog.accept())
    teacher.press("End the room")
    expect(teacher.page.get_by_role("heading", name=re.compile("has ended"))).to_be_visible()
    expect(student.bar).to_contain_text("the room has ended")
    saved, content = teacher.download(lambda: teacher.press("Results as CSV"))
    assert re.fullmatch(r"headlight_\d{8}\.csv", saved.suggested_filename)
    assert len(content.splitlines()) == 3

    # Leaving keeps the way back to the results; deleting does not.
    teacher.page.locator(".desk").get_by_role("button", name="Leave").click()
    rooms = teacher.page.locator(".taught")
    rooms.get_by_role("button", name="Open").click()
    expect(teacher.page.get_by_role("button", name="Results as CSV")).to_be_visible()
    teacher.page.once("dialog", lambda dialog: dialog.accept())
    teacher.press("Delete its data now")
    expect(teacher.page.get_by_role("button", name="Open a room")).to_be_visible()
    expect(rooms).to_have_count(0)
    student.go()
    expect(student.bar).to_contain_text("this browser is not in the room")
    expect(student.page.locator(".desk")).to_contain_text("this browser is not in the room")


def test_a_saved_question_is_opened_from_a_file_and_opens_its_view(members, visit, base):
    teacher, student = members
    teacher.show("Heads")
    student.page.wait_for_url("**/heads?**")
    teacher.press("Ask")
    form = teacher.page.locator("dialog.question-form[open]")
    form.get_by_label("Kind").select_option("choice")
    form.get_by_label("Options, one per line").fill("*one\ntwo")
    form.get_by_label("Question").fill("How many?")
    form.get_by_role("button", name="Save for later").click()
    teacher.page.get_by_role("link", name="Room page").click()
    saved, _content = teacher.download(lambda: teacher.press("Save as a file"))

    colleague = visit(base, ClassroomPage)
    colleague.go()
    for added in (1, 0):  # the same questions are not added twice
        with colleague.page.expect_file_chooser() as chosen:
            colleague.press("Open a file")
        chosen.value.set_files(saved.path())
        expect(colleague.page.locator(".desk > .said")).to_have_text(f"Questions added: {added}.")
    expect(colleague.page.locator(".prepared .prompt")).to_have_text("How many?")
    colleague.press("Edit")
    form = colleague.page.locator("dialog[open]")
    expect(form.get_by_label("Options, one per line")).to_have_value("*one\ntwo")
    form.get_by_label("Question").fill(" ")
    colleague.press("Save for later")
    expect(form.get_by_role("alert")).to_have_text("Type a question.")
    form.get_by_label("Question").fill("How few?")
    colleague.press("Save for later")
    colleague.press("New question")
    form.get_by_label("Kind").select_option("token")
    form.get_by_label("Link to the view").fill(f"{base}/?text=Birds+sing.&layer=2&head=5")
    form.get_by_label("Link to the view").press("Tab")
    expect(form.get_by_label("Question")).to_have_value("Where does “sing” look in L2·H5?")
    colleague.press("Save for later")
    expect(colleague.page.locator(".prepared li")).to_have_count(2)

    teacher.press("Ask now")
    teacher.page.wait_for_url("**/heads?**")
    expect(student.question.locator("h2")).to_have_text("How many?")
    student.choose("one")
    student.send()
    teacher.expect_answers(1)
