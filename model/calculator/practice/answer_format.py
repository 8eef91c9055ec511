"""Check of how an answer is written: no number, or too few decimals."""

import re

from model.calculator.practice.exercise import Mark
from model.errors import Sentence
from model.typed_numbers import is_rounding

_DECIMALS = re.compile(r"[-+−]?\d*[.,](\d+)")


def format_error(text: str, mark: Mark, true: float, decimals: int) -> Sentence | None:
    """Name the format that a cell should have; None if its format is not the problem.

    Args:
        text: The text as typed.
        mark: The mark of the cell.
        true: The right number.
        decimals: Required number of decimals.
    """
    text = text.strip()
    values = {"text": text[:40], "decimals": decimals}
    if mark == "unreadable":
        return Sentence(
            "“{text}” is not a number. Write a number with {decimals} decimals.", **values
        )
    written = _DECIMALS.fullmatch(text)
    if mark == "wrong" and written and len(written[1]) < decimals and is_rounding(text, true):
        return Sentence("“{text}” has too few decimals. Write {decimals}.", **values)
    return None
