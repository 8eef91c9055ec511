"""Beam search: several texts are written side by side, and the best ones kept at each step.

Axes: B hypotheses that go on, T tokens, V vocab_size.
"""

from collections.abc import Container, Generator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model.errors import HeadlightError
from model.transformer.generation import Ending, Limits, Predictor, check_token

LENGTH_PENALTY = 0.6
"""Vaswani et al. 2017, section 6.1: "a beam size of 4 and length penalty alpha = 0.6"."""

MOST_BEAMS = 64
"""Side by side: each costs as much as writing greedily, and is kept for every step."""


@dataclass(frozen=True)
class Hypothesis:
    """A text that may become the result.

    Attributes:
        tokens: What was written, without the prompt.
        log_probabilities: That the model gave each of them after those before, natural logarithm.
        score: Their sum over the length penalty: what hypotheses are ranked by.
        finished: Whether the model ended it.
    """

    tokens: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    score: float
    finished: bool

    @property
    def log_probability(self) -> float:
        """Of the whole text, in nats."""
        return sum(self.log_probabilities)


@dataclass(frozen=True)
class BeamStep:
    """The choice among hypotheses after one more token.

    Attributes:
        kept: The best, at most as many as there are beams, best first. Finished ones compete with
            those that go on.
        dropped: The next best, at most as many again, best first.
    """

    kept: tuple[Hypothesis, ...]
    dropped: tuple[Hypothesis, ...]


def length_penalty(n_tokens: int, alpha: float) -> float:
    """What the log-probability of a text is divided by: ((5 + n) / 6)^alpha.

    Each further token can only lower the sum; without it, short texts win (Wu et al. 2016,
    "Google's Neural Machine Translation System", eq. 14).
    """
    return ((5 + n_tokens) / 6) ** alpha


def beam_search(
    predictor: Predictor,
    prompt: Sequence[int],
    limits: Limits,
    beams: int = 4,
    alpha: float = LENGTH_PENALTY,
    forced: Mapping[int, int] | None = None,
) -> Generator[BeamStep, None, Ending]:
    """Search for the text of the highest score, and hand out each step as it is made.

    The result is ``kept[0]`` of the last step. One beam is greedy search; with as many beams as
    there are texts, the search is exhaustive.

    Args:
        predictor: The model.
        prompt: Token ids that are there already, at least one.
        limits: When to end; a search also ends when all that it keeps is finished.
        beams: How many hypotheses are kept.
        alpha: Of :func:`length_penalty`; 0: the log-probability alone.
        forced: By step, counted from 0, the token that every hypothesis has there. One that ended
            before falls out.

    Yields:
        The steps.

    Returns:
        Why it ended.

    Raises:
        HeadlightError: If there is no room, no beam or too many, or a forced token is not in the
            vocabulary.
    """
    if not 1 <= beams <= MOST_BEAMS:
        raise HeadlightError(
            "Beam search keeps 1 to {most} hypotheses, not {value}.", most=MOST_BEAMS, value=beams
        )
    forced, cache = forced or {}, predictor.new_cache()
    kept = [Hypothesis((), (), 0.0, finished=False)]
    unread = torch.tensor([prompt])  # (1, T)
    room = limits.room(predictor, len(prompt))
    for number in range(room):
        if limits.stop():
            return "stopped"
        log_p = predictor.next_logits(unread, cache).double().log_softmax(dim=-1)  # (B, V)
        alive = [hypothesis for hypothesis in kept if not hypothesis.finished]
        pool = _expanded(alive, log_p, 2 * beams, alpha, limits.ends, forced.get(number))
        if number not in forced:
            pool += [(hypothesis, -1) for hypothesis in kept if hypothesis.finished]
        pool.sort(key=lambda candidate: -candidate[0].score)  # stable: equals stay as they came
        kept = [hypothesis for hypothesis, _ in pool[:beams]]
        yield BeamStep(tuple(kept), tuple(h for h, _ in pool[beams : 2 * beams]))
        rows = torch.tensor([row for h, row in pool[:beams] if not h.finished], dtype=torch.long)
        if not len(rows):
            return "end"
        written = torch.tensor([h.tokens for h in kept if not h.finished])  # (B, steps so far)
        if cache is None:
            unread = torch.cat((torch.tensor([prompt]).expand(len(rows), -1), written), dim=1)
        else:
            cache.select(rows)
            unread = written[:, -1:]  # (B, 1)
    return limits.reached(room)


def _expanded(
    alive: list[Hypothesis],
    log_p: Tensor,
    n: int,
    alpha: float,
    ends: Container[int],
    forced: int | None,
) -> list[tuple[Hypothesis, int]]:
    """The n best hypotheses that are one token longer, each with its row in the batch."""
    vocab_size = log_p.shape[1]
    sums = log_p + log_p.new_tensor([h.log_probability for h in alive])[:, None]  # (B, V)
    if forced is not None:
        others = torch.arange(vocab_size) != check_token(forced, vocab_size)
        sums = sums.masked_fill(others, -torch.inf)
    best, where = sums.flatten().sort(descending=True, stable=True)  # (B * V,)
    penalty = length_penalty(len(alive[0].tokens) + 1, alpha)
    pool = []
    for total, place in zip(best[:n].tolist(), where[:n].tolist(), strict=True):
        row, token = divmod(place, vocab_size)
        if forced is not None and token != forced:
            break
        longer = Hypothesis(
            (*alive[row].tokens, token),
            (*alive[row].log_probabilities, log_p[row, token].item()),
            total / penalty,
            finished=token in ends,
        )
        pool.append((longer, row))
    return pool
