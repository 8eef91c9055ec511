"""Kinds of question of a lesson; answers are judged by the model's own numbers.

The first wrong answer gets a hint, the second reveals the right answer. With two options, the first
does.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from lessons.any_value import AnyValue
from lessons.by_model import Stack, captured, index_of, row
from lessons.value import Strict
from model.typed_numbers import is_rounding, readings
from viz import distinct
from web.language import _, ngettext
from web.widgets.head_picker import head_name

SAME = 5e-4
"""Largest difference of two weights that are printed alike: both count as right."""

Outcome = Literal["right", "wrong", "revealed", "again"]
"""``revealed``: wrong, and the text gives the right answer. ``again``: not an answer yet."""


@dataclass(frozen=True)
class Verdict:
    """The result of judging an answer, with the sentence for the learner."""

    outcome: Outcome
    text: str


class Question(Strict):
    """Base class of all kinds of question.

    Attributes:
        why: The explanation after a right answer; ``{name}`` is a number of the step.
    """

    form: ClassVar[Literal["options", "number", "head"]] = "options"
    ask: str
    hints: tuple[str, ...] = ()
    why: str = ""

    @property
    def offered(self) -> tuple[str, ...]:
        """The options; empty if the answer is typed."""
        return ()

    @property
    def rule(self) -> str:
        """How exact an answer must be, in words; empty if any answer is exact."""
        return ""

    @abstractmethod
    def judge(self, answer: str, tries: int) -> Verdict:
        """Judge an answer.

        Args:
            answer: An option, a number, or a head as ``3.1``.
            tries: Wrong answers before.

        Raises:
            HeadlightError: If the models cannot compute the numbers of the question.
        """

    def _reveals(self, tries: int) -> bool:
        """Whether a wrong answer after these gets the right one."""
        return tries > 0 or len(self.offered) == 2

    @abstractmethod
    def solution(self) -> str:
        """Return a right answer in the form that :meth:`judge` accepts."""


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
            return Verdict("again", _("Choose one of these."))
        if answer == right:
            others = " · ".join(
                f"{text} {_format_number(values[text])}" for text in values if text != right
            )
            text = _("“{right}”: {value}. The others: {others}.")
            return Verdict(
                "right",
                text.format(right=right, value=_format_number(values[right]), others=others),
            )
        reveals = self._reveals(tries)
        text = _("“{answer}” has {value}; one of them has {most}.")
        if reveals:
            text = _("“{answer}” has {value}; “{right}” has {most}.")
        numbers = {"value": _format_number(values[answer]), "most": _format_number(values[right])}
        text = text.format(answer=answer, right=right, **numbers)
        return Verdict("revealed" if reveals else "wrong", text)


class KeyQuestion(Ranked):
    """Which of several tokens does a query attend to most?"""

    kind: Literal["key"]
    model: str
    text: str
    layer: NonNegativeInt
    head: NonNegativeInt
    query: str
    options: Annotated[tuple[str, ...], Field(min_length=2)]
    stack: Stack = "encoder"

    @property
    def offered(self) -> tuple[str, ...]:
        """The tokens."""
        return self.options

    def values(self) -> dict[str, float]:
        """Return the weight of each token."""
        weights = row(self.model, self.text, self.layer, self.head, self.query, self.stack)
        for token in self.options:
            index_of(token, list(weights))
        return {token: weights[token] for token in self.options}


class Option(Strict):
    """An option with a computed number."""

    say: str
    value: AnyValue


class LargestQuestion(Ranked):
    """Which option has the largest number?"""

    kind: Literal["largest"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]

    @property
    def offered(self) -> tuple[str, ...]:
        """The texts of the options."""
        return tuple(option.say for option in self.options)

    def values(self) -> dict[str, float]:
        """Return the number of each option."""
        return {option.say: option.value.compute() for option in self.options}


class HeadQuestion(Question):
    """Which head links two tokens most?"""

    form = "head"
    kind: Literal["head"]
    model: str
    text: str
    query: str
    key: str
    stack: Stack = "encoder"

    def solution(self) -> str:
        """Return the head with the largest weight, such as ``3.1``."""
        weights = self.weights_by_head()
        return max(weights, key=weights.__getitem__)

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the head's weight with the largest."""
        weights, right = self.weights_by_head(), self.solution()
        if answer not in weights:
            return Verdict("again", _("This model has no such head."))
        numbers = {
            "head": _head_label(answer),
            "right": _head_label(right),
            "value": _format_number(weights[answer]),
            "most": _format_number(weights[right]),
        }
        if weights[right] - weights[answer] < SAME:
            text = _("{head} gives {value}, more than any other.")
            return Verdict("right", text.format(**numbers))
        if self._reveals(tries):
            text = _("{head} gives {value}; {right} gives {most}.")
            return Verdict("revealed", text.format(**numbers))
        return Verdict(
            "wrong", _("{head} gives {value}; some head gives {most}.").format(**numbers)
        )

    def weights_by_head(self) -> dict[str, float]:
        """Return the weight between the two tokens in each head, by its name ``3.1``."""
        capture = captured(self.model, self.text, self.stack)
        query = index_of(self.query, distinct(capture.tokens))
        keys = capture.tokens if capture.other_keys is None else capture.key_tokens
        weights = capture.weights[:, :, query, index_of(self.key, distinct(keys))]
        return {
            f"{layer}.{head}": float(weights[layer, head])
            for layer in range(capture.n_layers)
            for head in range(capture.n_heads)
        }


