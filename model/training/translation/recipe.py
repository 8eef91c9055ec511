"""Recipe and progress of a translator's run."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of a run.

    Attributes:
        task: Name of the task: "phrases" or "dates".
        steps: Number of steps, over which the learning rate falls to 0.
        batch: Examples of a step.
        seed: Seed of the weights, the dropout and the examples.
        lr: Peak learning rate.
        warm_up: Steps up to the peak learning rate.
        weight_decay: Weight decay of AdamW.
        clip: Largest norm of the gradient.
        forget: Share of target tokens replaced with <unk> in the decoder's input (Bowman et al.
            2016, "Generating Sentences from a Continuous Space", section 3.1). The decoder then
            depends on the source for every word.
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
        """The learning rate of a step: a linear warm-up, then a cosine decay.

        Args:
            step: Number of the step.
        """
        if step < self.warm_up:
            return self.lr * (step + 1) / self.warm_up
        done = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.lr * (1 + math.cos(math.pi * done)) / 2


@dataclass
class Progress:
    """Progress of a run.

    Attributes:
        step: Number of finished steps.
        seconds: Training time over all sessions.
    """

    step: int = 0
    seconds: float = 0.0
