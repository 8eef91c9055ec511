"""Generated tokens by name, and helpers for the generators that yield them."""

from collections.abc import Callable, Generator
from typing import TypeVar

from model.transformer.generation import Ending, GeneratedId, GeneratedToken

Item = TypeVar("Item")
Result = TypeVar("Result")

TokenName = Callable[[int], str]
"""From a token id to its name."""

NamedToken = GeneratedToken[str]
"""A generated token by its name."""


def name_step(name: TokenName, step: GeneratedId) -> NamedToken:
    """Replace the token ids of a step by names."""

    def named(pairs: tuple[tuple[int, float], ...]) -> tuple[tuple[str, float], ...]:
        return tuple((name(id_), p) for id_, p in pairs)

    return GeneratedToken(
        token=name(step.token),
        probability=step.probability,
        top_k=named(step.top_k),
        drawn_from=named(step.drawn_from),
        forced=step.forced,
    )


def stream_named(
    name: TokenName, generation: Generator[GeneratedId, None, Ending], steps: list[GeneratedId]
) -> Generator[NamedToken, None, Ending]:
    """Yield the tokens of a generation by name."""
    while True:
        try:
            steps.append(next(generation))
        except StopIteration as done:
            ending: Ending = done.value
            return ending
        yield name_step(name, steps[-1])


def run_to_end(generator: Generator[Item, None, Result]) -> tuple[list[Item], Result]:
    """Run a generator to its end."""
    items = []
    while True:
        try:
            items.append(next(generator))
        except StopIteration as done:
            return items, done.value