class NumberQuestion(Question):
    """How large is a number?"""

    form = "number"
    kind: Literal["number"]
    value: AnyValue
    within: Annotated[float, Field(ge=0)]

    def solution(self) -> str:
        """Return the number."""
        return str(self.value.compute())

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer with the number; do not say whether it is too small or too large."""
        value, found = self.value.compute(), readings(answer)
        words = {"answer": answer, "value": _format_number(value)}
        if not found:
            text = _("“{text}” is not a number. Write one such as 0.5 or −2.")
            return Verdict("again", text.format(text=answer))
        if any(abs(given - value) <= self.within + 1e-9 for given in found):
            return Verdict("right", _("It is {value}.").format(**words))
        if is_rounding(answer, value):
            text = _("“{answer}” is rounded too far. {rule}")
            return Verdict("again", text.format(**words, rule=self.rule))
        if self._reveals(tries):
            return _revealed(answer, words["value"])
        text = _("“{answer}” is not right. Try again, or take a hint.")
        return Verdict("wrong", text.format(**words))

    @property
    def rule(self) -> str:
        """How many decimals to type, or how far off an answer may be."""
        if self.within == 0:
            return ""
        if self.within >= 1:
            return _("An answer counts if it is off by at most {within:g}.").format(
                within=self.within
            )
        decimals = math.ceil(-math.log10(2 * self.within))
        return ngettext("Round to {n} decimal.", "Round to {n} decimals.", decimals).format(
            n=decimals
        )


class ChoiceQuestion(Question):
    """Which option is right? The file states it; claims of the step support it."""

    kind: Literal["choice"]
    options: Annotated[tuple[str, ...], Field(min_length=2)]
    right: str

    @model_validator(mode="after")
    def _has_the_right_option(self) -> Self:
        if self.right not in self.options:
            raise ValueError(f"{self.right} is none of the options")
        return self

    @property
    def offered(self) -> tuple[str, ...]:
        """The options."""
        return self.options

    def solution(self) -> str:
        """Return the right option."""
        return self.right

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer with the right one."""
        if answer not in self.offered:
            return Verdict("again", _("Choose one of these."))
        if answer == self.right:
            return Verdict("right", _("“{right}” is right.").format(right=self.right))
        if self._reveals(tries):
            return _revealed(answer, f"“{self.right}”")
        return Verdict("wrong", _("“{answer}” is not right.").format(answer=answer))


AnyQuestion = Annotated[
    KeyQuestion | LargestQuestion | HeadQuestion | NumberQuestion | ChoiceQuestion,
    Field(discriminator="kind"),
]


def _revealed(answer: str, right: str) -> Verdict:
    text = _("“{answer}” is not right: it is {right}.")
    return Verdict("revealed", text.format(answer=answer, right=right))


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
