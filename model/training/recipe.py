"""Recipe and progress of an encoder run."""

from dataclasses import dataclass, field

from model.training.corpus import Packing


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of a run.

    Attributes:
        seed: Seed of the weights, the order of the text and the masks.
        first: First step: 0, or the last step of the weights that the run continues from.
        lr: Peak learning rate.
        warm_up: Steps from ``first`` to the peak learning rate.
        cooldown: Steps at the end over which the learning rate falls to 5 %. Before them it is
            constant, so that a run of any length can end with a cooldown.
        weight_decay: Weight decay of AdamW.
        clip: Largest norm of the gradient.
        mask_share: Share of tokens to predict. It falls by half in the cooldown (Ankner et al.
            2024, "Dynamic Masking Rate Schedules for MLM Pretraining").
        short_steps: Steps on short sequences at the start. A model learns positions before
            anything else, and sooner on short sequences.
        short: Packing of the short sequences.
        long: Packing of the other sequences.
        common: Number of the most frequent tokens in every sampled softmax. 0 uses the whole
            vocabulary.
        negatives: Number of other tokens to draw.
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
        """The learning rate of a step.

        Args:
            step: Number of the step.
            steps: Number of steps of the whole run.
        """
        up = min(1.0, (step - self.first + 1) / self.warm_up)
        return self.lr * up * max(0.05, self._left(step, steps))

    def masked(self, step: int, steps: int) -> float:
        """The share of masked tokens of a step.

        Args:
            step: Number of the step.
            steps: Number of steps of the whole run.
        """
        return self.mask_share * max(0.5, self._left(step, steps))

    def _left(self, step: int, steps: int) -> float:
        """1 before the cooldown, then falling to 0 at its end."""
        return min(1.0, (steps - step) / self.cooldown) if self.cooldown else 1.0


@dataclass
class Progress:
    """Progress of a run.

    Attributes:
        step: Number of finished steps.
        tokens: Number of training tokens.
        seconds: Training time over all sessions.
        epoch: Number of the current pass over the text.
        batch: Number of the next batch in this pass.
    """

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    batch: int = 0
