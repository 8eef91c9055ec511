"""Options of a generation call, and their conversion for the generation code."""

from collections.abc import Callable, Container, Mapping
from typing import TypedDict

from model.errors import HeadlightError
from model.transformer.generation import Limits
from model.transformer.sampling import Sampling


class Options(TypedDict, total=False):
    """How a model generates text. All options may be left out.

    Attributes:
        temperature: 0, the default, always takes the most probable token; above 0, tokens are
            drawn.
        top_k: Draw from this many of the most probable tokens.
        top_p: Draw from the fewest most probable tokens with at least this probability in total.
        beams: Number of beams, 1 by default. Beam search draws nothing.
        max_new_tokens: Most tokens to generate; by default up to the model's limit.
        forced: Tokens that replace the model's choice, by step from 0.
        stop: Called before every token; True stops.
    """

    temperature: float
    top_k: int | None
    top_p: float | None
    seed: int
    beams: int
    max_new_tokens: int
    forced: Mapping[int, str]
    stop: Callable[[], bool]


def sampling(options: Options) -> Sampling:
    """Read how to choose tokens."""
    chosen = Sampling(
        options.get("temperature", 0.0),
        options.get("top_k"),
        options.get("top_p"),
        options.get("seed", 0),
    )
    if options.get("beams", 1) != 1 and chosen.temperature:
        raise HeadlightError(
            "Beam search does not sample. Set the temperature to 0, or use one beam."
        )
    return chosen


def limits(options: Options, most: int, ends: Container[int]) -> Limits:
    """Read when to end."""
    never = bool  # bool() is False
    return Limits(options.get("max_new_tokens", most), ends, options.get("stop", never))


def forced(options: Options, find: Callable[[str], int | None], model: str) -> dict[int, int]:
    """Read the forced tokens by their ids."""
    ids = {}
    for step, token in options.get("forced", {}).items():
        id_ = find(token)
        if id_ is None:
            raise HeadlightError(
                "{model} cannot write {token}, because its vocabulary lacks it.",
                model=model,
                token=token,
            )
        ids[step] = id_
    return ids
