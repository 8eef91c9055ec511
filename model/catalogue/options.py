"""How a model that writes is asked to: by words in a call, turned into what generation takes."""

from collections.abc import Callable, Container, Mapping
from typing import TypedDict

from model.errors import HeadlightError
from model.transformer.generation import Limits, never
from model.transformer.sampling import Sampling


class Options(TypedDict, total=False):
    """How a model writes; everything may be left out.

    Attributes:
        temperature: 0, the default, always takes the most probable token; above, tokens are drawn.
        top_k: Only so many of the most probable tokens are drawn from.
        top_p: Only the fewest that together have this probability are.
        seed: Of the draws, 0 unless given.
        beams: More than 1: beam search, which draws nothing; 1 unless given.
        max_new_tokens: Most tokens to write; as many as the model can unless given.
        forced: By step, counted from 0, a token to write there whatever the model says.
        stop: Asked before every token; True stops.
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
    """How tokens are chosen.

    Raises:
        HeadlightError: If a number is out of its range, or beam search is to draw.
    """
    chosen = Sampling(
        options.get("temperature", 0.0),
        options.get("top_k"),
        options.get("top_p"),
        options.get("seed", 0),
    )
    if options.get("beams", 1) != 1 and chosen.temperature:
        raise HeadlightError("Beam search draws nothing: it takes a temperature of 0, or one beam.")
    return chosen


def limits(options: Options, most: int, ends: Container[int]) -> Limits:
    """When writing ends.

    Args:
        options: As asked.
        most: Tokens to write unless fewer are asked for.
        ends: The tokens that end a text; none if the model has none.

    Raises:
        HeadlightError: If not even one token may be written.
    """
    return Limits(options.get("max_new_tokens", most), ends, options.get("stop", never))


def forced(options: Options, find: Callable[[str], int | None], model: str) -> dict[int, int]:
    """The forced tokens by their ids.

    Args:
        options: As asked.
        find: From what a token is called to its id; None: there is none.
        model: What an error calls the model.

    Raises:
        HeadlightError: If the vocabulary lacks one.
    """
    ids = {}
    for step, token in options.get("forced", {}).items():
        id_ = find(token)
        if id_ is None:
            raise HeadlightError(
                "{model} cannot write {token}: it is not in its vocabulary.",
                model=model,
                token=token,
            )
        ids[step] = id_
    return ids
