"""Recipes of training runs."""

import math
from dataclasses import dataclass, field

from training.encoder.corpus import Packing


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Hyperparameters that every run has; ``seed`` determines all of its random numbers."""

    seed: int = 0
    lr: float
    warm_up: int = 200
    weight_decay: float = 0.01
    clip: float = 1.0


@dataclass(frozen=True, kw_only=True)
class EncoderRecipe(Recipe):
    """Hyperparameters of an encoder's run.

    Attributes:
        first: First step: 0, or the last step of the weights that the run continues from.
        cooldown: Steps at the end over which the learning rate, constant before, falls to 5 %.
        mask_share: Share of tokens to predict. It falls by half in the cooldown (Ankner et al.
            2024, "Dynamic Masking Rate Schedules for MLM Pretraining").
        short_steps: Steps on short sequences at the start, where positions are learned soonest.
        common: Number of the most frequent tokens in every sampled softmax; 0: all tokens.
    """

    first: int = 0
    lr: float = 1e-3
    cooldown: int = 4_000
    mask_share: float = 0.3
    short_steps: int = 1_000
    short: Packing = field(default_factory=lambda: Packing(shortest=6, longest=24))
    long: Packing = field(default_factory=Packing)
    common: int = 2_000
    negatives: int = 2_048

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step of a run of ``steps`` steps."""
        up = min(1.0, (step - self.first + 1) / self.warm_up)
        return self.lr * up * max(0.05, self._left(step, steps))

    def masked(self, step: int, steps: int) -> float:
        """The share of masked tokens of a step of a run of ``steps`` steps."""
        return self.mask_share * max(0.5, self._left(step, steps))

    def _left(self, step: int, steps: int) -> float:
        """1 before the cooldown, then falling to 0 at its end."""
        return min(1.0, (steps - step) / self.cooldown) if self.cooldown else 1.0


@dataclass(frozen=True, kw_only=True)
class TranslatorRecipe(Recipe):
    """Hyperparameters of a translator's run.

    Attributes:
        steps: Number of steps, over which the learning rate falls to 0.
        forget: Share of target tokens replaced with <unk> in the decoder's input (Bowman et al.
            2016, "Generating Sentences from a Continuous Space", section 3.1), so that it reads the
            source.
    """

    task: str
    steps: int
    batch: int = 128
    lr: float = 2e-3
    forget: float = 0.0

    def rate(self, step: int) -> float:
        """The learning rate of a step: a linear warm-up, then a cosine decay."""
        if step < self.warm_up:
            return self.lr * (step + 1) / self.warm_up
        done = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.lr * (1 + math.cos(math.pi * done)) / 2
