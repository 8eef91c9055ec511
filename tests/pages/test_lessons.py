"""The course: what its files say is true, its links open, and answers are judged by the models."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from model import HeadlightError, load_model
from pages.check_lessons import problems
from pages.lessons.by_model import Weight
from pages.lessons.course import OURS, Course, Place, course, read_lesson
from pages.lessons.links import link_to
from pages.lessons.questions import HeadQuestion, KeyQuestion, NumberQuestion
from pages.shared import settings
from pages.shared.parameters import DEFAULT_TEXT
from tests.pages.conftest import first_visit
from tests.pages.test_explore import words_on

LESSON = """
title = "Mine"
minutes = 3
learn = "What it is."

[[steps]]
view = "/?text=My+sister+fed+the+dog.&left=scratch&right=minilm&layer=3&head=1"
say = "The row *dog* gives {own:.2f} to itself."
do = "Look at it."
numbers.own = { what = "weight", model = "minilm", query = "dog", key = "dog" }
claims = ["own < 0.5"]

[steps.question]
kind = "number"
ask = "How many heads are there?"
value = { what = "size", model = "minilm", of = "all_heads" }
within = 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "01-mine.toml").write_text(LESSON, "utf-8")
    return tmp_path


def test_every_link_number_claim_and_answer_of_the_course_holds() -> None:
    assert problems(OURS) == []


def test_the_course_is_the_one_that_was_asked_for() -> None:
    lessons = course().lessons
    assert 10 <= len(lessons) <= 14
    assert list(lessons)[:3] == ["tokens", "one-query", "softmax"]
    for lesson in lessons.values():
        for step in lesson.steps:
            assert step.say.count(". ") <= 3, step.say
            assert step.question.hints and step.question.why


