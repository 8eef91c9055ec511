"""The kinds of exercise a set may hold: numbers to work out, masks to draw, mistakes to name."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, cast

from model.calculator.exercises import STEPS, Asked, Exercise, Step, exercises
from model.calculator.mask_exercises import MaskExercise, check_mask, mask_exercises
from model.calculator.mistake_exercises import MistakeExercise, check_mistake, mistake_exercises
from model.calculator.practice import Checked, check
from pages.calculator.grid_text import Cells

Kind = Literal["numbers", "mask", "mistake"]
AnyExercise = Exercise | MaskExercise | MistakeExercise
Given = Mapping[Asked, Cells]


class Key(NamedTuple):
    """Which exercise: of what set, and of what kind."""

    seed: int
    level: int
    number: int
    kind: Kind = "numbers"

    @property
    def set_name(self) -> str:
        """Of its set in the browser's storage; that of numbers is older than the others."""
        return ".".join(
            [str(self.seed), str(self.level), *([self.kind] if self.kind != "numbers" else [])]
        )

    def whole_set(self) -> tuple[AnyExercise, ...]:
        """All exercises of its set."""
        if self.kind == "mask":
            return mask_exercises(self.seed, self.level)
        if self.kind == "mistake":
            return mistake_exercises(self.seed, self.level)
        return exercises(self.seed, self.level)


class Asking(NamedTuple):
    """What is asked of a set, and how exactly."""

    asked: Asked
    decimals: int


def kind_of(asked: Asked) -> Kind:
    """Steps are asked of the same exercises; masks and mistakes of others."""
    return asked if asked in ("mask", "mistake") else "numbers"


def sizes(exercise: AnyExercise) -> dict[Asked, tuple[int, int]]:
    """Rows and columns of what can be filled in, by what is asked."""
    if isinstance(exercise, MaskExercise):
        n_tokens = len(exercise.true())
        return {"mask": (n_tokens, n_tokens)}
    if isinstance(exercise, MistakeExercise):
        return {"mistake": (1, 1)}
    rows, keys, d_v = len(exercise.q), len(exercise.k), exercise.v.shape[1]
    return {step: (rows, d_v if step == "context" else keys) for step in STEPS}


def worth(exercise: AnyExercise, given: Given, asked: Asked, decimals: int) -> Checked:
    """What became of the answers to an exercise."""
    if isinstance(exercise, MaskExercise):
        return check_mask(exercise, given["mask"])
    if isinstance(exercise, MistakeExercise):
        return check_mistake(exercise, given["mistake"][0][0])
    steps = {step: given[step] for step in STEPS if step in given}
    return check(exercise, steps, cast(Step, asked), decimals)
