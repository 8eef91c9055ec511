"""Lesson files of strangers: a lesson that computes in bounded time, or an error in words."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pydantic import TypeAdapter, ValidationError

from model import HeadlightError
from model.catalogue.names import TRANSLATORS
from pages.lessons.any_value import AnyValue
from pages.lessons.course import parse_lesson
from pages.lessons.room_question import check_lesson
from tests.pages.test_lessons import LESSON

VALUE = TypeAdapter(AnyValue)

TEXTS = some.sampled_from(["The dog barks.", "", "x " * 40, "It [MASK] here.", "\u0000", "日本語"])
MODELS = some.sampled_from(["minilm", "scratch", "smollm2", *TRANSLATORS, "none", "/etc"])
TOKENS = some.sampled_from(["dog", "[CLS]", "the", "", "nothing"])
SMALL = some.integers(-1, 6)
NUMBERS = some.one_of(some.integers(-2, 6000), some.just(10**4000), some.floats())
ROWS = some.lists(some.floats(-3, 3), min_size=2, max_size=2)
MATRICES = some.one_of(
    some.lists(ROWS, min_size=2, max_size=2),
    some.lists(some.lists(some.floats(-3, 3), max_size=3), max_size=3),
)
NAMES = some.sampled_from(
    ["entropy", "next", "previous", "evenness", "weights", "V", "std_raw", "__class__", "nsubj"]
)
FIELDS = {
    "number": NUMBERS, "n": NUMBERS, "reach": SMALL, "matrix": NAMES,
    "example": some.sampled_from(["exercise", "heads", "x"]),
    "scaled": some.booleans(), "mask": some.sampled_from(["none", "causal", "padding"]),
    "of": some.sampled_from(["layer", "batch", "std_raw", "__doc__", "d_head", "heads",
                             "baseline", "entering", "attention_share"]),
    "a": MATRICES, "b": MATRICES, "sentence": some.sampled_from("ab"),
    "feature": SMALL, "pair": SMALL, "text": TEXTS,
    "d_k": some.sampled_from([4, 5, 64]), "d_model": some.sampled_from([1, 3, 8, 70_000]),
    "model": MODELS, "layer": SMALL, "head": SMALL, "special": some.booleans(), "label": NAMES,
    "stack": some.sampled_from(["encoder", "cross"]), "measure": NAMES, "relation": NAMES,
    "step": some.sampled_from([0, 1, 500]), "order": some.permutations(range(3)),
    "off": some.lists(some.tuples(SMALL, SMALL), max_size=2), "strength": some.floats(),
    "pattern": some.sampled_from(["full", "causal", "window"]),
}  # fmt: skip
"""Values of each field, of which many are no model, no token, or out of range."""

KINDS = {
    kind.model_fields["what"].annotation.__args__[0]: kind
    for kind in AnyValue.__args__[0].__args__  # every kind of value
}


@some.composite
def raw_values(draw: some.DrawFn) -> dict[str, object]:
    what = draw(some.sampled_from(sorted(KINDS)))
    fields = KINDS[what].model_fields
    given = {
        name: draw(FIELDS.get(name, SMALL if field.annotation is int else TOKENS))
        for name, field in fields.items()
        if name != "what" and (field.is_required() or draw(some.booleans()))
    }
    return {"what": what, **given}


@settings(max_examples=400, deadline=None)
@given(raw_values())
def test_a_value_is_a_finite_number_or_an_error_in_words(raw: dict[str, object]) -> None:
    try:
        value = VALUE.validate_python(raw)
    except ValidationError:
        return
    try:
        number = value.compute()
    except HeadlightError as error:
        assert str(error)
    else:
        assert math.isfinite(number)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("{own:.2f}", "{own:99999999.1f}", "not a format"),
        ('"all_heads" }', '"all_heads" }\nx = ' + "[" * 20_000, "cannot be read"),
        ("minutes = 3", "minutes = " + "9" * 5000, "cannot be read"),
        ('title = "Mine"', 'title = "Mi\\u0000ne"', "U\\+0000"),
        ("within = 0", "within = inf", "finite"),
        ("within = 0", "within = 0\nright = 2\n" * 30, "cannot be read"),
        ("{ what = \"size\", model = \"minilm\", of = \"all_heads\" }",
         "{ what = \"cells\", n = 1_000_000, pattern = \"causal\" }", "less than or equal to 4096"),
        ("{ what = \"size\", model = \"minilm\", of = \"all_heads\" }",
         "{ what = \"layers_to\", n = 100_000, query = 0, key = 1, reach = 1 }", "equal to 128"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_refused_in_words(old: str, new: str, complaint: str) -> None:
    assert old in LESSON
    with pytest.raises(HeadlightError, match=complaint):
        parse_lesson(LESSON.replace(old, new), "The file")


def test_a_file_with_many_errors_gets_a_short_message() -> None:
    with pytest.raises(HeadlightError) as found:
        parse_lesson("\n".join(f"x{i} = 1" for i in range(2000)), "The file")
    assert len(str(found.value)) < 1000


def test_a_checked_lesson_has_a_title_and_its_problems() -> None:
    assert check_lesson(LESSON) == ("Mine", [])
    wrong = LESSON.replace("own < 0.5", "own > 0.5").replace('"dog" }', '"cat" }', 1)
    _, problems = check_lesson(wrong)
    assert problems and all(problem.startswith("step 1: ") for problem in problems)
