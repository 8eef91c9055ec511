"""Which mistake is this? A calculation with one of the classic mistakes in it, to be told by it.

Axes: Tq queries, Tk keys, Kv d_v of the values.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from model.calculator.exercises import Exercise, check_set, generated
from model.calculator.mistakes import MISTAKES, Mistake, mistake
from model.calculator.practice import Checked
from model.calculator.settings import Settings

_STREAM = 30  # of random numbers: those of the other exercises are lower
_APART = 0.02  # by less, two mistakes are not told apart at two decimals


@dataclass(frozen=True)
class MistakeExercise:
    """A head that was worked out wrongly.

    Attributes:
        exercise: What was to be worked out; it has a mask.
        made: Of ``MISTAKES``, the one that was made.
    """

    exercise: Exercise
    made: str

    def with_mistake(self, name: str) -> Mistake:
        """What the calculation comes to with any of the mistakes."""
        return mistake(name, self.exercise.calculation())


@lru_cache(maxsize=64)
def mistake_exercises(seed: int, level: int) -> tuple[MistakeExercise, ...]:
    """Five calculations, drawn at random; no mistake is made more than twice.

    Args:
        seed: As that of :func:`model.calculator.exercises.exercises`.
        level: 1: two tokens. 2: three. 3: three or four, negative numbers, two padding masks.

    Raises:
        HeadlightError: If there is no such seed or level.
    """
    check_set(seed, level)
    order = np.random.default_rng([seed, level, _STREAM]).permutation([*MISTAKES, *MISTAKES])
    return tuple(
        _drawn(np.random.default_rng([seed, level, _STREAM + 1 + which]), level, which, made)
        for which, made in enumerate(order[:5].tolist())
    )


def check_mistake(exercise: MistakeExercise, said: str) -> Checked:
    """Whether it is the mistake that was made."""
    right = said == exercise.made
    return Checked(
        marks={"mistake": [["right" if right else "wrong" if said else "empty"]]},
        slip=None,
        unasked=(),
        right=int(right),
        total=1,
    )


def _drawn(rng: np.random.Generator, level: int, which: int, made: str) -> MistakeExercise:
    settings = Settings(mask="padding" if level == 3 and which % 2 else "causal")
    while True:
        exercise = MistakeExercise(generated(rng, level, settings), made)
        if _told_apart(exercise):
            return exercise


def _told_apart(exercise: MistakeExercise) -> bool:
    """Whether the weights tell which mistake was made, and that one was."""
    ways = [exercise.with_mistake(name).weights for name in MISTAKES]
    ways.append(exercise.exercise.calculation().steps.weights)
    # nan is like nothing else: no weight is -1
    numbers = [way.nan_to_num(-1.0) for way in ways]
    return all(bool(((a - b).abs() > _APART).any()) for a, b in combinations(numbers, 2))
