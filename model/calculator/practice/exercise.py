"""Types and limits of all exercises; answers have R rows and C columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from model.errors import Sentence, check_range

StepName = Literal["scaled_scores", "weights", "context"]

PracticeQuestion = Literal["scaled_scores", "weights", "context", "mask"]

QUESTIONS: dict[PracticeQuestion, Sentence] = {
    "scaled_scores": Sentence("Scaled scores S′"),
    "weights": Sentence("Weights A"),
    "context": Sentence("Context Z, the mixed values"),
    "mask": Sentence("Draw the mask"),
}
"""Everything that a set can ask for, with its name on screen."""

LEVELS = (1, 2, 3)
"""Levels of difficulty."""

MAX_SEED = 999_999_999

Mark = Literal["right", "wrong", "empty", "unreadable"]
AnswerGrid = Sequence[Sequence[str]]
"""Text as typed, (R, C)."""


class Assignment(NamedTuple):
    """The question that a set asks, and the number of decimals of its answers."""

    question: PracticeQuestion
    decimals: int


@dataclass(frozen=True)
class Checked:
    """The result of checking a person's answers: one mark for each cell, (R, C)."""

    marks: list[list[Mark]]

    @property
    def right(self) -> int:
        """Number of right cells."""
        return sum(row.count("right") for row in self.marks)

    @property
    def total(self) -> int:
        """Number of cells."""
        return sum(map(len, self.marks))

    @property
    def complete(self) -> bool:
        """Whether every cell is right."""
        return self.right == self.total

    @property
    def wrong(self) -> bool:
        """Whether the answer contains an error, rather than an omission."""
        return any("wrong" in row for row in self.marks)

    def summary(self) -> Sentence:
        """The number of right cells."""
        if self.complete:
            return Sentence("All {total} cells are right.", total=self.total)
        if {mark for row in self.marks for mark in row} == {"empty"}:
            return Sentence("Fill in the cells first.")
        counts = {"right": self.right, "total": self.total}
        if any("unreadable" in row for row in self.marks):
            return Sentence(
                "{right} of {total} cells are right. “?” marks what is no number.", **counts
            )
        return Sentence("{right} of {total} cells are right.", **counts)


def check_set(seed: int, level: int) -> None:
    """Refuse a seed or a level that does not exist."""
    check_range("seed", seed, 0, MAX_SEED)
    check_range("level", level, LEVELS[0], LEVELS[-1])
