"""Lesson files of strangers: a lesson that computes in bounded time, or an error in words."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pydantic import TypeAdapter, ValidationError

from model import HeadlightError, load_model
from model.catalogue.names import TRANSLATORS
from pages.lessons import schema
from pages.lessons.added import lesson_of_file, lesson_of_questions
from pages.lessons.any_value import AnyValue
from pages.lessons.schema import Lesson
from tests.pages.test_lessons import LESSON
from web.view_state import page_registry

page_registry.register("pages.urls")

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
        ("minutes = 3", "minutes = 0x" + "f" * 8000, "a number above"),
        ("minutes = 3", "a" + ".a" * 9000 + " = 1", "tables in tables"),
        ('title = "Mine"', 'title = "Mi\\u0000ne"', "U\\+0000"),
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
        lesson_of_file(LESSON.replace(old, new))


@pytest.mark.parametrize(("fields", "steps"), [(10, 2000), (4500, 2)])
def test_a_long_link_and_many_steps_are_refused_before_links_are_read(
    fields: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(schema, "parse_qsl", lambda query: read.append(query) or [])
    text = f'[[steps]]\nview = "/?{"a=1&" * fields}"\n' + "[[steps]]\n" * steps
    with pytest.raises(HeadlightError, match="not a valid lesson"):
        lesson_of_file(text)
    assert read == []


def test_a_lesson_computes_a_limited_number_of_texts() -> None:
    ask = '[steps.question]\nkind = "choice"\nask = "?"\noptions = ["a", "b"]\nright = "a"\n'
    text = 'title = "x"\nminutes = 1\nlearn = "x"\n'
    for step in range(6):
        values = (f'{{ what = "tokens", model = "none", text = "{step} {n}" }}' for n in range(11))
        lines = (f"n{n} = {value}\n" for n, value in enumerate(values))
        text += f"[[steps]]\n[steps.numbers]\n{''.join(lines)}{ask}"
    with pytest.raises(HeadlightError, match="Models read 66 different texts"):
        lesson_of_file(text)


PREPARED = """
[steps.question]
kind = "prepared"
ask = "?"
"""


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ('options = ["a", "b"]\nright = [2]', "a right one exists"),
        ('options = ["a", "a"]\nright = [0]', "two options are equal"),
        ('options = ["a", "b"]\nright = [0]\nheads = true', "must be all heads"),
        ('options = ["0.0", "5.5"]\nright = [0]\nheads = true', "must be all heads"),
        ('options = ["0.0", "5.5"]\nright = [0]\nheads = true\nweights = [1, 0]', "all heads"),
        (f'options = ["a", "{"b" * 81}"]\nright = [0]', "at most 80 characters"),
    ],
)
def test_a_prepared_question_of_a_file_is_complete(fields: str, complaint: str) -> None:
    head = LESSON[: LESSON.index("[steps.question]")]
    with pytest.raises(HeadlightError, match=complaint):
        lesson_of_file(head + PREPARED + fields)
    assert lesson_of_file(head + PREPARED + 'options = ["a", "b"]\nright = [0]').title == "Mine"


def test_a_file_with_many_errors_gets_a_short_message() -> None:
    with pytest.raises(HeadlightError) as found:
        lesson_of_file("\n".join(f"x{i} = 1" for i in range(2000)))
    assert len(str(found.value)) < 1000


def test_a_file_is_added_only_without_problems() -> None:
    assert lesson_of_file(LESSON).title == "Mine"
    wrong = LESSON.replace("own < 0.5", "own > 0.5").replace("left=scratch&", "depth=3&")
    with pytest.raises(HeadlightError) as found:
        lesson_of_file(wrong)
    assert str(found.value).splitlines() == [
        "The lesson was not added.",
        "Step 1: The page explore does not know depth=3 in the link.",
        "Step 1: The numbers contradict the claim own > 0.5.",
    ]


QUESTIONS = [
    {"kind": "token", "prompt": "Where does “it” look?", "query": 8, "side": "right"},
    {"kind": "head", "prompt": "Which head?", "query": 8, "key": 2, "side": "right"},
    {"kind": "layer", "prompt": "Which layer?", "query": 8, "key": 2, "side": "right"},
    {"kind": "number", "prompt": "How many {heads}?", "value": 72, "tolerance": 0.5},
    {"kind": "choice", "prompt": "Which <b>two</b>? " * 20, "options": ["a", "b", "c"],
     "right": [0, 2]},
    {"kind": "next", "prompt": "What follows?",
     "view": "/decoder?part=generate&text=The+capital+of+France+is"},
]  # fmt: skip
VIEW = "/?text=My+sister+fed+the+dog+because+she+was+kind.&right=minilm&layer=3&head=1"


def prepared(*questions: dict[str, object]) -> Lesson:
    asked = [{"view": f"{VIEW}&lesson=masks.1&lang=en", **question} for question in questions]
    title, content = lesson_of_questions("Mine", asked)
    assert title == "Mine"
    return Lesson.model_validate(json.loads(json.dumps(content)))


def test_prepared_questions_become_steps_with_the_models_answers() -> None:
    lesson = prepared(*QUESTIONS)
    steps = lesson.steps
    assert [step.question.ask for step in steps] == [each["prompt"].strip() for each in QUESTIONS]
    assert [step.guess for step in steps] == [True, True, True, False, False, True]
    assert [step.page for step in steps] == ["explore"] * 5 + ["decoder"]
    assert steps[0].view == VIEW
    weights = load_model("minilm").attend("My sister fed the dog because she was kind.").weights
    token, head, layer, number, choice, following = (step.question for step in steps)
    row = weights[3, 1, 8]
    assert token.solution() == token.options[row.argmax()]
    assert token.judge(token.solution(), 0).text.endswith(f"({row.max():.2f}) is right.")
    best = np.unravel_index(weights[:, :, 8, 2].argmax(), weights.shape[:2])
    assert head.solution() == "{}.{}".format(*best)
    assert (head.form, head.offered) == ("head", ()) and head.judge("99.1", 0).outcome == "again"
    assert layer.solution() == f"L{weights[:, :, 8, 2].mean(axis=1).argmax()}"
    assert (number.judge("72", 0).outcome, number.judge("73", 0).outcome) == ("right", "wrong")
    assert [choice.judge(each, 0).outcome for each in "abc"] == ["right", "wrong", "right"]
    assert choice.judge("b", 1).text == "“b” is not right: it is “a”."
    likely = following.options[np.argmax(following.weights)]
    assert following.solution() == likely == "Paris" and len(following.options) == 5


def test_questions_that_cannot_be_steps_are_named() -> None:
    sketch = {"kind": "sketch", "prompt": "Sketch", "query": 8, "side": "right"}
    mask = {"kind": "mask", "prompt": "Mask", "view": "/decoder?part=masks&text=the+cat"}
    nowhere = {**QUESTIONS[4], "view": "/nowhere?"}
    outside, large = {**QUESTIONS[4], "view": "//["}, {**QUESTIONS[3], "value": 10**400}
    long = {**QUESTIONS[4], "options": ["a", "b" * 81]}
    opinion = {"kind": "choice", "prompt": "Do you like it?", "options": ["yes", "no"]}
    with pytest.raises(HeadlightError) as found:
        prepared(QUESTIONS[0], sketch, opinion, mask, outside, large, long)
    first, *lines = str(found.value).splitlines()
    assert first == "The lesson was not added."
    assert [line.split(":")[0] for line in lines] == [f"Question {n}" for n in range(2, 8)]
    with pytest.raises(HeadlightError, match="Step 1: There is no page nowhere"):
        prepared(nowhere)
    with pytest.raises(HeadlightError, match="… and 2 more"):
        prepared(*[sketch] * 12)
    count = {**QUESTIONS[3], "tolerance": 1e-9}
    assert prepared(count).steps[0].question.rule == ""
    for count in (0, 21):
        with pytest.raises(HeadlightError, match=f"the list has {count} questions"):
            prepared(*[QUESTIONS[3]] * count)
