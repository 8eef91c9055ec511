"""A text that several look at is made once, token by token."""

import threading
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from model.errors import HeadlightError
from model.passes import Passes
from model.transformer.generation import Ending, Step
from pages.shared.written import Writing

MODEL: Any = SimpleNamespace(
    ends={9},
    tokenize=lambda prompt: SimpleNamespace(ids=prompt.split()),
    predictor=SimpleNamespace(max_len=7),
)


def step(token: int) -> Step:
    return Step(token, 0.5, ((token, 0.5),), (), forced=False)


def coming(made: list[int], *tokens: int) -> Generator[Step, None, Ending]:
    for token in tokens:
        made.append(token)
        yield step(token)
    return "end"


def writing(steps: Generator[Step, None, Ending], *made: int) -> Writing:
    return Writing(MODEL, "a b", steps, Passes(1), 0, tuple(map(step, made)))


def test_a_token_is_made_when_it_is_asked_for_and_never_again() -> None:
    made: list[int] = []
    text = writing(coming(made, 4, 5, 9))
    assert made == []
    assert text.has(0) and text.has(0) and made == [4]
    assert text.has(2) and made == [4, 5, 9]
    assert not text.has(3) and not text.has(7)
    assert [each.token for each in text.made] == made


def test_two_who_write_the_same_text_make_each_token_once() -> None:
    made: list[int] = []
    text = writing(coming(made, *range(200)))
    writers = [threading.Thread(target=lambda: [text.has(i) for i in range(200)]) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(10)
    assert made == list(range(200))


def test_what_stood_before_stands_and_is_not_made() -> None:
    made: list[int] = []
    text = writing(coming(made, 6), 4, 5)
    assert text.has(1) and made == []
    assert text.has(2) and made == [6]
    assert [each.token for each in text.made] == [4, 5, 6]


def test_what_cannot_be_written_is_said_to_everybody_who_asks() -> None:
    def none() -> Generator[Step, None, Ending]:
        raise HeadlightError("No room.")
        yield

    text = writing(none())
    for _ in range(2):
        with pytest.raises(HeadlightError, match="No room"):
            text.has(0)


def test_a_text_ends_by_itself_or_where_the_model_reads_no_further_or_where_it_was_enough() -> None:
    text = writing(coming([], 1, 2, 3, 4, 5))
    text.has(4)
    assert (text.ending(3), text.ending(5)) == ("limit", "full")  # 2 of the prompt, 7 are read
    ended = writing(coming([], 1, 9))
    ended.has(1)
    assert (ended.ending(1), ended.ending(2)) == ("limit", "end")
