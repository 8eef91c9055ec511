"""Check of how an answer is written: too few decimals, a percentage, a fraction."""

import math
import re

from model.calculator.practice.exercise import Mark
from model.errors import Sentence

_FRACTION = re.compile(r"[-+−]?\s*[\d.,]+\s*[/÷]\s*[-+−]?\s*[\d.,]+")
_DECIMALS = re.compile(r"[-+−]?\d*[.,](\d+)")


def format_error(
    text: str, mark: Mark, value: float, true: float, decimals: int
) -> Sentence | None:
    """Name the format that a cell should have; None if its format is not the problem.

    Args:
        text: The text as typed.
        mark: The mark of the cell.
        value: The number that was read from it; nan if none was.
        true: The right number.
        decimals: Required number of decimals.
    """
    text = text.strip()
    if mark == "unreadable":
        return _unreadable(text, decimals)
    if mark == "wrong" and _is_rounded_too_far(text, value, true, decimals):
        return Sentence(
            "“{text}” is right as far as it goes: {decimals} decimals are asked for.",
            text=text[:40],
            decimals=decimals,
        )
    return None


def _unreadable(text: str, decimals: int) -> Sentence:
    values = {"text": text[:40], "decimals": decimals}
    if text.endswith("%"):
        return Sentence(
            "“{text}” is a percentage: write it as a number with {decimals} decimals, without %.",
            **values,
        )
    if _FRACTION.fullmatch(text):
        return Sentence(
            "“{text}” is a fraction: work it out to a number with {decimals} decimals.", **values
        )
    return Sentence(
        "“{text}” is not read as a number: {decimals} decimals are asked for.", **values
    )


def _is_rounded_too_far(text: str, value: float, true: float, decimals: int) -> bool:
    """Whether the text is the right number with too few decimals."""
    written = _DECIMALS.fullmatch(text)
    places = len(written[1]) if written else 0
    if not 0 < places < decimals or math.isnan(value):
        return False
    return abs(value - true) <= 0.5 * 10.0**-places + 1e-9
