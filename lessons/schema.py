"""Schema of a lesson's file; anything else is an error that names its place."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, PositiveInt, field_validator, model_validator

from lessons.by_model import AnyValue
from lessons.claims import check_claims
from lessons.questions import AnyQuestion
from lessons.value import KINDS, Strict

VIEW_FIELDS = ("text", "layer", "head")
"""Fields that a value or a question takes from the step's view if the file omits them."""

NUMBER = re.compile(r"\{(?P<name>\w+)(?::(?P<format>[^{}]*))?\}")
FORMAT = re.compile(r",?\.[0-9][ef%g]")

_KINDS: Mapping[str, type[Strict]] = KINDS | {
    get_args(kind.model_fields["kind"].annotation)[0]: kind
    for kind in get_args(get_args(AnyQuestion)[0])
}


class LessonStep(Strict):
    """One step: a few sentences, one task, one question.

    Attributes:
        view: The URL from the path on, as Copy link gives it; empty: the view of the step before.
        say: Two or three sentences. ``*word*`` is emphasised, ``{name}`` or ``{name:.2f}`` is one
            of the numbers.
        do: One task.
        guess: Whether what the models have drawn is hidden until the question is answered.
        numbers: Values by the names that the texts use.
        claims: Statements about the numbers, ``animal > 0.5``; evaluated when a file is checked.
        error: A learner's error, as the list of common errors has it.
        source: Where the idea or the error was seen; shown with the explanation.
    """

    view: str = ""
    say: str = ""
    do: str = ""
    guess: bool = False
    question: AnyQuestion
    numbers: Mapping[str, AnyValue] = {}
    claims: tuple[str, ...] = ()
    error: str = ""
    source: str = ""

    @property
    def path(self) -> str:
        """The path of its page in Streamlit's form."""
        path = urlsplit(self.view).path.strip("/")
        return "" if path == "explore" else path

    @property
    def query(self) -> dict[str, str]:
        """The query parameters of the view."""
        return dict(parse_qsl(urlsplit(self.view).query, keep_blank_values=True))

    @field_validator("view")
    @classmethod
    def _check_view(cls, view: str) -> str:
        if view and not re.fullmatch(r"/[a-z]*(\?.*)?", view):
            raise ValueError("a view begins with its page: /, /layers, /calculator?mode=own ...")
        return view

    @model_validator(mode="after")
    def _check_numbers(self) -> Self:
        for text in (self.say, self.do, self.question.why):
            for found in NUMBER.finditer(text):
                if found["name"] not in self.numbers:
                    raise ValueError(f"no number is called {found['name']}")
                if found["format"] is not None and not FORMAT.fullmatch(found["format"]):
                    raise ValueError(f"{found['format']} is not a format such as .2f, .0% or ,.0f")
        check_claims(self.claims, self.numbers)
        return self

    def fill_numbers(self, text: str) -> str:
        """Return a text with its numbers filled in."""

        def number(found: re.Match[str]) -> str:
            value = self.numbers[found["name"]].compute()
            return format(value, found["format"] or ".2f")

        return NUMBER.sub(number, text)


class Lesson(Strict):
    """A lesson.

    Attributes:
        learn: What learners can do afterwards.
        result: The part of the page Lessons that follows the last step; empty: the next lesson.
    """

    title: str
    minutes: PositiveInt
    learn: str
    result: Literal["", "short", "all", "errors"] = ""
    steps: Annotated[tuple[LessonStep, ...], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _inherit_views(cls, raw: Any) -> Any:
        """Give each step the view of the step before, and its questions the view's fields."""
        if not isinstance(raw, dict) or not isinstance(raw.get("steps"), list):
            return raw
        steps, view = [], "/"
        for step in raw["steps"]:
            if not isinstance(step, dict):  # the fields are checked later
                return raw
            view = step.get("view") or view
            query = dict(parse_qsl(urlsplit(str(view)).query))
            steps.append({**_fill_from_view(step, query), "view": view})
        return {**raw, "steps": steps}


def _fill_from_view(raw: Any, query: Mapping[str, str]) -> Any:
    if isinstance(raw, list):
        return [_fill_from_view(each, query) for each in raw]
    if not isinstance(raw, dict):
        return raw
    filled = {name: _fill_from_view(value, query) for name, value in raw.items()}
    kind = _KINDS.get(str(raw.get("what") or raw.get("kind")))
    for name in VIEW_FIELDS:
        field = kind.model_fields.get(name) if kind else None
        if field is not None and field.is_required() and name in query:
            filled.setdefault(name, query[name])
    return filled
