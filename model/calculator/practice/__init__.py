"""Practice: exercises that a person solves by hand, and the check of the answers."""

from collections.abc import Callable

from model.calculator.practice.exercise import Exercise, Kind
from model.calculator.practice.mask import mask_exercises
from model.calculator.practice.mistake import mistake_exercises
from model.calculator.practice.numeric import numeric_exercises

_SETS: dict[Kind, Callable[[int, int], tuple[Exercise, ...]]] = {
    "numbers": numeric_exercises,
    "mask": mask_exercises,
    "mistake": mistake_exercises,
}


def exercise_set(kind: Kind, seed: int, level: int) -> tuple[Exercise, ...]:
    """Generate the five exercises of a set.

    Args:
        kind: What the exercises ask for.
        seed: Whole number from 0 to ``MAX_SEED``. Equal seeds give equal exercises anywhere.
        level: One of ``LEVELS``.

    Raises:
        HeadlightError: If the seed or the level does not exist.
    """
    return _SETS[kind](seed, level)
