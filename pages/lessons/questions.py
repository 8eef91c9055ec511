"""A lesson's questions, and how an answer is judged: by the model's own numbers.

A verdict on a wrong answer says what was found: the first time how far it is off, then also what
is right.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from pages.lessons.by_model import Stack, captured, position, row
from pages.lessons.value import Strict
from pages.lessons.values import AnyValue
from pages.shared.head_picker import head_name
from pages.shared.language import _
from viz import distinct

Words = Annotated[str, Field(min_length=1, max_length=120)]
Short = Annotated[str, Field(min_length=1, max_length=48)]
SAME = 5e-4
"""Two weights no farther apart are printed alike: either is right."""


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and what was found."""

    right: bool
    said: str


class Asked(Strict):
    """What every kind of question has.

    Attributes:
        ask: The question.
        hints: One after another, when they are asked for.
        why: What is said to a right answer; numbers of the step stand in braces.
    """

    ask: Words
    hints: tuple[Words, ...] = ()
    why: Annotated[str, Field(max_length=260)] = ""

    @property
    @abstractmethod
    def offered(self) -> tuple[str, ...]:
        """What there is to choose from; nothing where an answer is typed."""

    @abstractmethod
    def judge(self, answer: str, tries: int) -> Verdict:
        """Judge an answer.

        Args:
            answer: An option, a number, or a head as ``3.1``.
            tries: How many were wrong before.

        Raises:
            HeadlightError: If the models do not give what the question is about.
        """

    @abstractmethod
    def solution(self) -> str:
        """The right answer, as :meth:`judge` takes it; where one alone is.

        Raises:
            HeadlightError: As :meth:`judge`.
        """


class Ranked(Asked):
    """A question whose options have a number each; the largest is right."""

    smallest: bool = False

    @abstractmethod
    def values(self) -> dict[str, float]:
        """The number of each option."""

    def solution(self) -> str:
        """The option with the largest number, or the smallest."""
        values = self.values()
        return (min if self.smallest else max)(values, key=values.__getitem__)

    def judge(self, answer: str, tries: int) -> Verdict:
        """Lay the answer's number beside the right one's."""
        values, right = self.values(), self.solution()
        if answer not in values:
            return Verdict(False, _("Choose one of these."))
        if answer == right:
            others = " · ".join(
                f"{said} {_short(values[said])}" for said in values if said != right
            )
            said = _("“{right}”: {value}. The others: {others}.")
            return Verdict(
                True, said.format(right=right, value=_short(values[right]), others=others)
            )
        said = _("“{answer}” has {value}; one of them has {most}.")
        if tries:
            said = _("“{answer}” has {value}; “{right}” has {most}.")
        numbers = {"value": _short(values[answer]), "most": _short(values[right])}
        return Verdict(False, said.format(answer=answer, right=right, **numbers))


class KeyQuestion(Ranked):
    """Which token a query attends to most, of some."""

    kind: Literal["key"]
    model: str
    text: str
    layer: NonNegativeInt
    head: NonNegativeInt
    query: str
    options: Annotated[tuple[str, ...], Field(min_length=2, max_length=6)]
    stack: Stack = "encoder"

    @property
    def offered(self) -> tuple[str, ...]:
        """The tokens."""
        return self.options

    def values(self) -> dict[str, float]:
        """The weight of each."""
        weights = row(self.model, self.text, self.layer, self.head, self.query, self.stack)
        for token in self.options:
            position(list(weights), token)
        return {token: weights[token] for token in self.options}


class Option(Strict):
    """A choice whose number is computed."""

    say: Short
    value: AnyValue


