"""The exercises of a set, drawn from a seed; the first set begins with those of the lesson.

Axes: Tq queries, Tk keys, K d_k of the queries and keys, Kv d_v of the values.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from model.calculator.cells import numbers
from model.calculator.presets import PRESETS
from model.calculator.settings import Settings
from model.calculator.steps import Calculation, from_qkv
from model.errors import HeadlightError

Step = Literal["scaled_scores", "weights", "context"]

STEPS: tuple[Step, ...] = ("scaled_scores", "weights", "context")
"""What is asked, in the order of the calculation."""

Asked = Literal["scaled_scores", "weights", "context", "mask", "mistake"]

ASKED: tuple[Asked, ...] = (*STEPS, "mask", "mistake")
"""What a set can ask: a step to work out, a mask to draw, or which mistake was made."""

LEVELS = (1, 2, 3)
"""How hard the generated exercises are."""

MAX_SEED = 999_999_999

_LESSON = (1, 1)
"""Seed and level of the set that begins with the two exercises of the lesson."""

_PLAIN, _CAUSAL = Settings(), Settings(mask="causal")
# What the exercises of a level do to their scores. With d_k = 3 no two ways of forgetting to divide
# by sqrt(3) or by the temperature 2 come to the same.
_TWISTS = {
    1: (_PLAIN, _PLAIN, _PLAIN, _PLAIN, _PLAIN),
    2: (_PLAIN, _CAUSAL, _PLAIN, _CAUSAL, _CAUSAL),
    3: (_PLAIN, _CAUSAL, _CAUSAL, Settings(mask="padding"), Settings(temperature=2.0)),
}
# The stream of random numbers of each: older links know their third to fifth exercise by these.
_STREAMS = (3, 4, 0, 1, 2)
_SATURATED = 0.97  # beyond it the other keys hardly count, and there is little to work out


@dataclass(frozen=True)
class Exercise:
    """One head to work out by hand.

    Attributes:
        q: Queries, float64 (Tq, K).
        k: Keys, float64 (Tk, K).
        v: Values, float64 (Tk, Kv).
        settings: Scaling and mask.
        preset: The example that it is, of ``PRESETS``; blank if it was drawn.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    settings: Settings
    preset: str = ""

    def calculation(self) -> Calculation:
        """The whole calculation, as the calculator shows it."""
        return from_qkv(self.q, self.k, self.v, self.settings)

    def true(self, step: Step) -> Tensor:
        """The right answer.

        Returns:
            Scaled scores q k^T / divisor, before the mask, or weights after the softmax: (Tq, Tk).
            Context: (Tq, Kv). float64.
        """
        whole: Tensor = getattr(self.calculation().steps, step)
        return whole[0]  # (H = 1, Tq, ...) -> (Tq, ...)


def exercises(seed: int, level: int) -> tuple[Exercise, ...]:
    """Five exercises, drawn at random; in the first set of level 1 two are those of the lesson.

    Args:
        seed: Whole number from 0 to ``MAX_SEED``; the same one draws the same exercises anywhere.
        level: One of ``LEVELS``. 1: two tokens, no mask. 2: three tokens, some causal masks.
            3: three or four tokens, negative numbers; causal masks, a padding mask, a temperature.

    Raises:
        HeadlightError: If there is no such seed or level.
    """
    check_set(seed, level)
    drawn = tuple(
        generated(np.random.default_rng([seed, level, stream]), level, settings)
        for stream, settings in zip(_STREAMS, _TWISTS[level], strict=True)
    )
    return (*_lesson(), *drawn[2:]) if (seed, level) == _LESSON else drawn


def check_set(seed: int, level: int) -> None:
    """Refuse what names no set.

    Raises:
        HeadlightError: If there is no such seed or level.
    """
    if not (isinstance(seed, int) and 0 <= seed <= MAX_SEED):
        raise HeadlightError("A seed is a whole number from 0 to {largest}.", largest=MAX_SEED)
    if not (isinstance(level, int) and level in LEVELS):
        raise HeadlightError(
            "A level is a whole number from {first} to {last}.", first=LEVELS[0], last=LEVELS[-1]
        )


def _lesson() -> tuple[Exercise, ...]:
    examples = []
    for name in ("exercise", "masking"):
        cells = PRESETS[name].cells
        q, k, v = (numbers(matrix, cells[matrix]) for matrix in "QKV")
        examples.append(Exercise(q, k, v, PRESETS[name].settings, name))
    return tuple(examples)


def generated(rng: np.random.Generator, level: int, settings: Settings) -> Exercise:
    """Draw an exercise of a level's size that is worth working out."""
    n_tokens, d_k, d_v = _sizes(rng, level, settings)
    lowest = -2 if level == 3 else 0

    def whole(columns: int, highest: int) -> Tensor:
        drawn = rng.integers(lowest, highest, (n_tokens, columns), endpoint=True)
        return torch.from_numpy(drawn.astype(np.float64))

    while True:
        exercise = Exercise(whole(d_k, 2), whole(d_k, 3) / 2, whole(d_v, 2), settings)
        if not _trivial(exercise):
            return exercise


def _sizes(rng: np.random.Generator, level: int, settings: Settings) -> tuple[int, int, int]:
    """Tokens, d_k and d_v."""
    if level == 1:
        return 2, int(rng.choice([2, 4])), 2
    if level == 2:
        return 3, 4, 2
    n_tokens, d_k, d_v = rng.integers([3, 2, 2], [4, 4, 3], endpoint=True).tolist()
    return n_tokens, d_k if settings.temperature == 1 else 3, d_v


def _trivial(exercise: Exercise) -> bool:
    """Whether some row or column of it is not worth working out."""
    steps = exercise.calculation().steps
    # (H = 1, Tq, Tk) -> (Tq, Tk), and the rows of it that have a choice of keys
    choices = [row[row > 0] for row in steps.weights[0] if (row > 0).sum() > 1]
    return (
        _constant(steps.raw_scores[0])
        or _constant(exercise.v.T)
        or any(row.max() > _SATURATED or row.max() - row.min() < 1e-9 for row in choices)
        or len(steps.context[0].round(decimals=6).unique(dim=0)) < len(exercise.q)  # twice the same
    )


def _constant(rows: Tensor) -> bool:
    """Whether some row is one number again and again."""
    return bool((rows.amax(-1) == rows.amin(-1)).any())
