"""Mistake exercises: name the classic mistake behind wrong attention weights.

Axes: H n_heads, Tq queries, Tk keys, Kv d_v of the values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from model.calculator.mistakes import MISTAKE_NAMES, MISTAKES, Mistake, mistake
from model.calculator.practice.exercise import (
    Answers,
    Assignment,
    Checked,
    Exercise,
    NamedMatrix,
    Question,
    check_set,
)
from model.calculator.practice.problem import Problem
from model.calculator.settings import Settings
from model.errors import Sentence

_FIRST_STREAM = 30  # the other exercises use lower seeds
_DISTINCT = 0.02  # a smaller difference is invisible at two decimals


@dataclass(frozen=True)
class CheckedMistake(Checked):
    """The result of checking the mistake that a person named.

    Attributes:
        chosen: The name of the mistake; blank if none was chosen.
        findings: The effect of that mistake, in numbers.
    """

    chosen: str = ""
    findings: tuple[Sentence, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether another mistake was named."""
        return bool(self.chosen) and not self.complete

    def summary(self) -> tuple[Sentence, ...]:
        """Whether it is the mistake, and what the named one does."""
        if not self.chosen:
            return (Sentence("Choose a mistake first."),)
        if self.complete:
            return (Sentence("Right."), *self.findings)
        verdict = Sentence(
            "No. “{mistake}” would give the weights shown now.",
            mistake=MISTAKE_NAMES[self.chosen],
        )
        return (verdict, *self.findings)


@dataclass(frozen=True)
class MistakeExercise(Exercise):
    """A head that was worked out wrongly.

    Attributes:
        problem: The problem that was to be solved; it has a mask.
        made: The name of the mistake that was made, of ``MISTAKES``.
    """

    problem: Problem
    made: str

    @property
    def choices(self) -> Mapping[str, Sentence]:
        """The classic mistakes."""
        return MISTAKE_NAMES

    def with_mistake(self, name: str) -> Mistake:
        """The calculation with a mistake.

        Args:
            name: Of ``MISTAKES``.
        """
        return mistake(name, self.problem.calculation())

    def title(self, number: int) -> Sentence:
        """Its number.

        Args:
            number: Its place in the set, from 1.
        """
        return Sentence("Exercise {number}: which mistake is this?", number=number)

    def story(self) -> tuple[Sentence, ...]:
        """The mask of the problem."""
        masks = {
            "causal": Sentence(" with a causal mask"),
            "padding": Sentence(" with a mask that hides the last key (padding)"),
        }
        return (
            Sentence(
                "This code computes attention{mask}, but it has one of the classic mistakes.",
                mask=masks[self.problem.settings.mask],
            ),
        )

    def task(self, assignment: Assignment) -> tuple[Sentence, ...]:
        """The question; Markdown.

        Args:
            assignment: Not used: the answer is a name.
        """
        return (
            Sentence(
                "The code computes these **weights** from Q, K and V. Which mistake does it make?"
            ),
        )

    def given(self, assignment: Assignment) -> tuple[NamedMatrix, ...]:
        """Q (Tq, K), K (Tk, K), V (Tk, Kv), the wrong weights (Tq, Tk) and context (Tq, Kv).

        Args:
            assignment: Not used: all matrices are shown.
        """
        made = self.with_mistake(self.made)
        inputs = {"Q": self.problem.q, "K": self.problem.k, "V": self.problem.v}
        return (
            *(NamedMatrix(name, matrix, rounded=False) for name, matrix in inputs.items()),
            # (H = 1, Tq, ...) -> (Tq, ...)
            NamedMatrix("weights", made.weights[0], Sentence("Weights of the code")),
            NamedMatrix("context", made.context[0], Sentence("Context")),
        )

    def grid_sizes(self) -> dict[Question, tuple[int, int]]:
        """One cell with the name of a mistake."""
        return {"mistake": (1, 1)}

    def check(self, answers: Answers, assignment: Assignment) -> CheckedMistake:
        """Compare the named mistake with the one that was made.

        Args:
            answers: One cell for "mistake": a name of ``MISTAKES``, or blank.
            assignment: Not read: the answer is a name.
        """
        chosen = answers["mistake"][0][0]
        right = chosen == self.made
        return CheckedMistake(
            marks={"mistake": [["right" if right else "wrong" if chosen else "empty"]]},
            right=int(right),
            total=1,
            chosen=chosen,
            findings=self.with_mistake(chosen).findings if chosen else (),
        )

    def feedback(self, answers: Answers | None, revealed: bool) -> tuple[NamedMatrix, ...]:
        """The weights of a wrongly named mistake, and the right ones once they are revealed.

        Args:
            answers: The answers that were handed in, or None.
            revealed: Whether the right answer is on display.
        """
        found = []
        chosen = answers["mistake"][0][0] if answers else ""
        if chosen not in ("", self.made):
            # (H = 1, Tq, Tk) -> (Tq, Tk)
            weights = self.with_mistake(chosen).weights[0]
            found.append(NamedMatrix("weights", weights, MISTAKE_NAMES[chosen]))
        return (*found, *self._right_weights()) if revealed else tuple(found)

    def solution(self, assignment: Assignment) -> tuple[NamedMatrix, ...]:
        """The right weights.

        Args:
            assignment: Not used: the answer is a name.
        """
        return self._right_weights()

    def explanation(self) -> tuple[Sentence, ...]:
        """The mistake's name, and its effect in numbers."""
        return (MISTAKE_NAMES[self.made], *self.with_mistake(self.made).findings)

    def _right_weights(self) -> tuple[NamedMatrix, ...]:
        weights = self.problem.true("weights")
        return (NamedMatrix("weights", weights, Sentence("The right weights")),)


@lru_cache(maxsize=64)
def mistake_exercises(seed: int, level: int) -> tuple[MistakeExercise, ...]:
    """Draw five calculations; no mistake is made more than twice.

    Args:
        seed: Whole number from 0 to ``MAX_SEED``.
        level: 1: two tokens. 2: three. 3: three or four, negative numbers, two padding masks.

    Raises:
        HeadlightError: If the seed or the level does not exist.
    """
    check_set(seed, level)
    order = np.random.default_rng([seed, level, _FIRST_STREAM]).permutation([*MISTAKES, *MISTAKES])
    return tuple(
        _draw(np.random.default_rng([seed, level, _FIRST_STREAM + 1 + place]), level, place, made)
        for place, made in enumerate(order[:5].tolist())
    )


def _draw(rng: np.random.Generator, level: int, place: int, made: str) -> MistakeExercise:
    settings = Settings(mask="padding" if level == 3 and place % 2 else "causal")
    while True:
        exercise = MistakeExercise(Problem.draw(rng, level, settings), made)
        if _is_unambiguous(exercise):
            return exercise


def _is_unambiguous(exercise: MistakeExercise) -> bool:
    """Whether all mistakes and the right way give different weights."""
    candidates = [exercise.with_mistake(name).weights for name in MISTAKES]
    candidates.append(exercise.problem.calculation().steps.weights)
    weights = [each.nan_to_num(-1.0) for each in candidates]  # no weight is -1: nan equals nan only
    return all(bool(((a - b).abs() > _DISTINCT).any()) for a, b in combinations(weights, 2))