class LargestQuestion(Ranked):
    """Which of several has the largest number."""

    kind: Literal["largest"]
    options: Annotated[tuple[Option, ...], Field(min_length=2, max_length=6)]

    @property
    def offered(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(option.say for option in self.options)

    def values(self) -> dict[str, float]:
        """The number of each."""
        return {option.say: option.value.compute() for option in self.options}


class HeadQuestion(Asked):
    """Which head links two tokens most."""

    kind: Literal["head"]
    model: str
    text: str
    query: str
    key: str
    stack: Stack = "encoder"

    @property
    def offered(self) -> tuple[str, ...]:
        """It is typed."""
        return ()

    def solution(self) -> str:
        """The head with the largest weight, ``3.1``."""
        links = self._links()
        return max(links, key=links.__getitem__)

    def judge(self, answer: str, tries: int) -> Verdict:
        """Lay the head's weight beside the largest."""
        links, right = self._links(), self.solution()
        if answer not in links:
            return Verdict(False, _("This model has no such head."))
        numbers = {
            "head": _called(answer),
            "right": _called(right),
            "value": _short(links[answer]),
            "most": _short(links[right]),
        }
        if links[right] - links[answer] < SAME:
            return Verdict(True, _("{head} gives {value}, more than any other.").format(**numbers))
        said = _("{head} gives {value}; some head gives {most}.")
        if tries:
            said = _("{head} gives {value}; {right} gives {most}.")
        return Verdict(False, said.format(**numbers))

    def _links(self) -> dict[str, float]:
        """The weight between the tokens in each head."""
        capture = captured(self.model, self.text, self.stack)
        query = position(distinct(capture.tokens), self.query)
        keys = capture.tokens if capture.other_keys is None else capture.key_tokens
        weights = capture.weights[:, :, query, position(distinct(keys), self.key)]
        return {
            f"{layer}.{head}": float(weights[layer, head])
            for layer in range(capture.n_layers)
            for head in range(capture.n_heads)
        }


class NumberQuestion(Asked):
    """How large a number is."""

    kind: Literal["number"]
    value: AnyValue
    within: Annotated[float, Field(ge=0)]

    @property
    def offered(self) -> tuple[str, ...]:
        """It is typed."""
        return ()

    def solution(self) -> str:
        """The number."""
        return str(self.value.compute())

    def judge(self, answer: str, tries: int) -> Verdict:
        """Say on which side of the number the answer lies."""
        value = self.value.compute()
        try:
            given = float(answer.replace(",", "."))
        except ValueError:
            given = math.nan
        if not math.isfinite(given):
            return Verdict(False, _("Type a number."))
        if abs(given - value) <= self.within + 1e-9:
            return Verdict(True, _("It is {value}.").format(value=_short(value)))
        if tries:
            said = _("{given} is off: it is {value}.")
            return Verdict(False, said.format(given=_short(given), value=_short(value)))
        said = _("It is more than {given}.") if given < value else _("It is less than {given}.")
        return Verdict(False, said.format(given=_short(given)))


class ChoiceQuestion(Asked):
    """One of several, where no model can say which is right."""

    kind: Literal["choice"]
    options: Annotated[tuple[Short, ...], Field(min_length=2, max_length=5)]
    right: Short

    @model_validator(mode="after")
    def _is_offered(self) -> Self:
        if self.right not in self.options:
            raise ValueError(f"the right answer, {self.right}, is none of the options")
        return self

    @property
    def offered(self) -> tuple[str, ...]:
        """The options."""
        return self.options

    def solution(self) -> str:
        """What the file says."""
        return self.right

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare it with what the file says."""
        if answer == self.right:
            return Verdict(True, _("“{right}” it is.").format(right=self.right))
        if tries:
            return Verdict(False, _("It is “{right}”.").format(right=self.right))
        return Verdict(False, _("Not so: look once more."))


AnyQuestion = Annotated[
    KeyQuestion | LargestQuestion | HeadQuestion | NumberQuestion | ChoiceQuestion,
    Field(discriminator="kind"),
]


def _called(head: str) -> str:
    layer, number = head.split(".")
    return head_name(int(layer), int(number))


def _short(value: float) -> str:
    """A number as a person writes it: counts whole, the rest to what is worth comparing."""
    if abs(value) >= 1e9:
        return f"{value:.3g}"
    if abs(value - round(value)) < 1e-9 or abs(value) >= 10_000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.1f}"
    return f"{value:.2f}" if abs(value) >= 0.01 else f"{value:.1g}"
