"""Printable worksheet of a calculation, with the answers or with empty cells."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from viz.cards.matrices import Matrix
from viz.cards.steps import Steps
from viz.style.formula import mathml

# Autoescaping: names of tokens are user text.
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The HTML templates of this folder."""


def worksheet(
    steps: Steps | None,
    *,
    title: str,
    subtitle: str,
    decimals: int,
    answers: bool,
    about: Mapping[str, Any] = {},
    translate: Callable[[str], str] = str,
) -> str:
    """Write a standalone HTML page that needs no network.

    Args:
        steps: The cards; None if an error left none. The subtitle then contains the error.
        title: The heading.
        subtitle: What is calculated.
        decimals: Decimals of every number.
        answers: Whether to print results; otherwise their cells are empty.
        about: JSON values for the file's metadata; a citation and a link are also printed.
        translate: From English to the reader's language.
    """
    steps = steps or Steps((), {}, 1.0, 0, 0)
    results = {line.result for card in steps.cards for line in card.lines if line.kind != "given"}
    # Intermediate matrices that no line has as its result.
    derived = {"maxima", "exponentials", "row_sums", "factor", "source"}
    if "X" in steps.matrices:
        derived |= {"Q", "K", "V", "K_T"}
    blank: set[str] = set() if answers else results | derived
    return TEMPLATES.get_template("worksheet.html").render(
        about=about,
        description=json.dumps(about),
        title=title,
        subtitle=subtitle,
        answers=answers,
        note=translate("Numbers are rounded to {decimals} decimals.").format(decimals=decimals),
        name_line=translate("Name"),
        cards=[
            {
                "title": card.title,
                "formula": Markup(mathml(card.formula)),  # noqa: S704 - not user text
                "notes": (*card.notes, *card.findings) if answers else card.notes,
                "lines": [
                    [_item(item, steps, blank, decimals) for item in line.items]
                    for line in card.lines
                ],
            }
            for card in steps.cards
        ],
    )


def _item(item: str, steps: Steps, blank: set[str], decimals: int) -> dict[str, Any]:
    matrix = steps.matrices.get(item)
    if matrix is None:
        return {"operator": item}
    (top, bottom), (left, right) = matrix.shown_rows, matrix.shown_columns
    return {
        "symbol": Markup(mathml(matrix.latex)),  # noqa: S704 - not user text
        "columns": matrix.columns[left:right],
        "more": matrix.more_columns + len(matrix.columns) - (right - left),
        "rows": [
            (
                matrix.rows[i],
                [
                    "" if item in blank else written(matrix.values[i, j].item(), decimals)
                    for j in range(left, right)
                ],
            )
            for i in range(top, bottom)
        ],
        "more_rows": _more_rows(matrix),
    }


def _more_rows(matrix: Matrix) -> int:
    top, bottom = matrix.shown_rows
    return matrix.more_rows + len(matrix.rows) - (bottom - top)


def written(value: float | bool, decimals: int) -> str:
    """Format a number like the page (see ``formatNumber`` in spell.js).

    Args:
        value: The number, or a cell of a mask.
        decimals: Number of decimals.
    """
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e7:
        exact = Decimal(value)
        size = exact.adjusted()
        digits = exact.scaleb(-size).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        if abs(digits) >= 10:  # rounded up to the next power of ten
            digits, size = digits.scaleb(-1).quantize(Decimal(1).scaleb(-decimals)), size + 1
        text = f"{digits}e+{size}"
    else:
        # Half away from 0, like JavaScript's toFixed; Python's round() takes the even digit.
        text = str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")
