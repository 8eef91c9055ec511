"""From logits to the probabilities that a token is drawn with: temperature, top-k, top-p.

Axes: V vocab_size.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from model.errors import HeadlightError

FEW = 64
"""Tokens among which top-p is looked for at first: nearly always they have it."""


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
    scores = logits.double()
    # Less the largest first: a tiny temperature must not make it infinite.
    probabilities = ((scores - scores.max()) / sampling.temperature).softmax(dim=0)  # (V,)
    if sampling.top_k is None and sampling.top_p in (None, 1):
        return probabilities
    ids = _kept(scores, probabilities, sampling)
    kept = probabilities[ids]
    return torch.zeros_like(probabilities).scatter(0, ids, kept / kept.sum())


def _kept(scores: Tensor, probabilities: Tensor, sampling: Sampling) -> Tensor:
    """Ids of the tokens that top-k and top-p leave, most probable first."""
    top_p = 1 if sampling.top_p is None else sampling.top_p
    if sampling.top_k is None:
        ids = _largest(scores, FEW)
        while len(ids) < len(scores) and probabilities[ids].cumsum(dim=0)[-1] < top_p:
            ids = _largest(scores, FEW * len(ids))
        left = probabilities[ids]
    else:
        ids = _largest(scores, sampling.top_k)
        left = probabilities[ids] / probabilities[ids].sum()
    before = left.cumsum(dim=0) - left  # of all that are more probable
    return ids if top_p == 1 else ids[before < top_p]


def draw(probabilities: Tensor, generator: torch.Generator) -> int:
    """One token id, drawn with these probabilities (V,)."""
    # One random number falls into the tokens' shares of a line; a share of 0 is never met. torch's
    # multinomial asks for a random number for each of 50,000 tokens.
    line = probabilities.cumsum(dim=0)
    place = torch.rand(1, dtype=line.dtype, generator=generator) * line[-1]
    return int(torch.searchsorted(line, place, right=True))


def most_probable(probabilities: Tensor, n: int) -> tuple[tuple[int, float], ...]:
    """The first n (token id, probability) of (V,), most probable first, without those of 0."""
    ids = _largest(probabilities, min(n, int(probabilities.count_nonzero())))
    return tuple(zip(ids.tolist(), probabilities[ids].tolist(), strict=True))


def _largest(values: Tensor, n: int) -> Tensor:
    """Places of the n largest of (V,), the largest first; among equals the smaller place first."""
    # No vocabulary of 50,000 is sorted for its first ten.
    least = values.topk(min(n, len(values))).values[-1]
    places = (values >= least).nonzero()[:, 0]
    return places[values[places].argsort(descending=True, stable=True)[:n]]
