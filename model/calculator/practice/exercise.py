"""The protocol of an exercise, and the types that all kinds of exercise share.

Axes: R rows, C columns. Rows and columns count from 0.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from torch import Tensor

from model.errors import HeadlightError, Sentence

if TYPE_CHECKING:
    from model.calculator.practice.problem import Problem

Step = Literal["scaled_scores", "weights", "context"]

STEPS: tuple[Step, ...] = ("scaled_scores", "weights", "context")
"""The steps that a numeric exercise can ask for, in the order of the calculation."""

Question = Literal["scaled_scores", "weights", "context", "mask", "mistake"]

QUESTIONS: dict[Question, Sentence] = {
    "scaled_scores": Sentence("Scaled scores"),
    "weights": Sentence("Weights"),
    "context": Sentence("Context"),
    "mask": Sentence("Draw the mask"),
    "mistake": Sentence("Which mistake?"),
}
"""Everything that a set can ask for, with its name on screen."""

Kind = Literal["numbers", "mask", "mistake"]

LEVELS = (1, 2, 3)
"""Levels of difficulty."""

MAX_SEED = 999_999_999

Mark = Literal["right", "wrong", "empty", "unreadable"]
Cells = Sequence[Sequence[str]]
Answers = Mapping[Question, Cells]
"""Text as typed, by the question that each grid answers."""


class Assignment(NamedTuple):
    """The question that a set asks, and the number of decimals of its answers."""

    question: Question
    decimals: int


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix to show beside an exercise or on a printed sheet.

    Attributes:
        name: Its name in the calculation, e.g. "weights".
        values: (R, C), float64 or boolean.
        title: Text above it; None for the symbol alone.
        rounded: Whether to round its numbers to the decimals of the assignment.
    """

    name: str
    values: Tensor
    title: Sentence | None = None
    rounded: bool = True


@dataclass(frozen=True)
class Slip:
    """The first error in an answer.

    Attributes:
        step: The first step with a wrong cell.
        row: Row of its first wrong cell.
        column: Column of that cell.
        rule: How to work that cell out, without the result.
        guess: The likely cause, if it explains every filled cell of the step.
    """

    step: Question
    row: int
    column: int
    rule: Sentence
    guess: Sentence | None

    def sentences(self) -> tuple[Sentence, ...]:
        """Where the slip is, its likely cause and the rule that it breaks; Markdown."""
        where = (
            Sentence(
                "The first wrong cell: **query {row}**, **key {column}**.",
                row=self.row,
                column=self.column,
            )
            if self.step == "mask"
            else Sentence(
                "The first wrong cell: **{step}**, row {row}, column {column}.",
                step=QUESTIONS[self.step],
                row=self.row,
                column=self.column,
            )
        )
        guess = [self.guess] if self.guess else []
        return (where, *guess, Sentence("The rule: {rule}", rule=self.rule))


@dataclass(frozen=True)
class FormatError:
    """A cell whose text does not have the required format.

    Attributes:
        step: The step of the cell.
        row: Row of the cell.
        column: Column of the cell.
        wanted: The format to use, without the result.
    """

    step: Step
    row: int
    column: int
    wanted: Sentence


@dataclass(frozen=True)
class Checked:
    """The result of checking a person's answers.

    Attributes:
        marks: One mark for each cell of each grid that was answered.
        right: Number of right cells in the grid of the question.
        total: Number of cells in that grid.
        slip: The first error; None if no filled cell is wrong, or only rounded too far.
        format_errors: The first cell of each kind of format error.
    """

    marks: Mapping[Question, list[list[Mark]]]
    right: int
    total: int
    slip: Slip | None = None
    format_errors: tuple[FormatError, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every cell of the question's grid is right."""
        return self.right == self.total

    @property
    def wrong(self) -> bool:
        """Whether the answer contains an error, rather than an omission."""
        return self.slip is not None

    def summary(self) -> tuple[Sentence, ...]:
        """The number of right cells, and the first error; Markdown."""
        if self.complete:
            return (Sentence("All {total} cells are right.", total=self.total),)
        counts = Sentence("{right} of {total} cells are right.", right=self.right, total=self.total)
        return (counts, *(self.slip.sentences() if self.slip else ()))


class Exercise(Protocol):
    """One exercise of a set, with a subclass for each kind.

    The page and the printed sheet use only these methods.
    """

    @property
    def choices(self) -> Mapping[str, Sentence]:
        """The possible answers by name; empty if the answer is a grid."""
        return {}

    @property
    def paper_note(self) -> tuple[Sentence, ...]:
        """Instructions that apply on paper only."""
        return ()

    @abstractmethod
    def title(self, number: int) -> Sentence:
        """The exercise's name.

        Args:
            number: Its place in the set, from 1.
        """

    @abstractmethod
    def story(self) -> tuple[Sentence, ...]:
        """The subject of the exercise, without its answer."""

    @abstractmethod
    def task(self, assignment: Assignment) -> tuple[Sentence, ...]:
        """The instructions, with the accuracy; Markdown.

        Args:
            assignment: The question, and the decimals of its answers.
        """

    def given(self, assignment: Assignment) -> tuple[NamedMatrix, ...]:
        """The matrices to start from.

        Args:
            assignment: The question, and the decimals of its answers.
        """
        return ()

    @abstractmethod
    def grid_sizes(self) -> dict[Question, tuple[int, int]]:
        """Rows and columns of each grid that the exercise can ask for, in order."""

    @abstractmethod
    def check(self, answers: Answers, assignment: Assignment) -> Checked:
        """Compare answers with the right ones.

        Args:
            answers: Grids of text, by question.
            assignment: The question, and the decimals of its answers.
        """

    def feedback(self, answers: Answers | None, revealed: bool) -> tuple[NamedMatrix, ...]:
        """The matrices to add to the exercise's own after a check or a reveal.

        Args:
            answers: The answers that were handed in; None if none were.
            revealed: Whether the right answer is on display.
        """
        return ()

    @abstractmethod
    def solution(self, assignment: Assignment) -> tuple[NamedMatrix, ...]:
        """The right answers, for the printed sheet.

        Args:
            assignment: The question, and the decimals of its answers.
        """

    def explanation(self) -> tuple[Sentence, ...]:
        """A name for the right answer, and sentences about it; empty if there are none."""
        return ()

    def worked_problem(self) -> "Problem | None":
        """The problem to show step by step once the answer is revealed; None if there is none."""
        return None


def grids_to_fill_in(exercise: Exercise, question: Question) -> dict[Question, tuple[int, int]]:
    """Rows and columns of the question's grid and of those before it in the calculation.

    Args:
        exercise: The exercise; its kind need not have the question.
        question: The last grid.
    """
    sizes = exercise.grid_sizes()
    if question not in sizes:
        return {}
    names = [*sizes]
    return {name: sizes[name] for name in names[: names.index(question) + 1]}


def check_set(seed: int, level: int) -> None:
    """Refuse numbers that name no set.

    Args:
        seed: Whole number from 0 to ``MAX_SEED``.
        level: One of ``LEVELS``.

    Raises:
        HeadlightError: If the seed or the level does not exist.
    """
    if not (isinstance(seed, int) and 0 <= seed <= MAX_SEED):
        raise HeadlightError(
            "{name} must be a whole number from {first} to {last}, not {value}.",
            name="seed",
            first=0,
            last=MAX_SEED,
            value=seed,
        )
    if not (isinstance(level, int) and level in LEVELS):
        raise HeadlightError(
            "{name} must be a whole number from {first} to {last}, not {value}.",
            name="level",
            first=LEVELS[0],
            last=LEVELS[-1],
            value=level,
        )
