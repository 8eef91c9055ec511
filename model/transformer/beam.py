"""Beam search: several texts are extended in parallel, and each step keeps the best ones.

Axes: B unfinished hypotheses, T tokens, V vocab_size.
"""

from collections.abc import Container, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import torch
from torch import Tensor

from model.errors import check_range
from model.transformer.generation import Ending, Limits, Predictor, Token, check_token

LENGTH_PENALTY = 0.6
"""Vaswani et al. 2017, section 6.1: "a beam size of 4 and length penalty alpha = 0.6"."""

MOST_BEAMS = 64
"""Upper limit on beams. Each beam costs as much as greedy search and is kept for every step."""

NO_ROW = -1
"""Row of a finished hypothesis, which is not in the batch."""


@dataclass(frozen=True)
class Hypothesis(Generic[Token]):
    """A text that beam search may return.

    Attributes:
        tokens: The generated tokens without the prompt: ids, or names in the catalogue.
        log_probabilities: Of each token given the tokens before it, in nats.
        score: Sum of the log-probabilities divided by :func:`length_penalty`. Ranks hypotheses.
    """

    tokens: tuple[Token, ...]
    log_probabilities: tuple[float, ...]
    score: float
    finished: bool
    text: str = ""

    @property
    def log_probability(self) -> float:
        """Log-probability of the whole text, in nats."""
        return sum(self.log_probabilities)


@dataclass(frozen=True)
class BeamStep(Generic[Token]):
    """The best hypotheses after one more token, and the next best, at most ``beams`` each."""

    kept: tuple[Hypothesis[Token], ...]
    dropped: tuple[Hypothesis[Token], ...]


def length_penalty(n_tokens: int, alpha: float) -> float:
    """Compute the divisor of a text's log-probability, ((5 + n) / 6)^alpha.

    Without it, short texts would win (Wu et al. 2016, "Google's Neural Machine Translation System",
    eq. 14).
    """
    return ((5 + n_tokens) / 6) ** alpha


def beam_search(
    predictor: Predictor,
    prompt: Sequence[int],
    limits: Limits,
    beams: int = 4,
    alpha: float = LENGTH_PENALTY,
    forced: Mapping[int, int] | None = None,
) -> Generator[BeamStep[int], None, Ending]:
    """Search for the text with the highest score: ``kept[0]`` of the last step.

    One beam is greedy search. With a beam for every possible text, the search is exhaustive.

    Args:
        alpha: Exponent of :func:`length_penalty`; 0 ranks by log-probability.
        forced: The token of every hypothesis at a step, by step from 0. A hypothesis that ended
            before a forced step is dropped.

    Returns:
        Why the search ended.

    Raises:
        HeadlightError: If the number of beams is out of range, the prompt leaves no room, or a
            forced token is not in the vocabulary.
    """
    check_range("beams", beams, 1, MOST_BEAMS)
    forced, cache = forced or {}, predictor.new_cache()
    kept = [Hypothesis[int]((), (), 0.0, finished=False)]
    unread = torch.tensor([prompt])  # (1, T)
    n_available = limits.available(predictor, len(prompt))
    for number in range(n_available):
        if limits.stop():
            return "stopped"
        log_p = predictor.next_logits(unread, cache).double().log_softmax(dim=-1)  # (B, V)
        unfinished = [hypothesis for hypothesis in kept if not hypothesis.finished]
        pool = _extend(unfinished, log_p, 2 * beams, alpha, limits.ends, forced.get(number))
        if number not in forced:
            pool += [(hypothesis, NO_ROW) for hypothesis in kept if hypothesis.finished]
        pool.sort(key=lambda entry: -entry[0].score)  # stable: ties keep their order
        kept = [hypothesis for hypothesis, _ in pool[:beams]]
        yield BeamStep(tuple(kept), tuple(h for h, _ in pool[beams : 2 * beams]))
        rows = torch.tensor([row for h, row in pool[:beams] if not h.finished], dtype=torch.long)
        if not len(rows):
            return "end"
        written = torch.tensor([h.tokens for h in kept if not h.finished])  # (B, steps so far)
        if cache is None:
            # (1, T) -> (B, T) -> (B, T + steps so far)
            unread = torch.cat((torch.tensor([prompt]).expand(len(rows), -1), written), dim=1)
        else:
            cache.select(rows)
            unread = written[:, -1:]  # (B, 1)
    return limits.ending(n_available)


def _extend(
    unfinished: list[Hypothesis[int]],
    log_p: Tensor,
    n: int,
    alpha: float,
    ends: Container[int],
    forced: int | None,
) -> list[tuple[Hypothesis[int], int]]:
    """Extend hypotheses by one token: the n best, each with its row in the batch."""
    vocab_size = log_p.shape[1]
    sums = log_p + log_p.new_tensor([h.log_probability for h in unfinished])[:, None]  # (B, V)
    if forced is not None:
        others = torch.arange(vocab_size) != check_token(forced, vocab_size)
        sums = sums.masked_fill(others, -torch.inf)
    best, where = sums.flatten().sort(descending=True, stable=True)  # (B, V) -> (B * V,)
    penalty = length_penalty(len(unfinished[0].tokens) + 1, alpha)
    pool = []
    for total, place in zip(best[:n].tolist(), where[:n].tolist(), strict=True):
        row, token = divmod(place, vocab_size)
        if forced is not None and token != forced:
            break
        longer = Hypothesis(
            (*unfinished[row].tokens, token),
            (*unfinished[row].log_probabilities, log_p[row, token].item()),
            total / penalty,
            finished=token in ends,
        )
        pool.append((longer, row))
    return pool
