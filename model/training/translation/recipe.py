"""What the training of a translator computes, and how far it has come."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what a run computes.

    Attributes:
        task: What is learned: "phrases" or "dates".
        steps: Of the whole run: the learning rate falls to 0 over them.
        batch: Examples a step.
        seed: Of the weights, the dropout, and the examples: no two steps draw the same ones.
        lr: Peak learning rate.
        warm_up: Steps until it is reached.
        weight_decay: AdamW's.
        clip: Largest norm of the gradient.
        forget: Share of the target tokens that are read as unknown (Bowman et al. 2016, "Generating
            Sentences from a Continuous Space", section 3.1): what was written so far is no sure
            guide any more, and the source has to be looked at for every word.
    """

    task: str
    steps: int
    batch: int = 128
    seed: int = 0
    lr: float = 2e-3
    warm_up: int = 200
    weight_decay: float = 0.01
    clip: float = 1.0
    forget: float = 0.0

    def rate(self, step: int) -> float:
        """The learning rate of a step: up in a line, down along a cosine."""
        if step < self.warm_up:
            return self.lr * (step + 1) / self.warm_up
        done = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.lr * (1 + math.cos(math.pi * done)) / 2


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        step: Steps done.
        seconds: Spent training, over all sessions.
    """

    step: int = 0
    seconds: float = 0.0
