"""What every model that writes hands out: tokens by name, one after another."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

from model.transformer.generation import Ending, Step

Item = TypeVar("Item")
Result = TypeVar("Result")

Name = Callable[[int], str]
"""What a token id is called."""


@dataclass(frozen=True)
class WrittenToken:
    """One token, and what else it might have been.

    Attributes:
        token: What it is called.
        probability: That the model itself gave it, at temperature 1.
        top_k: The model's most probable tokens, (token, probability), most probable first.
        drawn_from: The most probable of those that a free choice falls among, with the
            probabilities of the draw: after temperature, top-k and top-p. Empty in beam search.
        forced: Whether it was forced.
    """

    token: str
    probability: float
    top_k: tuple[tuple[str, float], ...]
    drawn_from: tuple[tuple[str, float], ...]
    forced: bool


def to_written(name: Name, step: Step) -> WrittenToken:
    """A step, its tokens by name."""

    def named(pairs: tuple[tuple[int, float], ...]) -> tuple[tuple[str, float], ...]:
        return tuple((name(id_), p) for id_, p in pairs)

    return WrittenToken(
        token=name(step.token),
        probability=step.probability,
        top_k=named(step.candidates),
        drawn_from=named(step.drawn_from),
        forced=step.forced,
    )


def handed_out(
    name: Name, writing: Generator[Step, None, Ending], steps: list[Step]
) -> Generator[WrittenToken, None, Ending]:
    """Hand out tokens by name, and keep their steps."""
    while True:
        try:
            steps.append(next(writing))
        except StopIteration as done:
            ending: Ending = done.value
            return ending
        yield to_written(name, steps[-1])


def exhausted(generator: Generator[Item, None, Result]) -> tuple[list[Item], Result]:
    """All that a generator hands out, and what it returns."""
    items = []
    while True:
        try:
            items.append(next(generator))
        except StopIteration as done:
            return items, done.value
