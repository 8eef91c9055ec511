"""Answers that are written otherwise than was asked: rounded too far, as a percentage, a fraction.

Rows and columns count from 0.
"""

import math
import re
from dataclasses import dataclass

from model.calculator.exercises import Step
from model.errors import Sentence

_FRACTION = re.compile(r"[-+−]?\s*[\d.,]+\s*[/÷]\s*[-+−]?\s*[\d.,]+")
_DECIMALS = re.compile(r"[-+−]?\d*[.,](\d+)")


@dataclass(frozen=True)
class Unasked:
    """A cell that is written otherwise than was asked.

    Attributes:
        step: Whose cell it is.
        row: Its row.
        column: Its column.
        wanted: What is asked for instead; it does not tell the result.
    """

    step: Step
    row: int
    column: int
    wanted: Sentence


def unreadable(text: str, decimals: int) -> Sentence:
    """Say of a cell that is not read as a number what is asked for."""
    values = {"text": text.strip()[:40], "decimals": decimals}
    if text.strip().endswith("%"):
        return Sentence(
            "“{text}” is a percentage: write it as a number with {decimals} decimals, without %.",
            **values,
        )
    if _FRACTION.fullmatch(text.strip()):
        return Sentence(
            "“{text}” is a fraction: work it out to a number with {decimals} decimals.", **values
        )
    return Sentence(
        "“{text}” is not read as a number: {decimals} decimals are asked for.", **values
    )


def too_short(text: str, value: float, true: float, decimals: int) -> Sentence | None:
    """Say of a wrong cell what is asked for, if it is the right number rounded too far.

    Args:
        text: As it was typed.
        value: The number that it was read as.
        true: The right one.
        decimals: How many are asked for.
    """
    written = _DECIMALS.fullmatch(text.strip())
    places = len(written[1]) if written else 0
    if not 0 < places < decimals or math.isnan(value):
        return None
    if abs(value - true) > 0.5 * 10.0**-places + 1e-9:
        return None
    return Sentence(
        "“{text}” is right as far as it goes: {decimals} decimals are asked for.",
        text=text.strip()[:40],
        decimals=decimals,
    )