@pytest.mark.parametrize(
    ("was", "becomes", "complaint"),
    [
        ("minutes = 3", "minutes = -3", "minutes: Input should be greater than 0"),
        ("minutes = 3", "minuten = 3", "minuten: Extra inputs are not permitted"),
        ("{own:.2f}", "{other}", "no number is called other"),
        ("[steps.question]", "[steps.question", "cannot be read"),
        ("left=scratch&", "left=scratch&depth=3&", "does not know depth=3"),
        ("left=scratch&", "left=scratch&words=x&", "does not know words=x"),
        ("own < 0.5", "own > 0.5", "it is not so that own > 0.5"),
        ('key = "dog"', 'key = "cat"', "no token cat"),
        ("all_heads", "wheels", "Input should be"),
        ('view = "/?', 'view = "/nowhere?', "no page nowhere"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    folder: Path, was: str, becomes: str, complaint: str
) -> None:
    assert problems(folder) == []
    (folder / "01-mine.toml").write_text(LESSON.replace(was, becomes), "utf-8")
    assert any(complaint in problem for problem in problems(folder)), problems(folder)


def test_a_question_may_leave_out_what_its_steps_link_says(folder: Path) -> None:
    lesson = read_lesson(folder / "01-mine.toml")
    asked = lesson.steps[0].numbers["own"]
    assert isinstance(asked, Weight)
    assert (asked.text, asked.layer, asked.head) == ("My sister fed the dog.", 3, 1)
    capture = load_model("minilm").attend(asked.text)
    dog = capture.tokens.index("dog")
    told = lesson.steps[0].told(lesson.steps[0].say)
    assert told == f"The row *dog* gives {capture.weights[3, 1, dog, dog]:.2f} to itself."


def test_a_wrong_answer_hears_what_was_found_and_then_what_is_right() -> None:
    it = {"model": "minilm", "text": DEFAULT_TEXT, "ask": "Where?"}
    key = KeyQuestion(
        kind="key", layer=3, head=1, query="it", options=("street", "animal", "tired"), **it
    )
    first, second = key.judge("street", 0), key.judge("street", 1)
    assert not first.right and first.said == "“street” has 0.05; one of them has 0.68."
    assert not second.right and second.said == "“street” has 0.05; “animal” has 0.68."
    assert key.judge("animal", 2).right
    head = HeadQuestion(kind="head", query="it", key="animal", **it)
    assert head.solution() == "3.1"
    assert head.judge("5.11", 0).said == "L5·H11 gives 0.67; some head gives 0.68."
    assert not head.judge("9.9", 0).right


def test_a_number_may_be_off_by_what_the_file_allows_and_no_more() -> None:
    number = NumberQuestion(
        kind="number", ask="?", value={"what": "cells", "n": 16, "pattern": "causal"}, within=1
    )
    assert [number.judge(answer, 0).right for answer in ("135", "137,0")] == [True, True]
    assert not any(number.judge(answer, 0).right for answer in ("134.9", "x", "nan", "1e400"))
    assert number.judge("134", 0).said == "It is more than 134."
    assert number.judge("200", 1).said == "200 is off: it is 136."


def test_a_folder_of_ones_own_is_named_by_one_setting(folder: Path, monkeypatch) -> None:
    (folder / "02-tokens.toml").write_text(LESSON.replace("Mine", "Mine too"), "utf-8")
    (folder / "03-broken.toml").write_text("title = 3", "utf-8")
    served = settings.Settings(lessons=str(folder))
    monkeypatch.setattr(settings, "_settings", served)
    known = course()
    assert list(known.lessons)[-1] == "mine" and known.added == {"mine", "tokens"}
    assert next(iter(known.lessons)) == "tokens"  # ours, replaced where it stood
    assert known.lessons["tokens"].title == "Mine too"
    assert len(known.problems) == 1 and "03-broken.toml" in str(known.problems[0])
    monkeypatch.setattr(settings, "_settings", settings.Settings(lessons=str(folder / "not")))
    with pytest.raises(HeadlightError, match="no folder"):
        raise course().problems[0]


def test_places_follow_one_another_through_all_lessons() -> None:
    known = course()
    place, walked = Place("tokens"), []
    while place is not None:
        walked.append(place)
        place = known.beside(place, 1)
    assert len(walked) == sum(len(lesson.steps) for lesson in known.lessons.values())
    assert walked[3] == Place("one-query")
    assert [known.beside(at, -1) for at in walked[1:]] == walked[:-1]
    assert known.step(Place("tokens", 9)) is None and known.step(Place("nothing")) is None
    with pytest.raises(ValueError):
        Place.read("tokens.x")


def opened(known: Course, place: Place) -> AppTest:
    link = urlsplit(link_to(known, place, anew=True))
    page = first_visit(link.path.strip("/"))
    for name, value in parse_qsl(link.query):
        page.query_params[name] = value
    return page.run()


# A page each; a link to any of them is read by the page's own parser in the first test.
@pytest.mark.parametrize("lesson", ["one-query", "softmax", "layers", "positions", "what-heads-do"])
def test_a_lessons_link_opens_its_view_and_the_strip_above_it(lesson: str) -> None:
    known, place = course(), Place(lesson)
    page = opened(known, place)
    assert not page.exception
    assert "is not known here" not in words_on(page)
    step = known.step(place)
    assert step is not None
    said = {name: "".join(value) for name, value in page.query_params.items()}
    assert said == {**step.query, "lesson": str(place)}  # all of it: nothing is to be added
    assert page.session_state["lesson"] == str(place)


def test_an_address_that_names_a_lesson_alone_shows_its_view() -> None:
    page = first_visit("")
    page.query_params["lesson"] = "one-query"
    page.run()
    assert page.session_state["text"] == "My sister fed the dog because she was kind."


def test_an_address_that_names_no_lesson_shows_the_page_alone() -> None:
    page = first_visit("about")
    page.query_params["lesson"] = "nothing.x"
    page.run()
    assert not page.exception
    page = first_visit("lessons")
    page.query_params["step"] = "3"
    assert not page.run().exception
    assert page.session_state["lesson_named"] == 3
