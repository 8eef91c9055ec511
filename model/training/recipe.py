"""What a training run computes, and how far it has come."""

from dataclasses import dataclass, field

from model.training.corpus import Packing


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what a run computes.

    Attributes:
        seed: Of the weights, the order of the text, and the masks.
        first: The step it begins with: 0, or where the weights that it goes on from were left.
        lr: Peak learning rate.
        warm_up: Steps from there until it is reached.
        cooldown: Steps over which it falls to 5 % at the end. Between the two it stays: a run can
            go on for as long as there is time, and be brought down whenever it has to end.
        weight_decay: AdamW's.
        clip: Largest norm of the gradient.
        mask_share: Of the tokens, how many are predicted; falls to half of it in the cooldown
            (Ankner et al. 2024, "Dynamic Masking Rate Schedules for MLM Pretraining").
        short_steps: Steps on short sequences first: positions are learned there sooner, and
            nothing else is learned before them.
        short: Packing of those.
        long: Packing of the others.
        common: How many of the most frequent tokens the softmax always compares; 0 compares all.
        negatives: How many others it draws.
    """

    seed: int = 0
    first: int = 0
    lr: float = 1e-3
    warm_up: int = 200
    cooldown: int = 4_000
    weight_decay: float = 0.01
    clip: float = 1.0
    mask_share: float = 0.3
    short_steps: int = 1_000
    short: Packing = field(default_factory=lambda: Packing(shortest=6, longest=24))
    long: Packing = field(default_factory=Packing)
    common: int = 2_000
    negatives: int = 2_048

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step in a run of that many."""
        up = min(1.0, (step - self.first + 1) / self.warm_up)
        return self.lr * up * max(0.05, self._left(step, steps))

    def masked(self, step: int, steps: int) -> float:
        """The share of masked tokens of a step in a run of that many."""
        return self.mask_share * max(0.5, self._left(step, steps))

    def _left(self, step: int, steps: int) -> float:
        """1 until the cooldown begins, and 0 at its end."""
        return min(1.0, (steps - step) / self.cooldown) if self.cooldown else 1.0


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        step: Steps done.
        tokens: Tokens seen.
        seconds: Spent training, over all sessions.
        epoch: Which pass over the text.
        batch: Which batch of it comes next.
    """

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    batch: int = 0
