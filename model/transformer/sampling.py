"""From logits to the probabilities that a token is drawn with: temperature, top-k, top-p.

Axes: V vocab_size.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from model.errors import HeadlightError


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen; the default is greedy: always the most probable one.

    Attributes:
        temperature: What the logits are divided by: below 1 sharpens, above 1 flattens, 0 is
            greedy.
        top_k: Only so many of the most probable tokens stay (Fan et al. 2018, "Hierarchical Neural
            Story Generation", section 5); None: all.
        top_p: Only the fewest most probable tokens stay that together have at least this
            probability (Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration",
            section 3.1); None: all.
        seed: Of the draws, from 0 to 2^63 - 1: the same seed writes the same text.

    Raises:
        HeadlightError: If a number is out of its range.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise HeadlightError(
                "The temperature must be a number from 0 up, not {value}.", value=self.temperature
            )
        if self.top_k is not None and self.top_k < 1:
            raise HeadlightError("top_k must be at least 1, not {value}.", value=self.top_k)
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise HeadlightError(
                "top_p must be above 0 and at most 1, not {value}.", value=self.top_p
            )
        if not 0 <= self.seed < 2**63:
            raise HeadlightError(
                "The seed must be a number from 0 to 2^63 - 1, not {value}.", value=self.seed
            )


def sampling_distribution(logits: Tensor, sampling: Sampling) -> Tensor:
    """The probabilities that the next token is drawn with.

    Temperature comes first, then top-k, then top-p of what top-k left; what stays is scaled to sum
    to 1. Among equals the token with the smaller id goes first.

    Args:
        logits: The model's, (V,).
        sampling: How to choose.

    Returns:
        (V,), float64, summing to 1: for temperature 0, a 1 at the most probable token.
    """
    if sampling.temperature == 0:  # whatever is kept, the first is among it
        return torch.zeros_like(logits, dtype=torch.float64).index_fill(0, logits.argmax(), 1)
    ordered, ids = logits.double().sort(descending=True, stable=True)  # (V,) each
    # Less the largest first: a tiny temperature must not make it infinite.
    probabilities = ((ordered - ordered[0]) / sampling.temperature).softmax(dim=0)
    if sampling.top_k is not None:
        probabilities[sampling.top_k :] = 0
        probabilities = probabilities / probabilities.sum()
    if sampling.top_p is not None:
        before = probabilities.cumsum(dim=0) - probabilities  # of all that are more probable
        probabilities[before >= sampling.top_p] = 0
        probabilities = probabilities / probabilities.sum()
    return torch.zeros_like(probabilities).scatter(0, ids, probabilities)


def draw(probabilities: Tensor, generator: torch.Generator) -> int:
    """One token id, drawn with these probabilities (V,)."""
    return int(torch.multinomial(probabilities, 1, generator=generator))


def most_probable(probabilities: Tensor, n: int) -> tuple[tuple[int, float], ...]:
    """The first n (token id, probability) of (V,), most probable first, without those of 0."""
    # No vocabulary of 50,000 is sorted for its first ten. Among equals the smaller id goes first.
    least = probabilities.topk(min(n, len(probabilities))).values[-1]
    ids = ((probabilities >= least) & (probabilities > 0)).nonzero()[:, 0]
    ordered, order = probabilities[ids].sort(descending=True, stable=True)
    return tuple(zip(ids[order][:n].tolist(), ordered[:n].tolist(), strict=True))
