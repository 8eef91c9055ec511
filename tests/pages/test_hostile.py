"""Some of what `python -m benchmarks.hostile` tries by the thousand: values, texts, whole pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from benchmarks.hostile import (
    HOSTILE,
    MARKUP,
    TABLES,
    all_parameters,
    open_page,
    parameters,
    parse,
    texts,
    through_the_house,
    values,
)


@settings(max_examples=100)
@given(values())
def test_every_parameter_takes_a_value_or_refuses_it(value: str) -> None:
    parse(value)


@pytest.mark.parametrize("value", HOSTILE)
def test_what_is_known_to_hurt_hurts_no_parser(value: str) -> None:
    parse(value)


def test_all_pages_parameters_are_tried() -> None:
    names = {name for name, _ in all_parameters()}
    assert names >= {"text", "left", "q", "tokens", "d_model", "vocab", "mask"}
    assert len(all_parameters()) > 100


@settings(max_examples=40)
@given(some.sampled_from(("scratch", "minilm")), texts())
def test_any_text_is_read_drawn_and_kept_or_refused_in_words(name: str, text: str) -> None:
    through_the_house(name, text)


def test_half_an_emoji_is_kept_in_a_file() -> None:
    through_the_house("scratch", "half \ud800 an emoji")


@pytest.mark.parametrize("page", TABLES)
def test_a_page_whose_every_parameter_is_hostile_is_drawn(page: str) -> None:
    worst = [MARKUP, *(value for value in HOSTILE if len(value) < 500)]
    names = [name for name, _ in parameters(page)]
    open_page(page, {name: worst[i % len(worst)] for i, name in enumerate(names)})
