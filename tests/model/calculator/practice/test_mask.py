import pytest
import torch

from model import HeadlightError
from model.calculator.practice.exercise import LEVELS, Assignment
from model.calculator.practice.mask import MaskExercise, mask_exercises


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
            cells = [["1" if cell else "" for cell in row] for row in true.tolist()]
            assert exercise.check(cells, Assignment("mask", 4)).complete


def test_equal_seeds_draw_equal_masks_and_others_different_ones():
    texts = [[str(r.text) for e in mask_exercises(seed, 2) for r in e.rules] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    with pytest.raises(HeadlightError, match="level"):
        mask_exercises(1, 4)
