"""Masks to draw from a rule in words, and what is wrong with a mask that was drawn.

Axes: T tokens, the same down as queries and across as keys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from model.calculator.exercises import check_set
from model.calculator.practice import Checked
from model.calculator.slips import Slip
from model.errors import Sentence
from model.transformer.attention import causal_mask, padding_mask
from model.transformer.masks import dilated_window, sliding_window, with_global

ALLOWED, HIDDEN = "1", "0"
"""What stands in a cell; one that was left empty hides its key."""

_STREAM = 20  # of random numbers: those of the numeric exercises are lower


@dataclass(frozen=True)
class Rule:
    """A part of what a mask is to do: what it hides is hidden, whatever the others say.

    Attributes:
        said: In words.
        allowed: Boolean (T, T).
    """

    said: Sentence
    allowed: Tensor


@dataclass(frozen=True)
class MaskExercise:
    """A mask to draw.

    Attributes:
        rules: All of them hold.
    """

    rules: tuple[Rule, ...]

    def true(self) -> Tensor:
        """The right mask, True where attention is allowed, (T, T)."""
        return _all(self.rules)


def mask_exercises(seed: int, level: int) -> tuple[MaskExercise, ...]:
    """Five masks, drawn at random.

    Args:
        seed: As that of :func:`model.calculator.exercises.exercises`.
        level: 1: four or five tokens, one rule mostly. 2: five or six tokens. 3: seven or eight
            tokens, two or three rules at once.

    Raises:
        HeadlightError: If there is no such seed or level.
    """
    check_set(seed, level)
    return tuple(
        _drawn(np.random.default_rng([seed, level, _STREAM + which]), level, makers)
        for which, makers in enumerate(_MAKERS[level])
    )


def check_mask(exercise: MaskExercise, cells: Sequence[Sequence[str]]) -> Checked:
    """Compare a mask with the right one, cell by cell.

    Args:
        exercise: Whose rules it should follow.
        cells: (T, T), :data:`ALLOWED` where a query may see a key.
    """
    true = exercise.true()
    drawn = torch.tensor([[cell == ALLOWED for cell in row] for row in cells])
    wrong = drawn != true
    return Checked(
        marks={"mask": [["wrong" if cell else "right" for cell in row] for row in wrong.tolist()]},
        slip=_slip(exercise, drawn, wrong) if wrong.any() else None,
        unasked=(),
        right=int((~wrong).sum()),
        total=true.numel(),
    )


def _slip(exercise: MaskExercise, drawn: Tensor, wrong: Tensor) -> Slip:
    """The first wrong cell, the rule it breaks, and what was probably done."""
    query, key = wrong.nonzero()[0].tolist()
    broken = [rule for rule in exercise.rules if not rule.allowed[query, key]]
    said = (
        broken[0].said
        if broken
        else Sentence("No rule hides key {key} from query {query}.", query=query, key=key)
    )
    return Slip("mask", query, key, rule=said, guess=_guess(exercise, drawn))


def _guess(exercise: MaskExercise, drawn: Tensor) -> Sentence | None:
    true = exercise.true()
    itself = torch.eye(len(true), dtype=torch.bool)
    ways = [
        (Sentence("It looks as if what is hidden and what is allowed changed places."), ~true),
        (Sentence("It looks as if queries and keys changed places: queries go down."), true.T),
        (Sentence("It looks as if no query may see itself."), true & ~itself),
    ]
    for left_out in exercise.rules:
        rest = [rule for rule in exercise.rules if rule is not left_out]
        said = Sentence("It looks as if one rule was left out.")
        ways.append((said, _all(rest) if rest else torch.ones_like(true)))
    for said, way in ways:
        if way.equal(drawn):
            return said
    return None


def _all(rules: Sequence[Rule]) -> Tensor:
    return reduce(torch.logical_and, [rule.allowed for rule in rules])


# -- the rules -------------------------------------------------------------------------------------

_Maker = Callable[[np.random.Generator, int], Rule]


def _drawn(rng: np.random.Generator, level: int, makers: Sequence[_Maker]) -> MaskExercise:
    low, high = {1: (4, 5), 2: (5, 6), 3: (7, 8)}[level]
    while True:
        n_tokens = int(rng.integers(low, high, endpoint=True))
        exercise = MaskExercise(tuple(make(rng, n_tokens) for make in makers))
        if _worth_drawing(exercise):
            return exercise


def _worth_drawing(exercise: MaskExercise) -> bool:
    """Whether every query keeps a key, and every rule hides something that no other does."""
    rules, true = exercise.rules, exercise.true()
    rests = [[rule for rule in rules if rule is not one] for one in rules]
    return bool(true.any(-1).all() and not true.all()) and not any(
        rest and _all(rest).equal(true) for rest in rests
    )


def _causal(rng: np.random.Generator, n_tokens: int) -> Rule:
    said = Sentence("Causal: no query sees a key that comes after it.")
    return Rule(said, causal_mask(n_tokens))


def _padding(rng: np.random.Generator, n_tokens: int) -> Rule:
    real = n_tokens - int(rng.integers(1, n_tokens // 2, endpoint=True))
    said = Sentence(
        "Padding: the tokens from {first} on are padding; no query sees them.", first=real
    )
    return Rule(said, padding_mask(torch.tensor([real]), n_tokens)[0, 0].expand(n_tokens, -1))


def _window(rng: np.random.Generator, n_tokens: int) -> Rule:
    reach = int(rng.integers(1, n_tokens // 2, endpoint=True))
    said = Sentence("Window: a query sees no key that is more than {reach} away.", reach=reach)
    return Rule(said, sliding_window(n_tokens, reach))


def _dilated(rng: np.random.Generator, n_tokens: int) -> Rule:
    said = Sentence("Dilated: a query sees itself and every second key from it, on both sides.")
    return Rule(said, dilated_window(n_tokens, n_tokens, 2))


def _two_texts(rng: np.random.Generator, n_tokens: int) -> Rule:
    second = int(rng.integers(2, n_tokens - 2, endpoint=True))
    text = torch.arange(n_tokens) >= second
    said = Sentence(
        "Two texts in one row: a new one begins at token {second}; neither sees the other.",
        second=second,
    )
    return Rule(said, text[:, None] == text)


def _prefix(rng: np.random.Generator, n_tokens: int) -> Rule:
    length = int(rng.integers(2, n_tokens // 2, endpoint=True))
    said = Sentence(
        "Prefix: every query sees the keys before {length}; from key {length} on, no query sees a "
        "key that comes after it.",
        length=length,
    )
    return Rule(said, causal_mask(n_tokens) | (torch.arange(n_tokens) < length))


def _global(rng: np.random.Generator, n_tokens: int) -> Rule:
    said = Sentence(
        "Global: token 0 sees every key and is seen by every query; the others see no key that is "
        "more than 1 away."
    )
    return Rule(said, with_global(sliding_window(n_tokens, 1), 1))


_MAKERS: dict[int, tuple[tuple[_Maker, ...], ...]] = {
    1: ((_causal,), (_padding,), (_window,), (_causal, _padding), (_two_texts,)),
    2: ((_causal, _window), (_prefix,), (_causal, _two_texts), (_global,), (_dilated, _padding)),
    3: (
        (_causal, _window, _padding),
        (_causal, _two_texts, _padding),
        (_prefix, _padding),
        (_global, _padding),
        (_causal, _dilated, _two_texts),
    ),
}
