"""Sampling distribution of the next token: temperature, top-k, top-p. V is vocab_size."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from model.errors import HeadlightError, check_least, check_range

FEW = 64
"""Number of tokens that top-p examines first; nearly always they are enough."""


@dataclass(frozen=True)
class Sampling:
    """How to choose the next token; the default is greedy, the most probable token.

    Attributes:
        temperature: Divisor of the logits: below 1 sharpens, above 1 flattens, 0 is greedy.
        top_k: Keep this many of the most probable tokens (Fan et al. 2018, "Hierarchical Neural
            Story Generation", section 5); None: all.
        top_p: Keep the fewest most probable tokens whose probabilities sum to at least this
            (Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", section 3.1);
            None: all.
        seed: Seed of the draws, from 0 to 2^63 - 1.

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
                "The temperature must be a number of at least 0, not {value}.",
                value=self.temperature,
            )
        check_least("top_k", self.top_k)
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise HeadlightError(
                "top_p must be above 0 and at most 1, not {value}.", value=self.top_p
            )
        check_range("seed", self.seed, 0, 2**63 - 1)


def sampling_distribution(logits: Tensor, sampling: Sampling) -> Tensor:
    """Compute the probabilities with which the next token is drawn, (V,), float64, sum 1.

    Temperature comes first (0: a 1 at the most probable token), then top-k, then top-p of the
    tokens that top-k keeps. Among equal probabilities, smaller ids come first.
    """
    if sampling.temperature == 0:  # top-k and top-p always keep the most probable token
        return torch.zeros_like(logits, dtype=torch.float64).index_fill(0, logits.argmax(), 1)
    scores = logits.double()
    # Subtract the largest first, so that a tiny temperature gives no infinite score.
    probabilities = ((scores - scores.max()) / sampling.temperature).softmax(dim=0)  # (V,)
    if sampling.top_k is None and sampling.top_p in (None, 1):
        return probabilities
    ids = _kept_ids(scores, probabilities, sampling)
    chosen = probabilities[ids]
    return torch.zeros_like(probabilities).scatter(0, ids, chosen / chosen.sum())


def _kept_ids(scores: Tensor, probabilities: Tensor, sampling: Sampling) -> Tensor:
    """Ids of the tokens that top-k and top-p keep, most probable first."""
    top_p = 1 if sampling.top_p is None else sampling.top_p
    if sampling.top_k is None:
        ids = _largest(scores, FEW)
        while len(ids) < len(scores) and probabilities[ids].cumsum(dim=0)[-1] < top_p:
            ids = _largest(scores, FEW * len(ids))
        left = probabilities[ids]
    else:
        ids = _largest(scores, sampling.top_k)
        left = probabilities[ids] / probabilities[ids].sum()
    before = left.cumsum(dim=0) - left  # probability of all more probable tokens
    return ids if top_p == 1 else ids[before < top_p]


def draw(probabilities: Tensor, generator: torch.Generator) -> int:
    """Draw a token id from probabilities (V,)."""
    # Inverse transform sampling: tokens of probability 0 are never drawn. torch.multinomial would
    # use one random number for each of 50,000 tokens.
    cumulative = probabilities.cumsum(dim=0)
    place = torch.rand(1, dtype=cumulative.dtype, generator=generator) * cumulative[-1]
    return int(torch.searchsorted(cumulative, place, right=True))


def most_probable(probabilities: Tensor, n: int) -> tuple[tuple[int, float], ...]:
    """Pairs (token id, probability), most probable first, except tokens of probability 0."""
    ids = _largest(probabilities, min(n, int(probabilities.count_nonzero())))
    return tuple(zip(ids.tolist(), probabilities[ids].tolist(), strict=True))


def _largest(values: Tensor, n: int) -> Tensor:
    """Indices of the n largest of (V,), largest first; ties in ascending order of index."""
    # topk is faster than sorting a vocabulary of 50,000, but does not order ties.
    least = values.topk(min(n, len(values))).values[-1]
    places = (values >= least).nonzero()[:, 0]
    return places[values[places].argsort(descending=True, stable=True)[:n]]
