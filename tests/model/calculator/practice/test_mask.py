"""Mask exercises: rules compared with masks built by hand, and the check of an answer."""

import pytest
import torch

from model import HeadlightError
from model.calculator.practice.exercise import LEVELS, Assignment
from model.calculator.practice.mask import MaskExercise, mask_exercises


def check(exercise: MaskExercise, mask: torch.Tensor):
    return exercise.check(drawn(mask), Assignment("mask", 4))


def drawn(mask: torch.Tensor) -> list[list[str]]:
    return [["1" if cell else "" for cell in row] for row in mask.tolist()]


def by_hand(exercise: MaskExercise) -> torch.Tensor:
    """The mask, built cell by cell from the text of each rule."""
    n_tokens = len(exercise.true())
    sees = {
        "Causal": lambda q, k, _: k <= q,
        "Padding": lambda q, k, v: k < v["first"],
        "Window": lambda q, k, v: abs(q - k) <= v["reach"],
        "Dilated": lambda q, k, _: (q - k) % 2 == 0,
        "Two texts": lambda q, k, v: (q < v["second"]) == (k < v["second"]),
        "Prefix": lambda q, k, v: k < v["length"] or k <= q,
        "Global": lambda q, k, _: q == 0 or k == 0 or abs(q - k) <= 1,
    }
    rules = [(sees[rule.text.message.split(":")[0]], rule.text.values) for rule in exercise.rules]
    return torch.tensor(
        [[all(f(q, k, v) for f, v in rules) for k in range(n_tokens)] for q in range(n_tokens)]
    )


@pytest.mark.parametrize("level", LEVELS)
def test_every_mask_follows_its_rules(level):
    for seed in range(20):
        exercises = mask_exercises(seed, level)
        assert len(exercises) == 5
        for exercise in exercises:
            true = exercise.true()
            assert true.equal(by_hand(exercise))
            assert true.any(-1).all()  # every query sees a key
            assert check(exercise, true).complete


def test_equal_seeds_draw_equal_masks_and_others_different_ones():
    texts = [[str(r.text) for e in mask_exercises(seed, 2) for r in e.rules] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    with pytest.raises(HeadlightError, match="level"):
        mask_exercises(1, 4)


def test_an_empty_cell_hides_its_key():
    causal, window = mask_exercises(1, 2)[0].rules  # 6 tokens, reach 3
    exercise = MaskExercise((causal, window))
    found = check(exercise, causal.allowed)
    assert (found.right, found.total) == (33, 36)  # three cells are beyond the window
    hidden = exercise.true().clone()
    hidden[3, 2] = False
    assert check(exercise, hidden).marks[3] == ["right", "right", "wrong", *["right"] * 3]
