"""Practice: exercises that a person solves by hand, and the check of the answers."""

from model.calculator.practice.exercise import PracticeQuestion
from model.calculator.practice.mask import MaskExercise, mask_exercises
from model.calculator.practice.numeric import NumericExercise, numeric_exercises

__all__ = ["Exercise", "MaskExercise", "exercise_set"]

Exercise = NumericExercise | MaskExercise


def exercise_set(question: PracticeQuestion, seed: int, level: int) -> tuple[Exercise, ...]:
    """Generate the five exercises of a set. Equal seeds give equal exercises anywhere."""
    make = mask_exercises if question == "mask" else numeric_exercises
    return make(seed, level)
