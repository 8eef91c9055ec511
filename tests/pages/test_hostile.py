"""Hostile values, texts and links: a small part of the cases of `python -m benchmarks.hostile`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.pages.hostile_values import (
    HOSTILE,
    MARKUP,
    TABLES,
    all_parameters,
    check_everywhere,
    open_page,
    parameters,
    parse,
    texts,
    values,
)


@settings(max_examples=100)
@given(values())
def test_every_parameter_accepts_or_rejects_any_value(value: str) -> None:
    parse(value)


@pytest.mark.parametrize("value", HOSTILE)
def test_every_parser_survives_known_hostile_values(value: str) -> None:
    parse(value)


def test_the_parameters_of_all_pages_are_included() -> None:
    names = {name for name, _ in all_parameters()}
    assert names >= {"text", "left", "q", "tokens", "d_model", "vocab", "mask"}
    assert len(all_parameters()) > 100


@settings(max_examples=40)
@given(some.sampled_from(("scratch", "minilm")), texts())
def test_any_text_is_drawn_and_saved_or_rejected_with_a_message(name: str, text: str) -> None:
    check_everywhere(name, text)


def test_a_lone_surrogate_can_be_saved_in_a_file() -> None:
    check_everywhere("scratch", "half \ud800 an emoji")


@pytest.mark.parametrize("page", TABLES)
def test_a_page_with_only_hostile_parameters_is_drawn(page: str) -> None:
    worst = [MARKUP, *(value for value in HOSTILE if len(value) < 500)]
    names = [name for name, _ in parameters(page)]
    open_page(page, {name: worst[i % len(worst)] for i, name in enumerate(names)})
