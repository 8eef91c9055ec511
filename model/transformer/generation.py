"""Text generation, token by token, greedily or by sampling, for any :class:`Predictor`.

Axes: B batch, T tokens, Ts source tokens, D d_model, V vocab_size.
"""

from collections.abc import Callable, Container, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import torch
from torch import Tensor

from model.errors import HeadlightError, check_least, check_range
from model.transformer.encoder_decoder import EncoderDecoder
from model.transformer.sampling import Sampling, draw, most_probable, sampling_distribution

Token = TypeVar("Token", int, str)

N_CANDIDATES = 10
"""Alternatives recorded for each step."""

Ending = Literal["end", "limit", "full", "stopped"]
"""Why generation ended: an end token, the requested limit, the model's own limit, or a stop."""


class Cache(Protocol):
    """State of a model between two tokens, such as a key/value cache."""

    def select(self, rows: Tensor) -> None:
        """Select rows of the batch, in their new order. An index may appear twice."""


@dataclass(frozen=True)
class Predictor:
    """A model as generation uses it.

    Attributes:
        next_logits: From token ids (B, T) and a cache to the logits of the next token, (B, V). With
            a cache, the ids are the tokens that are not in it; without one, all tokens.
        new_cache: Makes an empty cache, or returns None for a model without one.
    """

    next_logits: Callable[[Tensor, Any], Tensor]
    new_cache: Callable[[], Cache | None]
    max_len: int


def encoder_decoder_predictor(model: EncoderDecoder, memory: Tensor) -> Predictor:
    """Make a predictor of an encoder-decoder for one encoded source, (1, Ts, D)."""

    @torch.inference_mode()
    def next_logits(token_ids: Tensor, cache: Any) -> Tensor:
        expanded = memory.expand(len(token_ids), -1, -1)  # (1, Ts, D) -> (B, Ts, D)
        return model.decode(token_ids, expanded, cache=cache)[:, -1]  # (B, T, V) -> (B, V)

    return Predictor(next_logits, model.decoder.new_cache, model.decoder.config.max_len)


@dataclass(frozen=True)
class Limits:
    """Conditions that end generation; the first that applies counts.

    Attributes:
        max_new_tokens: Most tokens to generate, at least 1. The ``max_len`` of the model applies
            too.
        ends: Ids of end tokens, of which the first generated one is the last token. Empty: none.
        stop: Called before every token; True stops.
    """

    max_new_tokens: int
    ends: Container[int] = ()
    stop: Callable[[], bool] = bool  # bool() is False

    def __post_init__(self) -> None:
        check_least("max_new_tokens", self.max_new_tokens)

    def available(self, predictor: Predictor, n_prompt: int) -> int:
        """Compute how many tokens can follow a prompt; HeadlightError if there is no room."""
        if not n_prompt:
            raise HeadlightError("There is no token to continue. Type a text.")
        if n_prompt >= predictor.max_len:
            raise HeadlightError(
                "The text has {n_tokens} tokens and the model reads {max_len}, so nothing can "
                "follow. Shorten the text.",
                n_tokens=n_prompt,
                max_len=predictor.max_len,
            )
        return min(self.max_new_tokens, predictor.max_len - n_prompt)

    def ending(self, n_written: int) -> Ending:
        """Name the limit that ended generation."""
        return "limit" if n_written == self.max_new_tokens else "full"


@dataclass(frozen=True)
class GeneratedToken(Generic[Token]):
    """One generated token and its alternatives: token ids, or names in the catalogue.

    Attributes:
        top_k: The model's most probable tokens, (token, probability), most probable first.
        drawn_from: The same of the sampling distribution, after temperature, top-k and top-p. Empty
            in beam search, which draws nothing.
    """

    token: Token
    probability: float
    top_k: tuple[tuple[Token, float], ...]
    drawn_from: tuple[tuple[Token, float], ...]
    forced: bool


GeneratedId = GeneratedToken[int]
"""A generated token by its id."""


def generate(
    predictor: Predictor,
    prompt: Sequence[int],
    limits: Limits,
    sampling: Sampling | None = None,
    forced: Mapping[int, int] | None = None,
    written: Sequence[int] = (),
) -> Generator[GeneratedId, None, Ending]:
    """Generate text, greedily or by sampling, and yield each token.

    Args:
        forced: Tokens that replace the model's choice, by step from 0. A prefix is
            ``dict(enumerate(ids))``.
        written: Tokens that an earlier, identical call generated in the first steps. They are read
            with the prompt and are not yielded again.

    Raises:
        HeadlightError: If there is no room, or a forced token is not in the vocabulary.
    """
    sampling, forced = sampling or Sampling(), forced or {}
    generator = torch.Generator().manual_seed(sampling.seed)
    cache, unread = predictor.new_cache(), [*prompt, *written]
    n_available = limits.available(predictor, len(prompt))
    for number in range(len(written), n_available):
        if limits.stop():
            return "stopped"
        logits = predictor.next_logits(torch.tensor([unread]), cache)[0]  # (1, V) -> (V,)
        distribution = sampling_distribution(logits, sampling)
        if number == len(written):
            for _ in written:  # advance the generator: a draw uses one random number
                draw(distribution, generator)
        # Forced steps draw too, so that later steps get the same random numbers.
        token = draw(distribution, generator)
        step = to_step(logits, distribution, token, forced.get(number))
        yield step
        if step.token in limits.ends:
            return "end"
        unread = [*([] if cache is not None else unread), step.token]
    return limits.ending(n_available)


def to_step(
    logits: Tensor, distribution: Tensor | None, drawn: int, forced: int | None = None
) -> GeneratedId:
    """Describe a choice by the logits, (V,), and the sampling distribution, (V,), if any."""
    token = drawn if forced is None else check_token(forced, len(logits))
    probabilities = logits.double().softmax(dim=0)  # (V,)
    return GeneratedId(
        token=token,
        probability=float(probabilities[token]),
        top_k=most_probable(probabilities, N_CANDIDATES),
        drawn_from=() if distribution is None else most_probable(distribution, N_CANDIDATES),
        forced=forced is not None,
    )


def check_token(token: int, vocab_size: int) -> int:
    """Check that the vocabulary contains a token id."""
    check_range("token", token, 0, vocab_size - 1)
    return token
