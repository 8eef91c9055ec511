"""Numbers as people type them."""

import json
from pathlib import Path

import pytest

from model.typed_numbers import is_ambiguous, is_rounding, readings

VECTORS = json.loads((Path(__file__).parents[1] / "typed_numbers.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "expected"), VECTORS.items())
def test_a_typed_number_has_the_readings_of_the_vectors(text, expected) -> None:
    assert list(readings(text)) == pytest.approx(expected)


def test_only_a_comma_before_three_digits_is_ambiguous() -> None:
    assert [text for text in VECTORS if is_ambiguous(text)] == ["1,000", "4,994", "１，０００"]


ROUNDED = [("0.6", 0.5875), ("59 %", 0.5875), ("6", 6.283), ("1,6", 1.5875), ("5e3", 4994)]
OTHERS = [("0.60", 0.5875), ("58 %", 0.5875), ("1/2", 0.5875), ("x", 0), ("7", 6.283)]


@pytest.mark.parametrize(("text", "true"), [*ROUNDED, ("1/2", 0.5), *OTHERS])
def test_a_rounded_number_is_recognised_by_its_own_digits(text, true) -> None:
    assert is_rounding(text, true) == ((text, true) not in OTHERS)
