"""What a lesson's file may hold. What else it holds is refused, with the place and why."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self, get_args
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, PositiveInt, field_validator, model_validator

from pages.lessons.questions import AnyQuestion
from pages.lessons.value import Strict
from pages.lessons.values import AnyValue

FROM_THE_VIEW = ("text", "layer", "head")
"""What a number or a question need not say where the step's link says it."""

NUMBER = re.compile(r"\{(?P<name>\w+)(?::(?P<format>[^{}]*))?\}")
CLAIM = re.compile(r"(?P<left>\w+) *(?P<sign>[<>=]) *(?P<right>[\w.+-]+)")

_KINDS: dict[str, type[Strict]] = {
    get_args(kind.model_fields[tag].annotation)[0]: kind
    for union, tag in ((AnyValue, "what"), (AnyQuestion, "kind"))
    for kind in get_args(get_args(union)[0])
}


class Step(Strict):
    """One strip: a few sentences, one thing to do, one question.

    Attributes:
        view: The page's address from its path on, as Copy link gives it; blank: as the step before.
        say: Two or three sentences. ``*word*`` is emphasised, ``{name}`` or ``{name:.2f}`` is one
            of the numbers.
        do: One thing to do.
        question: What is asked.
        numbers: By the names under which sentences have them.
        claims: What the sentences say of the numbers, ``animal > 0.5``; held by the check alone.
    """

    view: str = ""
    say: Annotated[str, Field(min_length=1, max_length=340)]
    do: Annotated[str, Field(min_length=1, max_length=150)]
    question: AnyQuestion
    numbers: Mapping[str, AnyValue] = {}
    claims: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        """The folder of its page."""
        return urlsplit(self.view).path.strip("/") or "explore"

    @property
    def path(self) -> str:
        """The path of its page, as Streamlit names pages."""
        return "" if self.page == "explore" else self.page

    @property
    def query(self) -> dict[str, str]:
        """What the view's address says."""
        return dict(parse_qsl(urlsplit(self.view).query, keep_blank_values=True))

    @field_validator("view")
    @classmethod
    def _is_ours(cls, view: str) -> str:
        if view and not re.fullmatch(r"/[a-z]*(\?.*)?", view):
            raise ValueError("a view begins with its page: /, /layers, /calculator?mode=own ...")
        return view

    @model_validator(mode="after")
    def _knows_its_numbers(self) -> Self:
        for text in (self.say, self.do, self.question.why):
            for found in NUMBER.finditer(text):
                if found["name"] not in self.numbers:
                    raise ValueError(f"no number is called {found['name']}")
                format(1.0, found["format"] or "")
        for claim in self.claims:
            read = CLAIM.fullmatch(claim)
            if read is None or read["left"] not in self.numbers:
                raise ValueError(f"not a claim: {claim}")
            if read["right"] not in self.numbers:
                float(read["right"])
        return self

    def told(self, text: str) -> str:
        """A sentence with its numbers, computed.

        Raises:
            HeadlightError: If the models do not give one of them.
        """

        def number(found: re.Match[str]) -> str:
            value = self.numbers[found["name"]].compute()
            return format(value, found["format"] or ".2f")

        return NUMBER.sub(number, text)

    def false_claims(self) -> list[str]:
        """Those of its claims that do not hold.

        Raises:
            HeadlightError: As :meth:`told`.
        """
        return [claim for claim in self.claims if not self._holds(claim)]

    def _holds(self, claim: str) -> bool:
        found = CLAIM.fullmatch(claim)
        assert found is not None  # noqa: S101 - read once before
        left, right = (
            self.numbers[end].compute() if end in self.numbers else float(end)
            for end in (found["left"], found["right"])
        )
        if found["sign"] == "=":
            return abs(left - right) < 1e-6
        return left > right if found["sign"] == ">" else left < right


class Lesson(Strict):
    """A lesson.

    Attributes:
        title: A few words.
        minutes: That it takes.
        learn: What a learner can do then, in a sentence.
        steps: In their order.
    """

    title: Annotated[str, Field(min_length=1, max_length=48)]
    minutes: PositiveInt
    learn: Annotated[str, Field(min_length=1, max_length=160)]
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=9)]

    @model_validator(mode="before")
    @classmethod
    def _as_the_views_say(cls, raw: Any) -> Any:
        """Give each step the view of the one before, and its questions what the view says."""
        if not isinstance(raw, dict) or not isinstance(raw.get("steps"), list):
            return raw
        steps, view = [], "/"
        for step in raw["steps"]:
            if not isinstance(step, dict):
                return raw
            view = step.get("view") or view
            query = dict(parse_qsl(urlsplit(str(view)).query))
            steps.append({**_filled(step, query), "view": view})
        return {**raw, "steps": steps}


def _filled(raw: Any, query: Mapping[str, str]) -> Any:
    if isinstance(raw, list):
        return [_filled(each, query) for each in raw]
    if not isinstance(raw, dict):
        return raw
    filled = {name: _filled(value, query) for name, value in raw.items()}
    kind = _KINDS.get(str(raw.get("what") or raw.get("kind")))
    for name in FROM_THE_VIEW:
        field = kind.model_fields.get(name) if kind else None
        if field is not None and field.is_required() and name in query:
            filled.setdefault(name, query[name])
    return filled
