"""Kinds of question of a lesson; answers are judged by the model's own numbers.

The first wrong answer gets a hint, the second reveals the right answer. With two options, the first
does.
"""

import math
from abc import abstractmethod
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, NonNegativeInt, model_validator

from lessons.by_model import AnyValue, CapturedStack, index_of, row
from lessons.value import Strict
from model.questions import QuestionKind, is_near, largest
from model.typed_numbers import is_rounding, readings
from web.language import _, ngettext, sentences

Outcome = Literal["right", "wrong", "revealed", "again"]
"""``revealed``: wrong, and the text gives the right answer. ``again``: not an answer yet."""


class Verdict(NamedTuple):
    """The result of judging an answer, with the sentence for the learner."""

    outcome: Outcome
    text: str


class Option(Strict):
    """An option with a computed number."""

    say: str
    value: AnyValue


class StepQuestion(Strict):
    """Base class of all kinds of question.

    Attributes:
        form: What an answer is.
        why: The explanation after a right answer; ``{name}`` is a number of the step.
    """

    form: ClassVar[QuestionKind] = "choice"
    ask: str
    hints: tuple[str, ...] = ()
    why: str = ""

    @property
    def offered(self) -> tuple[str, ...]:
        """The texts of the options; empty if the answer is typed."""
        options: tuple[str | Option, ...] = getattr(self, "options", ())
        return tuple(each if isinstance(each, str) else each.say for each in options)

    @property
    def rule(self) -> str:
        """How exact an answer must be, in words; empty if any answer is exact."""
        return ""

    @abstractmethod
    def judge(self, answer: str, tries: int) -> Verdict:
        """Judge an option or a number after ``tries`` wrong ones."""

    @abstractmethod
    def solution(self) -> str:
        """Return a right answer in the form that :meth:`judge` accepts."""

    def _wrong(self, tries: int, hidden: str, revealing: str) -> Verdict:
        """Return the verdict on a wrong answer: only one sentence names the right one."""
        if tries > 0 or len(self.offered) == 2:
            return Verdict("revealed", revealing)
        return Verdict("wrong", hidden)


class RankedQuestion(StepQuestion):
    """A question with a number for each option; the largest is right.

    Attributes:
        measured: What the numbers are, with a capital letter; empty: weights.
    """

    measured: str = ""

    @abstractmethod
    def _values(self) -> tuple[float, ...]:
        """Return the number of each option."""

    @abstractmethod
    def _right(self, values: tuple[float, ...]) -> list[int]:
        """Return the indices of the right options, the best first."""

    def solution(self) -> str:
        """Return the best option."""
        return self.offered[self._right(self._values())[0]]

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer's number with the right one."""
        if answer not in self.offered:
            return Verdict("again", _("Choose one of these."))
        computed = self._values()
        values = dict(zip(self.offered, map(_format_number, computed), strict=True))
        best, *ties = (self.offered[index] for index in self._right(computed))
        words = {"answer": answer, "value": values[answer], "right": best, "most": values[best]}
        words["measured"] = self.measured or _("Weight")
        compared = _("{measured}: {value} for “{answer}”, {most} for “{right}”.").format(**words)
        if answer == best:
            others = " · ".join(f"{text} {values[text]}" for text in values if text != best)
            praise = _("{measured}: {value} for “{right}”. The others: {others}.")
            return Verdict("right", praise.format(**words, others=others))
        if answer in ties:
            near = _("A weight within 0.01 of the largest is right, too.")
            return Verdict("right", sentences(compared, near))
        hidden = _("{measured}: {value} for “{answer}”, {most} for another one.").format(**words)
        return self._wrong(tries, hidden, compared)


class KeyQuestion(RankedQuestion):
    """Which of several tokens does a query attend to most?"""

    kind: Literal["key"]
    model: str
    text: str
    layer: NonNegativeInt
    head: NonNegativeInt
    query: str
    options: Annotated[tuple[str, ...], Field(min_length=2)]
    stack: CapturedStack = "encoder"

    def _values(self) -> tuple[float, ...]:
        weights = row(self.model, self.text, self.layer, self.head, self.query, self.stack)
        for token in self.options:
            index_of(token, list(weights))
        return tuple(weights[token] for token in self.options)

    def _right(self, values: tuple[float, ...]) -> list[int]:
        return largest(np.array(values))


