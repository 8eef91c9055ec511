"""Numeric exercises: work out the scores, the weights or the context of one head.

Axes: Tq queries, Tk keys, K d_k of the queries and keys, Kv d_v of the values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from model.calculator.cells import numbers
from model.calculator.mistakes import mistake
from model.calculator.practice.exercise import (
    AnswerGrid,
    Assignment,
    Checked,
    Mark,
    PracticeQuestion,
    StepName,
    check_set,
)
from model.calculator.practice.problem import Problem
from model.calculator.presets import PRESETS
from model.calculator.settings import CalculatorSettings
from model.errors import HeadlightError, Sentence
from model.questions import is_near
from model.typed_numbers import readings

_LESSON = (1, 1)
"""Seed and level of the set that starts with the two exercises of the lesson."""

_PLAIN, _CAUSAL = CalculatorSettings(), CalculatorSettings(mask="causal")
_SETTINGS = {
    1: (_PLAIN, _PLAIN, _PLAIN, _PLAIN, _PLAIN),
    2: (_PLAIN, _CAUSAL, _PLAIN, _CAUSAL, _CAUSAL),
    3: (
        _PLAIN,
        _CAUSAL,
        _CAUSAL,
        CalculatorSettings(mask="padding"),
        CalculatorSettings(temperature=2.0),
    ),
}
# Seeds of the random streams. Their order is part of the links: old links contain exercise numbers.
_STREAMS = (3, 4, 0, 1, 2)


def tolerance(decimals: int) -> float:
    """How far a right answer may be off: two units of the last decimal."""
    return 2 * 10.0**-decimals


@dataclass(frozen=True)
class NumericExercise(Problem):
    """One head to work out by hand; ``preset`` is blank for a random exercise."""

    preset: str = ""

    def title(self, number: int) -> Sentence:
        """The example's title, or the number in the set (from 1), the size and the mask."""
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
                    "Divide the scores by √dₖ and by the temperature {t:g}. A higher "
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
        """The step, the mask and the accuracy; Markdown."""
        step, decimals = _step(assignment.question), assignment.decimals
        divisor = f"√{self.q.shape[1]}"
        if self.settings.temperature != 1:
            divisor = f"({divisor} × {self.settings.temperature:g})"
        tasks: dict[StepName, Sentence] = {
            "scaled_scores": Sentence(
                "Calculate the **scaled scores** QKᵀ / {divisor}, before any mask.", divisor=divisor
            ),
            "weights": Sentence(
                "Calculate the **weights**: for each scaled score x of QKᵀ / {divisor}, take eˣ, "
                "and divide it by the sum of eˣ in its row (softmax).",
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
            "Round to {decimals} decimals. Answers within {near} count as right.",
            decimals=decimals,
            near=f"{tolerance(decimals):.{decimals}f}",
        )
        return (tasks[step], *masks[self.settings.mask], accuracy)

    def given(self, question: PracticeQuestion) -> dict[str, Tensor]:
        """Q (Tq, K) and K (Tk, K), and V (Tk, Kv) where the question needs it."""
        matrices = {"Q": self.q, "K": self.k}
        return {**matrices, "V": self.v} if question == "context" else matrices

    def shape(self, question: PracticeQuestion) -> tuple[int, int]:
        """Rows and columns of the answer: (Tq, Tk) or, for the context, (Tq, Kv)."""
        rows, columns = self.true(_step(question)).shape
        return rows, columns

    def check(self, cells: AnswerGrid, assignment: Assignment) -> Checked:
        """Compare numbers with the true ones, and with those from steps rounded as assigned."""
        step, decimals = _step(assignment.question), assignment.decimals
        true, rounded = self.true(step), self.from_rounded_steps(step, decimals)
        rows, columns = true.shape
        if [len(row) for row in cells] != [columns] * rows:
            raise HeadlightError(
                "The answer for {step} needs {rows} rows of {columns} cells.",
                step=step,
                rows=rows,
                columns=columns,
            )
        # (Tq, ...) and (Tq, ...) -> (Tq, ..., 2)
        accepted = torch.stack([true, rounded], dim=-1).tolist()
        return Checked(
            [
                [_mark(*cell, tolerance(decimals)) for cell in zip(*row, strict=True)]
                for row in zip(cells, accepted, strict=True)
            ]
        )

    def slip(self, cells: AnswerGrid, checked: Checked, assignment: Assignment) -> Sentence | None:
        """Name the mistake that gives all numbers of each row with a wrong cell; None if none does.

        Of one cell alone, a mistake can give the number by chance.
        """
        near = tolerance(assignment.decimals)
        wrong = [
            (i, j)
            for i, row in enumerate(checked.marks)
            for j, mark in enumerate(row)
            if "wrong" in row and mark in ("wrong", "right")
        ]
        for made, said in self._slips(_step(assignment.question)):
            if wrong and all(
                is_near(made[i, j].item(), readings(cells[i][j]), near) for i, j in wrong
            ):
                return said
        return None

    def _slips(self, step: StepName) -> Iterator[tuple[Tensor, Sentence]]:
        """Yield the results of mistakes, of the shape of :meth:`true`, the simplest first."""

        def without(**changed: Any) -> Tensor:
            return replace(self, settings=replace(self.settings, **changed)).true(step)

        yield (
            without(scaled=False),
            Sentence("The wrong numbers are right without √dₖ: divide the scores by √dₖ first."),
        )
        if self.settings.temperature != 1:
            yield (
                without(temperature=1.0),
                Sentence("The wrong numbers are right without the temperature: divide by it, too."),
            )
        if step != "scaled_scores":
            if self.settings.mask != "none":
                yield (
                    without(mask="none"),
                    Sentence(
                        "The wrong numbers are right without the mask: set hidden scores to −∞."
                    ),
                )
            columns = mistake("wrong_axis", self.calculation())
            yield (
                (columns.weights if step == "weights" else columns.context)[0],
                Sentence("Your softmax runs down the columns. It has to run along each row."),
            )
        if step != "context" and len(self.q) == len(self.k):
            yield (
                self.true(step).T,  # (Tq, Tk) -> (Tk, Tq)
                Sentence("Rows and columns are exchanged: a row is a query, a column a key."),
            )


def _step(question: PracticeQuestion) -> StepName:
    if question == "mask":
        raise HeadlightError("A numeric exercise has no mask to draw.")
    return question


def _mark(text: str, accepted: list[float], near: float) -> Mark:
    found = readings(text)  # 1,234 has two
    if not found:
        return "unreadable" if text.strip() else "empty"
    return "right" if any(is_near(value, accepted, near) for value in found) else "wrong"


def numeric_exercises(seed: int, level: int) -> tuple[NumericExercise, ...]:
    """Draw five exercises; in set 1 of level 1 the first two come from the lesson.

    Level 1: two tokens, no mask. Level 2: three tokens, some causal masks. Level 3: three or four
    tokens, negative numbers, causal masks, a padding mask, a temperature.
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
