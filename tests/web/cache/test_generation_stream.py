"""A shared generation stream computes each token once."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from model.errors import HeadlightError
from model.transformer.generation import Ending, GeneratedId
from web.cache.generation_stream import GenerationStream

MODEL: Any = SimpleNamespace(ends={9}, predictor=SimpleNamespace(max_len=7))
MODEL.tokenize = lambda prompt: SimpleNamespace(ids=prompt.split())


def step(token: int) -> GeneratedId:
    return GeneratedId(token, 0.5, ((token, 0.5),), (), forced=False)


def generate(computed: list[int], *tokens: int) -> Generator[GeneratedId, None, Ending]:
    """Yield steps, and record each token when it is computed."""
    for token in tokens:
        computed.append(token)
        yield step(token)
    return "end"


def stream(steps: Generator[GeneratedId, None, Ending], *reused: int) -> GenerationStream:
    return GenerationStream(MODEL, "a b", steps, 0, tuple(map(step, reused)))


def test_a_token_is_computed_once_on_demand_and_reused_steps_never() -> None:
    computed: list[int] = []
    text = stream(generate(computed, 6, 9), 4, 5)
    assert text.ensure_step(1) and computed == []
    assert text.ensure_step(2) and text.ensure_step(2) and computed == [6]
    assert text.ensure_step(3) and not text.ensure_step(4) and not text.ensure_step(7)
    assert computed == [6, 9] and [each.token for each in text.steps] == [4, 5, 6, 9]


def test_concurrent_readers_compute_each_token_once() -> None:
    computed: list[int] = []
    text = stream(generate(computed, *range(200)))
    with ThreadPoolExecutor(3) as readers:
        for _ in range(3):
            readers.submit(lambda: [text.ensure_step(i) for i in range(200)])
    assert computed == list(range(200))


def test_every_reader_gets_the_error() -> None:
    def fail() -> Generator[GeneratedId, None, Ending]:
        raise HeadlightError("No room.")
        yield

    text = stream(fail())
    for _ in range(2):
        with pytest.raises(HeadlightError, match="No room"):
            text.ensure_step(0)


def test_the_ending_is_an_end_token_a_full_context_or_the_limit() -> None:
    text = stream(generate([], 1, 2, 3, 4, 5))
    text.ensure_step(4)
    assert (text.ending(3), text.ending(5)) == ("limit", "full")  # prompt of 2 in a context of 7
    ended = stream(generate([], 1, 9))
    ended.ensure_step(1)
    assert (ended.ending(1), ended.ending(2)) == ("limit", "end")
