"""Mask exercises: draw a mask of T tokens, as queries (rows) and as keys (columns), from rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from model.calculator.practice.exercise import (
    AnswerGrid,
    Assignment,
    Checked,
    Mark,
    PracticeQuestion,
    check_set,
)
from model.errors import Sentence
from model.transformer.attention import causal_mask, padding_mask
from model.transformer.masks import sliding_window, with_global

ALLOWED, HIDDEN = "1", "0"
"""Text of a cell. An empty cell hides its key."""

_FIRST_STREAM = 20  # the numeric exercises use lower seeds


@dataclass(frozen=True)
class Rule:
    """A rule in words, and its mask: boolean (T, T), False where it hides a key from a query."""

    text: Sentence
    allowed: Tensor


@dataclass(frozen=True)
class MaskExercise:
    """A mask to draw: a cell is allowed if all rules allow it."""

    rules: tuple[Rule, ...]

    def true(self) -> Tensor:
        """The right mask, True where attention is allowed, (T, T)."""
        return _all(self.rules)

    def title(self, number: int) -> Sentence:
        """Its number in the set, from 1, and its size."""
        return Sentence(
            "Exercise {number}: a mask for {tokens} tokens", number=number, tokens=len(self.true())
        )

    def story(self) -> tuple[Sentence, ...]:
        """The rules."""
        return tuple(rule.text for rule in self.rules)

    def task(self, assignment: Assignment) -> tuple[Sentence, ...]:
        """How to mark the cells; Markdown."""
        return (Sentence("Mark every cell whose **query** (row) may see its **key** (column)."),)

    def given(self, question: PracticeQuestion) -> dict[str, Tensor]:
        """Nothing: the rules are in words."""
        return {}

    def shape(self, question: PracticeQuestion) -> tuple[int, int]:
        """(T, T)."""
        n_tokens = len(self.true())
        return n_tokens, n_tokens

    def check(self, cells: AnswerGrid, assignment: Assignment) -> Checked:
        """Compare a mask (T, T) with the right one; a cell is :data:`ALLOWED` or hides its key."""
        pairs = zip(cells, self.true().tolist(), strict=True)
        return Checked([[_mark(*cell) for cell in zip(*row, strict=True)] for row in pairs])


def _mark(cell: str, allowed: bool) -> Mark:
    return "right" if (cell == ALLOWED) == allowed else "wrong"


def mask_exercises(seed: int, level: int) -> tuple[MaskExercise, ...]:
    """Draw five masks, of 4 or 5 tokens at level 1, 5 or 6 at level 2, and 7 or 8 at level 3."""
    check_set(seed, level)
    return tuple(
        _draw(np.random.default_rng([seed, level, _FIRST_STREAM + place]), level, makers)
        for place, makers in enumerate(_MAKERS[level])
    )


def _all(rules: Sequence[Rule]) -> Tensor:
    return reduce(torch.logical_and, [rule.allowed for rule in rules])


# -- the rules -------------------------------------------------------------------------------------

_Maker = Callable[[np.random.Generator, int], Rule]


def _draw(rng: np.random.Generator, level: int, makers: Sequence[_Maker]) -> MaskExercise:
    low, high = {1: (4, 5), 2: (5, 6), 3: (7, 8)}[level]
    while True:
        n_tokens = int(rng.integers(low, high, endpoint=True))
        exercise = MaskExercise(tuple(make(rng, n_tokens) for make in makers))
        if _needs_every_rule(exercise):
            return exercise


def _needs_every_rule(exercise: MaskExercise) -> bool:
    """Whether every query sees a key, and every rule hides a cell that no other rule hides."""
    rules, true = exercise.rules, exercise.true()
    rests = [[rule for rule in rules if rule is not one] for one in rules]
    return bool(true.any(-1).all() and not true.all()) and not any(
        rest and _all(rest).equal(true) for rest in rests
    )


def _causal(rng: np.random.Generator, n_tokens: int) -> Rule:
    text = Sentence("Causal: no query sees a later key.")
    return Rule(text, causal_mask(n_tokens))


def _padding(rng: np.random.Generator, n_tokens: int) -> Rule:
    real = n_tokens - int(rng.integers(1, n_tokens // 2, endpoint=True))
    text = Sentence("Padding: no query sees the tokens from {first} on.", first=real)
    allowed = padding_mask(torch.tensor([real]), n_tokens)[0, 0]  # (1, 1, 1, T) -> (1, T)
    return Rule(text, allowed.expand(n_tokens, -1))  # (1, T) -> (T, T)


def _window(rng: np.random.Generator, n_tokens: int) -> Rule:
    reach = int(rng.integers(1, n_tokens // 2, endpoint=True))
    text = Sentence("Window: a query sees the keys at most {reach} away.", reach=reach)
    return Rule(text, sliding_window(n_tokens, reach))


def _dilated(rng: np.random.Generator, n_tokens: int) -> Rule:
    text = Sentence("Dilated: a query sees itself and every second key in both directions.")
    positions = torch.arange(n_tokens)
    return Rule(text, (positions - positions[:, None]) % 2 == 0)


def _two_texts(rng: np.random.Generator, n_tokens: int) -> Rule:
    second = int(rng.integers(2, n_tokens - 2, endpoint=True))
    is_second = torch.arange(n_tokens) >= second
    text = Sentence(
        "Two texts: the second begins at token {second}. Neither sees the other.", second=second
    )
    return Rule(text, is_second[:, None] == is_second)  # (T, 1) == (T,) -> (T, T)


def _prefix(rng: np.random.Generator, n_tokens: int) -> Rule:
    length = int(rng.integers(2, n_tokens // 2, endpoint=True))
    text = Sentence(
        "Prefix: every query sees the keys before {length}. From key {length} on, no query sees "
        "a key after itself.",
        length=length,
    )
    return Rule(text, causal_mask(n_tokens) | (torch.arange(n_tokens) < length))


def _global(rng: np.random.Generator, n_tokens: int) -> Rule:
    text = Sentence(
        "Global: token 0 sees every key, and every query sees it. The others see keys at most 1 "
        "away."
    )
    return Rule(text, with_global(sliding_window(n_tokens, 1), 1))


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
