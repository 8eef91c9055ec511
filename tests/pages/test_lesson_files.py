"""Lesson files of strangers: a lesson that computes in bounded time, or an error in words."""

import math
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pydantic import TypeAdapter, ValidationError

from model import HeadlightError
from model.catalogue.names import TRANSLATORS
from pages.lessons import schema
from pages.lessons.any_value import AnyValue
from pages.lessons.checking import lesson_problems
from pages.lessons.course import read_lesson
from pages.lessons.schema import Lesson
from tests.pages.test_lessons import LESSON
from web.view_state import page_registry

page_registry.register("pages.urls")

VALUE = TypeAdapter(AnyValue)


def lesson_of(text: str) -> Lesson:
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".toml") as file:
        file.write(text)
        file.flush()
        return read_lesson(Path(file.name))


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


@settings(max_examples=150)
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
        ("within = 0", "within = inf", "finite"),
        ("within = 0", "within = 0\nright = 2\n" * 30, "cannot be read"),
        ("{ what = \"size\", model = \"minilm\", of = \"all_heads\" }",
         "{ what = \"cells\", n = 1_000_000, pattern = \"causal\" }", "less than or equal to 4096"),
        ("{ what = \"size\", model = \"minilm\", of = \"all_heads\" }",
         "{ what = \"layers_to\", query = 0, key = 1, reach = 0 }", "equal to 1"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_refused_in_words(old: str, new: str, complaint: str) -> None:
    assert old in LESSON
    with pytest.raises(HeadlightError, match=complaint):
        lesson_of(LESSON.replace(old, new))


@pytest.mark.parametrize(("fields", "steps"), [(10, 2000), (4500, 2)])
def test_a_long_link_and_many_steps_are_refused_before_links_are_read(
    fields: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(schema, "parse_qsl", lambda query: read.append(query) or [])
    text = f'[[steps]]\nview = "/?{"a=1&" * fields}"\n' + "[[steps]]\n" * steps
    with pytest.raises(HeadlightError, match="not a valid lesson"):
        lesson_of(text)
    assert read == []


def test_a_lesson_computes_a_limited_number_of_texts() -> None:
    ask = '[steps.question]\nkind = "choice"\nask = "?"\noptions = ["a", "b"]\nright = "a"\n'
    text = 'title = "x"\nminutes = 1\nlearn = "x"\n'
    for step in range(6):
        values = (f'{{ what = "tokens", model = "none", text = "{step} {n}" }}' for n in range(11))
        lines = (f"n{n} = {value}\n" for n, value in enumerate(values))
        text += f"[[steps]]\n[steps.numbers]\n{''.join(lines)}{ask}"
    problems = list(lesson_problems(lesson_of(text)))
    assert any("Models read 66 different texts" in problem for problem in problems)


def test_a_file_with_many_errors_gets_a_short_message() -> None:
    with pytest.raises(HeadlightError) as found:
        lesson_of("\n".join(f"x{i} = 1" for i in range(2000)))
    assert len(str(found.value)) < 1000
