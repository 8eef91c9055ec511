"""Masks to draw: what their rules say by hand, and what is said of a wrong one."""

import pytest
import torch

from model import HeadlightError
from model.calculator.exercises import LEVELS
from model.calculator.mask_exercises import MaskExercise, check_mask, mask_exercises


def drawn(mask: torch.Tensor) -> list[list[str]]:
    return [["1" if cell else "" for cell in row] for row in mask.tolist()]


def by_hand(exercise: MaskExercise) -> torch.Tensor:
    """Every rule read from its own sentence, cell by cell."""
    n_tokens = len(exercise.true())
    sees = {
        "Causal": lambda q, k, _: k <= q,
        "Padding": lambda q, k, v: k < v["first"],
        "Window": lambda q, k, v: abs(q - k) <= v["reach"],
        "Dilated": lambda q, k, _: (q - k) % 2 == 0,
        "Two texts in one row": lambda q, k, v: (q < v["second"]) == (k < v["second"]),
        "Prefix": lambda q, k, v: k < v["length"] or k <= q,
        "Global": lambda q, k, _: q == 0 or k == 0 or abs(q - k) <= 1,
    }
    rules = [(sees[rule.said.message.split(":")[0]], rule.said.values) for rule in exercise.rules]
    return torch.tensor(
        [[all(f(q, k, v) for f, v in rules) for k in range(n_tokens)] for q in range(n_tokens)]
    )


@pytest.mark.parametrize("level", LEVELS)
def test_every_mask_is_what_its_rules_say(level):
    for seed in range(40):
        exercises = mask_exercises(seed, level)
        assert len(exercises) == 5
        for exercise in exercises:
            true = exercise.true()
            assert true.equal(by_hand(exercise))
            assert true.any(-1).all()  # no query is left without a key
            assert check_mask(exercise, drawn(true)).complete


def test_a_seed_draws_the_same_masks_and_another_others():
    said = [[str(r.said) for e in mask_exercises(seed, 2) for r in e.rules] for seed in (1, 1, 2)]
    assert said[0] == said[1] != said[2]
    with pytest.raises(HeadlightError, match="level"):
        mask_exercises(1, 4)


def test_a_cell_left_empty_is_hidden_and_the_first_wrong_one_names_the_rule_it_breaks():
    causal, window = (mask_exercises(1, 2)[0].rules[i] for i in (0, 1))  # 6 tokens, reach 3
    exercise = MaskExercise((causal, window))
    too_far = causal.allowed.clone()
    too_far[5, 1] = False  # one of the three beyond the window is right
    found = check_mask(exercise, drawn(too_far))
    assert (found.right, found.total) == (34, 36)
    assert (found.slip.step, found.slip.row, found.slip.column) == ("mask", 4, 0)
    assert found.slip.rule is window.said
    assert found.slip.guess is None
    hidden = exercise.true().clone()
    hidden[3, 2] = False
    found = check_mask(exercise, drawn(hidden))
    assert found.marks["mask"][3] == ["right", "right", "wrong", "right", "right", "right"]
    assert str(found.slip.rule) == "No rule hides key 2 from query 3."


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (lambda mask: ~mask, "changed places"),
        (lambda mask: mask.T, "queries go down"),
        (lambda mask: mask & ~torch.eye(len(mask), dtype=torch.bool), "see itself"),
        (lambda mask: torch.ones_like(mask).tril(), "one rule was left out"),
    ],
)
def test_a_common_slip_of_the_whole_mask_is_recognised(slip, said):
    exercise = mask_exercises(1, 2)[0]
    assert said in str(check_mask(exercise, drawn(slip(exercise.true()))).slip.guess)
