"""Numeric exercises: work out the scores, the weights or the context of one head.

Axes: Tq queries, Tk keys, K d_k of the queries and keys, Kv d_v of the values.
"""

from dataclasses import dataclass

import numpy as np

from model.calculator.cells import numbers
from model.calculator.practice.exercise import (
    QUESTIONS,
    STEPS,
    Answers,
    Assignment,
    Checked,
    Exercise,
    NamedMatrix,
    check_set,
    grids_to_fill_in,
)
from model.calculator.practice.numeric_check import check_numbers, tolerance
from model.calculator.practice.problem import Problem
from model.calculator.presets import PRESETS
from model.calculator.settings import Settings
from model.errors import Sentence

_LESSON = (1, 1)
"""Seed and level of the set that starts with the two exercises of the lesson."""

_PLAIN, _CAUSAL = Settings(), Settings(mask="causal")
_SETTINGS = {
    1: (_PLAIN, _PLAIN, _PLAIN, _PLAIN, _PLAIN),
    2: (_PLAIN, _CAUSAL, _PLAIN, _CAUSAL, _CAUSAL),
    3: (_PLAIN, _CAUSAL, _CAUSAL, Settings(mask="padding"), Settings(temperature=2.0)),
}
# Seeds of the random streams. Their order is part of the links: old links contain exercise numbers.
_STREAMS = (3, 4, 0, 1, 2)


@dataclass(frozen=True)
class NumericExercise(Problem, Exercise):
    """One head to work out by hand.

    Attributes:
        preset: The example of ``PRESETS`` that it repeats; blank for a random exercise.
    """

    preset: str = ""

    def title(self, number: int) -> Sentence:
        """The example's title, or the number, the size and the mask.

        Args:
            number: Its place in the set, from 1.
        """
        if self.preset:
            return PRESETS[self.preset].title
        values = {"number": number, "tokens": len(self.q)}
        if self.settings.temperature != 1:
            return Sentence("Exercise {number}: {tokens} tokens and a temperature", **values)
        return {
            "none": Sentence("Exercise {number}: {tokens} tokens", **values),
            "causal": Sentence("Exercise {number}: {tokens} tokens, causal masking", **values),
            "padding": Sentence(
                "Exercise {number}: {tokens} tokens, the last is padding", **values
            ),
        }[self.settings.mask]

    def story(self) -> tuple[Sentence, ...]:
        """What to notice about the settings."""
        if self.preset:
            return (PRESETS[self.preset].story,)
        if self.settings.temperature != 1:
            return (
                Sentence(
                    "Divide the scores by √d_k and by the temperature {t:g}. A higher "
                    "temperature makes the weights more even.",
                    t=self.settings.temperature,
                ),
            )
        stories = {
            "none": Sentence(
                "Every query sees every key. Which key gets the most weight of each query?"
            ),
            "causal": Sentence(
                "A decoder generates one token at a time, so no token sees later ones. Hidden "
                "keys get weight 0."
            ),
            "padding": Sentence(
                "Padding fills up the short sentences of a batch. It must get weight 0."
            ),
        }
        return (stories[self.settings.mask],)

    def task(self, assignment: Assignment) -> tuple[Sentence, ...]:
        """The step, the mask and the accuracy; Markdown.

        Args:
            assignment: The question, and the decimals of its answers.
        """
        question, decimals = assignment
        divisor = f"√{self.q.shape[1]}"
        if self.settings.temperature != 1:
            divisor = f"({divisor} × {self.settings.temperature:g})"
        tasks = {
            "scaled_scores": Sentence(
                "Calculate the **scaled scores** QKᵀ / {divisor}, before any mask.", divisor=divisor
            ),
            "weights": Sentence(
                "Calculate the **weights**: the softmax of QKᵀ / {divisor} along each row.",
                divisor=divisor,
            ),
            "context": Sentence(
                "Calculate the **context**: softmax(QKᵀ / {divisor}) times V.", divisor=divisor
            ),
        }
        masks = {
            "none": (),
            "causal": (Sentence("Causal mask: query i sees the keys 0 to i."),),
            "padding": (Sentence("The last key is padding: no query sees it."),),
        }
        accuracy = Sentence(
            "Round to {decimals} decimals. Answers within {near} count, and so do answers from "
            "rounded steps.",
            decimals=decimals,
            near=f"{tolerance(decimals):.{decimals}f}",
        )
        return (tasks[question], *masks[self.settings.mask], accuracy)

    def given(self, assignment: Assignment) -> tuple[NamedMatrix, ...]:
        """Q (Tq, K) and K (Tk, K), and V (Tk, Kv) where the question needs it.

        Args:
            assignment: The question, and the decimals of its answers.
        """
        matrices = {"Q": self.q, "K": self.k}
        if assignment.question == "context":
            matrices["V"] = self.v
        return tuple(NamedMatrix(name, matrix, rounded=False) for name, matrix in matrices.items())

    def check(self, answers: Answers, assignment: Assignment) -> Checked:
        """Compare numbers with the right ones; see :func:`check_numbers`.

        Args:
            answers: Grids of text, by step.
            assignment: The question, and the decimals of its answers.
        """
        return check_numbers(self, answers, assignment)

    def solution(self, assignment: Assignment) -> tuple[NamedMatrix, ...]:
        """The results of all steps up to the question.

        Args:
            assignment: The question, and the decimals of its answers.
        """
        steps = grids_to_fill_in(self, assignment.question)
        return tuple(
            NamedMatrix(step, self.true(step), QUESTIONS[step]) for step in STEPS if step in steps
        )

    def worked_problem(self) -> Problem | None:
        """The exercise itself."""
        return self


def numeric_exercises(seed: int, level: int) -> tuple[NumericExercise, ...]:
    """Draw five exercises; in set 1 of level 1 the first two come from the lesson.

    Args:
        seed: Whole number from 0 to ``MAX_SEED``. Equal seeds give equal exercises anywhere.
        level: One of ``LEVELS``. 1: two tokens, no mask. 2: three tokens, some causal masks.
            3: three or four tokens, negative numbers, causal masks, a padding mask, a temperature.

    Raises:
        HeadlightError: If the seed or the level does not exist.
    """
    check_set(seed, level)
    drawn = tuple(
        NumericExercise.draw(np.random.default_rng([seed, level, stream]), level, settings)
        for stream, settings in zip(_STREAMS, _SETTINGS[level], strict=True)
    )
    return (*_lesson(), *drawn[2:]) if (seed, level) == _LESSON else drawn


def _lesson() -> tuple[NumericExercise, ...]:
    examples = []
    for name in ("exercise", "masking"):
        cells = PRESETS[name].cells
        q, k, v = (numbers(matrix, cells[matrix]) for matrix in "QKV")
        examples.append(NumericExercise(q, k, v, PRESETS[name].settings, name))
    return tuple(examples)
