"""Payload of cards and matrices for the browser."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from viz.cards.matrices import Matrix
from viz.cards.steps import Steps
from viz.style.formula import mathml

WIDE = 8
"""With more rows or columns, the matrices of a step are drawn below each other."""


def steps_payload(steps: Steps) -> dict[str, Any]:
    """Cards and matrices as JSON, with exact numbers; −∞ and nan become strings."""
    scores = steps.matrices["raw_scores"]
    shown = (stop - start for start, stop in (scores.shown_rows, scores.shown_columns))
    return {
        "divisor": steps.divisor,
        "head": steps.head,
        "offset": steps.offset,
        "wide": max(shown) > WIDE,
        "cards": [{**asdict(card), "formula": mathml(card.formula)} for card in steps.cards],
        "matrices": {name: _matrix(name, matrix) for name, matrix in steps.matrices.items()},
    }


def _matrix(name: str, matrix: Matrix) -> dict[str, Any]:
    return {
        "symbol": mathml(matrix.latex),
        "label": name,
        "values": _cells(matrix.values),
        "rows": matrix.rows,
        "columns": matrix.columns,
        "shownRows": matrix.shown_rows,
        "shownColumns": matrix.shown_columns,
        "moreRows": matrix.more_rows,
        "moreColumns": matrix.more_columns,
        "boolean": matrix.values.dtype == bool,
    }


def _cells(values: np.ndarray) -> list[list[float | str]]:
    if np.isfinite(values).all():
        cells: list[list[float | str]] = values.tolist()
        return cells
    return [[x if math.isfinite(x) else str(x) for x in row] for row in values.tolist()]
