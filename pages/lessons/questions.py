"""Kinds of question of a lesson; answers are judged by the model's own numbers.

The first wrong answer shows how far it is off, the second also the right answer.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from pages.lessons.any_value import AnyValue
from pages.lessons.by_model import Stack, captured, position, row
from pages.lessons.value import Strict
from viz import distinct
from web.language import _
from web.widgets.head_picker import head_name

Words = Annotated[str, Field(min_length=1, max_length=120)]
Short = Annotated[str, Field(min_length=1, max_length=48)]
SAME = 5e-4
"""Largest difference of two weights that are printed alike: both count as right."""


@dataclass(frozen=True)
class Verdict:
    """The result of judging an answer, with the sentence for the learner."""

    right: bool
    text: str


class Question(Strict):
    """Base class of all kinds of question.

    Attributes:
        ask: The question.
        hints: Hints, shown one at a time on request.
        why: The explanation after a right answer; ``{name}`` is a number of the step.
    """

    ask: Words
    hints: tuple[Words, ...] = ()
    why: Annotated[str, Field(max_length=260)] = ""

    @property
    @abstractmethod
    def offered(self) -> tuple[str, ...]:
        """The options; empty if the answer is typed."""

    @abstractmethod
    def judge(self, answer: str, tries: int) -> Verdict:
        """Judge an answer.

        Args:
            answer: An option, a number, or a head as ``3.1``.
            tries: The number of wrong answers before.

        Raises:
            HeadlightError: If the models cannot compute the numbers of the question.
        """

    @abstractmethod
    def solution(self) -> str:
        """Return a right answer in the form that :meth:`judge` accepts.

        Raises:
            HeadlightError: As :meth:`judge`.
        """


class Ranked(Question):
    """A question with a number for each option; the largest is right."""

    smallest: bool = False

    @abstractmethod
    def values(self) -> dict[str, float]:
        """Return the number of each option."""

    def solution(self) -> str:
        """Return the option with the largest number, or the smallest."""
        values = self.values()
        return (min if self.smallest else max)(values, key=values.__getitem__)

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer's number with the right one."""
        values, right = self.values(), self.solution()
        if answer not in values:
            return Verdict(False, _("Choose one of these."))
        if answer == right:
            others = " · ".join(
                f"{text} {_format_number(values[text])}" for text in values if text != right
            )
            text = _("“{right}”: {value}. The others: {others}.")
            return Verdict(
                True, text.format(right=right, value=_format_number(values[right]), others=others)
            )
        text = _("“{answer}” has {value}; one of them has {most}.")
        if tries:
            text = _("“{answer}” has {value}; “{right}” has {most}.")
        numbers = {"value": _format_number(values[answer]), "most": _format_number(values[right])}
        return Verdict(False, text.format(answer=answer, right=right, **numbers))


class KeyQuestion(Ranked):
    """Which of several tokens does a query attend to most?"""

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
        """Return the weight of each token."""
        weights = row(self.model, self.text, self.layer, self.head, self.query, self.stack)
        for token in self.options:
            position(list(weights), token)
        return {token: weights[token] for token in self.options}


class Option(Strict):
    """An option with a computed number."""

    say: Short
    value: AnyValue


class LargestQuestion(Ranked):
    """Which option has the largest number?"""

    kind: Literal["largest"]
    options: Annotated[tuple[Option, ...], Field(min_length=2, max_length=6)]

    @property
    def offered(self) -> tuple[str, ...]:
        """The texts of the options."""
        return tuple(option.say for option in self.options)

    def values(self) -> dict[str, float]:
        """Return the number of each option."""
        return {option.say: option.value.compute() for option in self.options}


class HeadQuestion(Question):
    """Which head links two tokens most?"""

    kind: Literal["head"]
    model: str
    text: str
    query: str
    key: str
    stack: Stack = "encoder"

    @property
    def offered(self) -> tuple[str, ...]:
        """None: the answer is typed."""
        return ()

    def solution(self) -> str:
        """Return the head with the largest weight, such as ``3.1``."""
        weights = self._weights_by_head()
        return max(weights, key=weights.__getitem__)

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the head's weight with the largest."""
        weights, right = self._weights_by_head(), self.solution()
        if answer not in weights:
            return Verdict(False, _("This model has no such head."))
        numbers = {
            "head": _head_label(answer),
            "right": _head_label(right),
            "value": _format_number(weights[answer]),
            "most": _format_number(weights[right]),
        }
        if weights[right] - weights[answer] < SAME:
            return Verdict(True, _("{head} gives {value}, more than any other.").format(**numbers))
        text = _("{head} gives {value}; some head gives {most}.")
        if tries:
            text = _("{head} gives {value}; {right} gives {most}.")
        return Verdict(False, text.format(**numbers))

    def _weights_by_head(self) -> dict[str, float]:
        """Return the weight between the two tokens in each head."""
        capture = captured(self.model, self.text, self.stack)
        query = position(distinct(capture.tokens), self.query)
        keys = capture.tokens if capture.other_keys is None else capture.key_tokens
        weights = capture.weights[:, :, query, position(distinct(keys), self.key)]
        return {
            f"{layer}.{head}": float(weights[layer, head])
            for layer in range(capture.n_layers)
            for head in range(capture.n_heads)
        }


class NumberQuestion(Question):
    """How large is a number?"""

    kind: Literal["number"]
    value: AnyValue
    within: Annotated[float, Field(ge=0)]

    @property
    def offered(self) -> tuple[str, ...]:
        """None: the answer is typed."""
        return ()

    def solution(self) -> str:
        """Return the number."""
        return str(self.value.compute())

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer with the number; report whether it is too small or too large."""
        value = self.value.compute()
        try:
            given = float(answer.replace(",", "."))
        except ValueError:
            given = math.nan
        if not math.isfinite(given):
            return Verdict(False, _("Type a number."))
        if abs(given - value) <= self.within + 1e-9:
            return Verdict(True, _("It is {value}.").format(value=_format_number(value)))
        if tries:
            text = _("{given} is off: it is {value}.")
            return Verdict(
                False, text.format(given=_format_number(given), value=_format_number(value))
            )
        text = _("It is more than {given}.") if given < value else _("It is less than {given}.")
        return Verdict(False, text.format(given=_format_number(given)))


class ChoiceQuestion(Question):
    """Which option is right? For questions that no model can answer."""

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
        """Return the answer in the file."""
        return self.right

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer with the one in the file."""
        if answer == self.right:
            return Verdict(True, _("“{right}” it is.").format(right=self.right))
        if tries:
            return Verdict(False, _("It is “{right}”.").format(right=self.right))
        return Verdict(False, _("Not so: look once more."))


AnyQuestion = Annotated[
    KeyQuestion | LargestQuestion | HeadQuestion | NumberQuestion | ChoiceQuestion,
    Field(discriminator="kind"),
]


def _head_label(head: str) -> str:
    layer, number = head.split(".")
    return head_name(int(layer), int(number))


def _format_number(value: float) -> str:
    """Format counts as integers and other numbers to a readable precision."""
    if abs(value) >= 1e9:
        return f"{value:.3g}"
    if abs(value - round(value)) < 1e-9 or abs(value) >= 10_000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.1f}"
    return f"{value:.2f}" if abs(value) >= 0.01 else f"{value:.1g}"
