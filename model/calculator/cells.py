"""Parser for the typed cells of a grid, with errors that name the cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from model.errors import HeadlightError
from model.typed_numbers import is_ambiguous, readings

MAX_SIZE = 8
"""Maximum of rows and columns of a typed grid: more is unreadable on a projector."""


@dataclass(frozen=True)
class CellAddress:
    """The place of an error: a matrix, and one of its cells, or None."""

    matrix: str
    row: int | None = None
    column: int | None = None


class CellError(HeadlightError):
    """An error with its place, so that the page can show it there."""

    def __init__(self, place: CellAddress, message: str, **values: Any) -> None:
        self.place = place
        super().__init__(message, **values)


def numbers(matrix: str, cells: Sequence[Sequence[str]]) -> Tensor:
    """Read a grid of typed numbers, float64 (rows, columns); others are a :class:`CellError`."""
    if not cells:
        raise CellError(
            CellAddress(matrix), "{matrix} has no rows. Add at least one.", matrix=matrix
        )
    if len({len(row) for row in cells}) > 1:
        raise CellError(
            CellAddress(matrix), "The rows of {matrix} have different lengths.", matrix=matrix
        )
    if not cells[0]:
        raise CellError(
            CellAddress(matrix),
            "{matrix} has no columns, so its vectors have no dimensions. Add a column.",
            matrix=matrix,
        )
    if max(len(cells), len(cells[0])) > MAX_SIZE:
        raise CellError(
            CellAddress(matrix),
            "{matrix} is {rows} x {columns}. The calculator accepts up to {size} x {size}.",
            matrix=matrix,
            rows=len(cells),
            columns=len(cells[0]),
            size=MAX_SIZE,
        )
    return torch.tensor(
        [
            [number(text, CellAddress(matrix, i, j)) for j, text in enumerate(row)]
            for i, row in enumerate(cells)
        ],
        dtype=torch.float64,
    )


def number(text: str, place: CellAddress) -> float:
    """Read one cell; no finite number, or one that may mean two (``1,000``), raises CellError."""
    text = text.strip()
    if not text:
        raise CellError(place, "This cell is empty. Write a number, such as 0.")
    found = readings(text)
    if not found:
        raise CellError(
            place,
            "“{text}” is not a number, or too large. Write one such as 0.5 or −2.",
            text=text[:40],
        )
    if is_ambiguous(text):
        raise CellError(
            place,
            "“{text}” can be {one} or {other}. Write it without a comma.",
            text=text[:40],
            one=f"{found[0]:g}",
            other=f"{found[1]:g}",
        )
    return found[0]
