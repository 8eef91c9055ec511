"""What a person types into the cells of a grid, as numbers; or where it is none, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from model.errors import HeadlightError

MAX_SIZE = 8
"""Most rows and columns of a typed grid: more is not read on a projector."""


@dataclass(frozen=True)
class Place:
    """Where something is in the way: a matrix, and a cell of it if it is one cell's."""

    matrix: str
    row: int | None = None
    column: int | None = None


class CellError(HeadlightError):
    """What is in the way, with its place, so that the page can say it there."""

    def __init__(self, place: Place, message: str, **values: Any) -> None:
        self.place = place
        super().__init__(message, **values)


def numbers(matrix: str, cells: Sequence[Sequence[str]]) -> Tensor:
    """Read a grid of text.

    A decimal comma and a typographic minus are understood.

    Args:
        matrix: Its name, for the error's place.
        cells: Text by rows; all rows are equally long.

    Returns:
        float64 (rows, columns).

    Raises:
        CellError: At the first cell that holds no finite number, or if there is no cell.
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

    Raises:
        CellError: If it holds no finite number.
    """
    written = text.strip().replace(",", ".").replace("−", "-")
    if not written:
        raise CellError(place, "This cell is empty: write a number, 0 if nothing is meant.")
    # float() would also take 1_000 and Arabic digits, which no reader of the grid expects.
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