class LargestQuestion(RankedQuestion):
    """Which option has the largest number, or the smallest? Near-ties are of weights only."""

    kind: Literal["largest"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]
    smallest: bool = False

    def _values(self) -> tuple[float, ...]:
        return tuple(option.value.compute() for option in self.options)

    def _right(self, values: tuple[float, ...]) -> list[int]:
        return [values.index((min if self.smallest else max)(values))]


class NumberQuestion(StepQuestion):
    """How large is a number?"""

    form = "number"
    kind: Literal["number"]
    value: AnyValue
    within: Annotated[float, Field(ge=0)]

    def solution(self) -> str:
        """Return the number."""
        return str(self.value.compute())

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer with the number; say whether a wrong one is too small or too large."""
        value, found = self.value.compute(), readings(answer)
        words = {"answer": answer, "value": _format_number(value)}
        if not found:
            text = _("“{text}” is not a number. Write one such as 0.5 or −2.")
            return Verdict("again", text.format(text=answer))
        if is_near(value, found, self.within):
            return Verdict("right", _("It is {value}.").format(**words))
        if 0 < value <= 1 and is_near(value, [each / 100 for each in found], self.within):
            return Verdict("again", _("Right in per cent. Write it as a number from 0 to 1."))
        if is_rounding(answer, value):
            text = _("“{answer}” is rounded too far. {rule}")
            return Verdict("again", text.format(**words, rule=self.rule))
        sides = {each < value for each in found}
        side = _("“{answer}” is too small.") if True in sides else _("“{answer}” is too large.")
        wrong = side.format(**words) if len(sides) == 1 else ""  # 4,994 has two readings
        return self._wrong(tries, *_not_right(words["value"], wrong))

    @property
    def rule(self) -> str:
        """How many decimals to type, or how far off an answer may be."""
        if self.within == 0:
            return ""
        if self.within >= 1:
            text = _("An answer counts if it is off by at most {within:g}.")
            return text.format(within=self.within)
        decimals = math.ceil(-math.log10(2 * self.within))
        rule = ngettext("Round to {n} decimal.", "Round to {n} decimals.", decimals)
        return rule.format(n=decimals)


class ChoiceQuestion(StepQuestion):
    """Which option is right? The file states it; claims of the step support it."""

    kind: Literal["choice"]
    options: Annotated[tuple[str, ...], Field(min_length=2)]
    right: str

    @model_validator(mode="after")
    def _has_the_right_option(self) -> Self:
        if self.right not in self.options:
            raise ValueError(f"{self.right} is none of the options")
        return self

    def solution(self) -> str:
        """Return the right option."""
        return self.right

    def judge(self, answer: str, tries: int) -> Verdict:
        """Compare the answer with the right one."""
        if answer not in self.offered:
            return Verdict("again", _("Choose one of these."))
        if answer == self.right:
            return Verdict("right", _("Right: {right}.").format(right=self.right))
        return self._wrong(tries, *_not_right(self.right))


AnyQuestion = Annotated[
    KeyQuestion | LargestQuestion | NumberQuestion | ChoiceQuestion, Field(discriminator="kind")
]


def _not_right(right: str, wrong: str = "") -> tuple[str, str]:
    """Return the sentences on a wrong answer that hide and that reveal the right one."""
    wrong = wrong or _("Not right.")
    hidden = sentences(wrong, _("Look at the page, or take a hint."))
    return hidden, sentences(wrong, _("The right answer: {right}.").format(right=right))


def _format_number(value: float) -> str:
    if abs(value) >= 1e9:
        return f"{value:.3g}"
    if abs(value - round(value)) < 1e-9 or abs(value) >= 10_000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.1f}"
    if abs(value) >= 0.01:
        return f"{value:.2f}"
    return np.format_float_positional(value, precision=1, fractional=False, trim="-")
