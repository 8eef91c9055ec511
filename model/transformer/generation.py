"""Writing token by token: each is chosen, read, and the next one chosen after it.

What a model has to offer is a :class:`Predictor`, so that a decoder that stands alone, an
encoder-decoder and a pretrained model write through the same lines.

Axes: B batch, T tokens, V vocab_size.
"""

from collections.abc import Callable, Container, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch
from torch import Tensor

from model.errors import HeadlightError
from model.transformer.decoder import Decoder
from model.transformer.encoder_decoder import EncoderDecoder
from model.transformer.sampling import Sampling, draw, most_probable, sampling_distribution

N_CANDIDATES = 10
"""Of a step that are kept: more than a reader looks at."""

Ending = Literal["end", "limit", "full", "stopped"]
"""Why no more was written: the model ended the text, it is as much as was asked for, as long as the
model reads, or it was told to stop."""


class Cache(Protocol):
    """What a model need not compute again; each model has its own kind."""

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order; a row may come twice."""


@dataclass(frozen=True)
class Predictor:
    """What writing asks of a model.

    Attributes:
        next_logits: From token ids (B, T) and a cache to the logits of what follows, (B, V). With a
            cache the ids are those that it has not read; without one, all. The second argument is
            what ``new_cache`` gave.
        new_cache: Makes an empty one for a text; None from it: every step reads everything again.
        max_len: Most tokens that the model reads.
    """

    next_logits: Callable[[Tensor, Any], Tensor]
    new_cache: Callable[[], Cache | None]
    max_len: int

    def without_cache(self) -> "Predictor":
        """The same model, reading everything again at each step."""
        return Predictor(self.next_logits, lambda: None, self.max_len)


def alone(decoder: Decoder) -> Predictor:
    """A decoder without cross-attention, as a language model."""

    @torch.inference_mode()
    def next_logits(token_ids: Tensor, cache: Any) -> Tensor:
        return decoder.logits(decoder(token_ids, cache=cache)[:, -1])  # (B, T, D) -> (B, V)

    return Predictor(next_logits, decoder.new_cache, decoder.config.max_len)


def with_memory(model: EncoderDecoder, memory: Tensor) -> Predictor:
    """An encoder-decoder that has read its source: memory (1, Ts, D)."""

    @torch.inference_mode()
    def next_logits(token_ids: Tensor, cache: Any) -> Tensor:
        seen = memory.expand(len(token_ids), -1, -1)  # (1, Ts, D) -> (B, Ts, D)
        return model.decode(token_ids, seen, cache=cache)[:, -1]  # (B, T, V) -> (B, V)

    return Predictor(next_logits, model.decoder.new_cache, model.decoder.config.max_len)


def never() -> bool:
    """Nobody stops it."""
    return False


@dataclass(frozen=True)
class Limits:
    """When writing ends: whatever comes first.

    Attributes:
        max_new_tokens: Most tokens to write; the model's own ``max_len`` counts too.
        ends: Tokens that end a text; the one that does is written as the last. Empty: the model
            has none.
        stop: Asked before every token; True stops.

    Raises:
        HeadlightError: If there is nothing to write.
    """

    max_new_tokens: int
    ends: Container[int] = ()
    stop: Callable[[], bool] = never

    def __post_init__(self) -> None:
        if self.max_new_tokens < 1:
            raise HeadlightError(
                "{name} must be at least 1, not {value}.",
                name="max_new_tokens",
                value=self.max_new_tokens,
            )

    def room(self, predictor: Predictor, n_prompt: int) -> int:
        """How many tokens can be written behind a prompt.

        Raises:
            HeadlightError: If there is no prompt, or no room behind it.
        """
        if not n_prompt:
            raise HeadlightError("Writing begins behind at least one token: there is none.")
        if n_prompt >= predictor.max_len:
            raise HeadlightError(
                "{n_tokens} tokens leave no room to write: the model reads {max_len}.",
                n_tokens=n_prompt,
                max_len=predictor.max_len,
            )
        return min(self.max_new_tokens, predictor.max_len - n_prompt)

    def reached(self, n_written: int) -> Ending:
        """Why there was room for so many tokens and no more."""
        return "limit" if n_written == self.max_new_tokens else "full"


@dataclass(frozen=True)
class Step:
    """One token, and what else it might have been.

    Attributes:
        token: Its id.
        probability: That the model itself gave it: softmax at temperature 1.
        candidates: The model's most probable tokens, (id, probability), most probable first.
        drawn_from: The most probable of those among which a free choice falls, with the
            probabilities of the draw: after temperature, top-k and top-p. Empty if nothing is
            drawn.
        forced: Whether the choice was not free.
    """

    token: int
    probability: float
    candidates: tuple[tuple[int, float], ...]
    drawn_from: tuple[tuple[int, float], ...]
    forced: bool


def generate(
    predictor: Predictor,
    prompt: Sequence[int],
    limits: Limits,
    sampling: Sampling | None = None,
    forced: Mapping[int, int] | None = None,
    written: Sequence[int] = (),
) -> Generator[Step, None, Ending]:
    """Write, greedily or by drawing, and hand out each token as it is made.

    Args:
        predictor: The model.
        prompt: Token ids that are there already, at least one.
        limits: When to end.
        sampling: How to choose; greedily unless given.
        forced: By step, counted from 0, the token to write whatever the model says. A prefix is
            ``dict(enumerate(ids))``.
        written: What the first steps have written before, in the same way. They are read with the
            prompt, at once, and not handed out again.

    Yields:
        The steps, one a token.

    Returns:
        Why it ended.

    Raises:
        HeadlightError: If there is no room, or a forced token is not in the vocabulary.
    """
    sampling, forced = sampling or Sampling(), forced or {}
    generator = torch.Generator().manual_seed(sampling.seed)
    cache, unread = predictor.new_cache(), [*prompt, *written]
    room = limits.room(predictor, len(prompt))
    for number in range(len(written), room):
        if limits.stop():
            return "stopped"
        logits = predictor.next_logits(torch.tensor([unread]), cache)[0]  # (1, V) -> (V,)
        distribution = sampling_distribution(logits, sampling)
        if number == len(written):
            for _ in written:  # a draw uses up as much chance whatever the probabilities are
                draw(distribution, generator)
        # A forced step draws as well: what follows it is then as random as it was.
        token = draw(distribution, generator)
        step = to_step(logits, distribution, token, forced.get(number))
        yield step
        if step.token in limits.ends:
            return "end"
        unread = [*([] if cache is not None else unread), step.token]
    return limits.reached(room)


def to_step(
    logits: Tensor, distribution: Tensor | None, drawn: int, forced: int | None = None
) -> Step:
    """Write down a choice.

    Args:
        logits: The model's, (V,).
        distribution: What was drawn from, (V,); None if nothing was drawn.
        drawn: The token that came up, or was found.
        forced: The one that stands instead, or None.

    Raises:
        HeadlightError: If the forced token is not in the vocabulary.
    """
    token = drawn if forced is None else check_token(forced, len(logits))
    probabilities = logits.double().softmax(dim=0)  # (V,)
    return Step(
        token=token,
        probability=float(probabilities[token]),
        candidates=most_probable(probabilities, N_CANDIDATES),
        drawn_from=() if distribution is None else most_probable(distribution, N_CANDIDATES),
        forced=forced is not None,
    )


def check_token(token: int, vocab_size: int) -> int:
    """The token id, if there is such a token.

    Raises:
        HeadlightError: If there is none.
    """
    if not 0 <= token < vocab_size:
        raise HeadlightError(
            "There is no token {token}: the vocabulary has {n_tokens}.",
            token=token,
            n_tokens=vocab_size,
        )
    return token
