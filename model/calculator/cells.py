"""Parser for the typed cells of a grid, with errors that name the cell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from model.errors import HeadlightError

MAX_SIZE = 8
"""Maximum of rows and columns of a typed grid: more is unreadable on a projector."""


@dataclass(frozen=True)
class Place:
    """The place of an error: a matrix, and one of its cells if the error belongs to one.

    Attributes:
        matrix: Name of the matrix.
        row: Row of the cell, from 0, or None.
        column: Column of the cell, from 0, or None.
    """

    matrix: str
    row: int | None = None
    column: int | None = None


class CellError(HeadlightError):
    """An error with its place, so that the page can show it there.

    Args:
        place: The matrix, and the cell if there is one.
        message: A constant sentence with named placeholders.
        **values: The values of the placeholders.
    """

    def __init__(self, place: Place, message: str, **values: Any) -> None:
        self.place = place
        super().__init__(message, **values)


def numbers(matrix: str, cells: Sequence[Sequence[str]]) -> Tensor:
    """Read a grid of text. A decimal comma and a typographic minus are valid.

    Args:
        matrix: Name of the matrix, for errors.
        cells: Text by rows.

    Returns:
        float64 (rows, columns).

    Raises:
        CellError: If a cell holds no finite number, or if the grid is empty, too large, or has
            rows of different lengths.
    """
    if not cells:
        raise CellError(Place(matrix), "{matrix} has no rows: add at least one.", matrix=matrix)
    if len({len(row) for row in cells}) > 1:
        raise CellError(
            Place(matrix), "The rows of {matrix} have different lengths.", matrix=matrix
        )
    if not cells[0]:
        raise CellError(
            Place(matrix),
            "{matrix} has no columns, so d = 0: vectors need at least one dimension. Add a column.",
            matrix=matrix,
        )
    if max(len(cells), len(cells[0])) > MAX_SIZE:
        raise CellError(
            Place(matrix),
            "{matrix} is {rows} x {columns}; the calculator takes up to {size} x {size}.",
            matrix=matrix,
            rows=len(cells),
            columns=len(cells[0]),
            size=MAX_SIZE,
        )
    return torch.tensor(
        [
            [number(text, Place(matrix, i, j)) for j, text in enumerate(row)]
            for i, row in enumerate(cells)
        ],
        dtype=torch.float64,
    )


def number(text: str, place: Place) -> float:
    """Read one cell.

    Args:
        text: Its text.
        place: Its place, for the error.

    Raises:
        CellError: If it holds no finite number.
    """
    written = text.strip().replace(",", ".").replace("−", "-")
    if not written:
        raise CellError(place, "This cell is empty: write a number, 0 if nothing is meant.")
    # float() also accepts 1_000 and Arabic digits, which a grid should reject.
    try:
        value = float(written) if written.isascii() and "_" not in written else None
    except ValueError:
        value = None
    if value is None:
        raise CellError(place, "“{text}” is not a number.", text=text.strip()[:40])
    if not math.isfinite(value):
        raise CellError(
            place, "“{text}” is not a finite number: attention needs one.", text=text.strip()[:40]
        )
    return value
