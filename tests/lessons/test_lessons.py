"""The lessons: files are valid, links open, and the models check the answers."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import TypeAdapter

from lessons.by_model import AnyValue
from lessons.claims import check_claims, false_claims
from lessons.course import OURS, LessonPlace, course, read_lesson
from lessons.questions import ChoiceQuestion, KeyQuestion, NumberQuestion, Verdict
from lessons.strip import link_to
from lessons.value import KINDS
from model import HeadlightError, load_model
from pages.check_lessons import problems
from tests.pages.figures import payloads
from tests.pages.visit import open_page
from web import settings
from web.view_state.parameters import DEFAULT_TEXT

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


def test_every_link_number_claim_and_answer_of_the_course_is_valid() -> None:
    assert problems(OURS) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("minutes = 3", "minuten = 3", "minuten: Extra inputs are not permitted"),
        ("{own:.2f}", "{other}", "no number is called other"),
        ("[steps.question]", "[steps.question", "cannot be read"),
        ("left=scratch&", "left=scratch&depth=3&", "does not know depth=3"),
        ("own < 0.5", "own > 0.5", "The numbers contradict the claim own > 0.5"),
        ('key = "dog"', 'key = "cat"', "no token cat"),
        ('view = "/?', 'view = "/nowhere?', "There is no page nowhere"),
    ],
)
def test_each_fault_of_a_lesson_file_gives_a_message(
    folder: Path, old: str, new: str, complaint: str
) -> None:
    assert problems(folder) == []
    (folder / "01-mine.toml").write_text(LESSON.replace(old, new), "utf-8")
    assert any(complaint in problem for problem in problems(folder)), problems(folder)


def test_a_claim_compares_a_number_with_another() -> None:
    numbers = {"two": KINDS["constant"](what="constant", number=2)}
    true = ["two > 1", "two = 2.0000005", "-2.5 < two"]
    wrong = ["two < 1", "two != 2.0000005", "two = two2"]  # equal within 1e-6
    numbers["two2"] = KINDS["constant"](what="constant", number=3)
    check_claims([*true, *wrong], numbers)
    assert false_claims([*true, *wrong], numbers) == wrong
    for claim in ("two", "two > ", "two > three", "1 < two < 3", "two == 2", "f(two) > 1"):
        with pytest.raises(ValueError, match="not a claim"):
            check_claims([claim], {"two"})


def number(**fields: object) -> float:
    return TypeAdapter(AnyValue).validate_python(fields).compute()


def test_a_number_that_cannot_be_computed_is_an_error_in_words() -> None:
    for fields in (
        {"what": "spread", "d_k": 5, "of": "std_raw"},
        {"what": "measure", "model": "minilm", "text": "a", "measure": "none", "layer": 0},
    ):
        with pytest.raises(HeadlightError):
            number(**fields)


def test_numbers_are_those_worked_out_by_hand() -> None:
    # 8 tokens, two to each side: 3 + 4 + 5 + 5 + 5 + 5 + 4 + 3 cells.
    assert number(what="cells", n=8, pattern="window") == 34
    cell = {"what": "cell", "example": "masking", "matrix": "raw_scores"}
    # Q: 1 0 1 0 and 1 1 0 1; the last key: 2 0 0 2.
    assert number(**cell, query=0, key=2) == 2
    assert number(**cell, query=0, key=2, shared=True) == 1


def test_a_question_takes_missing_values_from_the_link_of_its_step(folder: Path) -> None:
    step = read_lesson(folder / "01-mine.toml").steps[0]
    number = step.numbers["own"]
    assert (number.text, number.layer, number.head) == ("My sister fed the dog.", 3, 1)
    capture = load_model("minilm").attend(number.text)
    dog = capture.tokens.index("dog")
    weight = f"{capture.weights[3, 1, dog, dog]:.2f}"
    assert step.fill_numbers(step.say) == f"The row *dog* gives {weight} to itself."


def test_the_first_wrong_answer_gives_its_value_and_the_second_gives_the_solution() -> None:
    it = {"model": "minilm", "text": DEFAULT_TEXT, "ask": "Where?", "query": "it"}
    options = ("street", "animal", "tired")
    key = KeyQuestion(kind="key", layer=3, head=1, options=options, **it)
    first, second = key.judge("street", 0), key.judge("street", 1)
    assert first == Verdict("wrong", "Weight: 0.05 for “street”, 0.68 for another one.")
    assert second == Verdict("revealed", "Weight: 0.05 for “street”, 0.68 for “animal”.")
    assert key.judge("animal", 2).outcome == "right"
    assert key.judge("sky", 2).outcome == "again"


def test_a_weight_close_to_the_largest_is_right_in_lessons_as_in_rooms() -> None:
    was = {"model": "scratch", "text": DEFAULT_TEXT, "ask": "Where?", "query": "was"}
    key = KeyQuestion(kind="key", layer=3, head=3, options=("was", "because", "the₁"), **was)
    equal = "Weight: 0.32 for “because”, 0.32 for “was”."
    near = f"{equal} A weight within 0.01 of the largest is right, too."
    assert key.judge("because", 0) == Verdict("right", near)


def number_question(number: float, within: float) -> NumberQuestion:
    value = {"what": "constant", "number": number}
    return NumberQuestion(kind="number", ask="?", value=value, within=within)


def test_a_number_is_right_as_people_write_it() -> None:
    for number, within, answers in (
        (1_000_000, 0, ["1,000,000", "1 000 000", "1.000.000", "1e6", "10^6", "1000000"]),
        (0.5, 0.006, ["0.5", "0,5", "1/2", "½", "50 %"]),
    ):
        question = number_question(number, within)
        assert [question.judge(each, 0).outcome for each in answers] == ["right"] * len(answers)


def test_a_wrong_number_is_too_small_or_too_large_and_the_last_try_reveals_the_answer() -> None:
    two = ChoiceQuestion(kind="choice", ask="?", options=("yes", "no"), right="yes")
    assert two.judge("no", 0) == Verdict("revealed", "Not right. The right answer: yes.")
    question = number_question(136, 1)
    for answer, wrong in (
        ("134", "“134” is too small."),
        ("200", "“200” is too large."),
        ("4,994", "Not right."),  # 4994 or 4.994
    ):
        hidden = Verdict("wrong", f"{wrong} Look at the page, or take a hint.")
        assert question.judge(answer, 0) == hidden
        assert question.judge(answer, 1) == Verdict("revealed", f"{wrong} The right answer: 136.")
    unreadable = [question.judge(text, 1).outcome for text in ("x", "nan", "1e400", "")]
    assert unreadable == ["again"] * 4


def test_a_rounded_number_is_no_error_and_the_rounding_is_stated() -> None:
    question = number_question(0.5875, 0.006)
    rounded = Verdict("again", "“0.6” is rounded too far. Round to 2 decimals.")
    assert question.judge("0.6", 0) == rounded
    assert question.judge("0.7", 0).outcome == "wrong"
    assert number_question(4990, 10).rule == "An answer counts if it is off by at most 10."


def test_a_setting_adds_a_folder_of_lessons(folder: Path, monkeypatch) -> None:
    (folder / "02-tokens.toml").write_text(LESSON.replace("Mine", "Mine too"), "utf-8")
    (folder / "03-broken.toml").write_text("title = 3", "utf-8")
    monkeypatch.setattr(settings, "_settings", settings.Settings(lessons=str(folder)))
    known = course()
    assert list(known.lessons)[-1] == "mine" and known.added == {"mine", "tokens"}
    assert next(iter(known.lessons)) == "tokens"  # replaces our lesson at the same position
    assert known.lessons["tokens"].title == "Mine too"
    assert len(known.problems) == 1 and "03-broken.toml" in str(known.problems[0])
    monkeypatch.setattr(settings, "_settings", settings.Settings(lessons=str(folder / "not")))
    with pytest.raises(HeadlightError, match="no folder"):
        raise course().problems[0]


def test_neighbours_lead_through_every_step_of_all_lessons() -> None:
    known = course()
    place, walked = LessonPlace("tokens"), []
    while place is not None:
        walked.append(place)
        place = known.neighbour(place, 1)
    assert len(walked) == sum(len(known.lessons[name].steps) for name in known.lessons)
    assert [known.neighbour(at, -1) for at in walked[1:]] == walked[:-1]
    assert known.step_at("tokens.9") is None


def test_a_lessons_link_opens_its_view_and_so_does_a_url_with_only_a_lesson() -> None:
    known = course()
    link = urlsplit(link_to(known, LessonPlace("layers")))
    page = open_page(link.path.strip("/"), **dict(parse_qsl(link.query)))
    assert page.address == {**known.step(LessonPlace("layers")).query, "lesson": "layers.1"}
    page = open_page("", lesson="one-query")
    assert page.session_state["text"] == "My sister fed the dog because she was kind."
    page.text_input(key="text").set_value("hello there").run()
    assert page.fragments == 0 and page.address["text"] == "hello there"  # the strip reads the view


def test_the_first_five_lessons_take_30_minutes_and_each_common_error_is_stated() -> None:
    first, *_, errors = known = [*course().lessons.values()]
    assert first.title == "Tokens" and sum(lesson.minutes for lesson in known[:5]) == 30
    assert all(step.error for step in errors.steps)
    links = [
        payloads(open_page("decoder", lesson=at))["lesson_strip"]["links"]["next"]
        for at in ("decoder.2", "decoder.3")
    ]
    assert "lesson=decoder.3" in links[0] and links[1] == "/lessons?part=short"
