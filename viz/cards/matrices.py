"""Matrices of a calculation with names on both axes, cut to a window.

Axes: R rows, C columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

Arrays = Mapping[str, np.ndarray]
Axis = Literal["query", "key", "dim", "one"]

SYMBOLS = {
    "W_Q": "W^Q",
    "W_K": "W^K",
    "W_V": "W^V",
    "W_O": "W^O",
    "K_T": "K^{\\top}",
    "raw_scores": "S",
    "bias": "B",
    "scaled_scores": "S'",
    "allowed": "M",
    "masked_scores": "S''",
    "maxima": "m",
    "exponentials": "E",
    "row_sums": "\\Sigma",
    "weights": "A",
    "context": "Z",
    "concatenated": "C",
    "output": "Y",
    "factor": "F",
    "wrong_maxima": "m_{\\text{✗}}",
    "wrong_exponentials": "E_{\\text{✗}}",
    "wrong_sums": "\\Sigma_{\\text{✗}}",
    "wrong_weights": "A_{\\text{✗}}",
    "wrong_context": "Z_{\\text{✗}}",
    "Q_heads": "Q",
    "K_heads": "K",
    "V_heads": "V",
}
"""LaTeX of the matrices whose name is not their symbol."""

_SCORES = (
    "raw_scores",
    "bias",
    "scaled_scores",
    "allowed",
    "masked_scores",
    "exponentials",
    "weights",
)
_WRONG = ("source", "factor", "wrong_exponentials", "wrong_weights")

AXES: dict[str, tuple[Axis, Axis]] = {
    **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), ("dim", "dim")),
    **dict.fromkeys(("K", "V"), ("key", "dim")),
    "K_T": ("dim", "key"),
    **dict.fromkeys((*_SCORES, *_WRONG), ("query", "key")),
    **dict.fromkeys(("maxima", "row_sums", "wrong_maxima", "wrong_sums"), ("query", "one")),
}
"""The axes of a matrix's rows and columns; queries by dimensions if it is not listed."""

DOWN: dict[str, tuple[Axis, Axis]] = dict.fromkeys(("wrong_maxima", "wrong_sums"), ("one", "key"))
"""The axes that differ if a softmax runs down the columns by mistake."""

SUMMED_DOWN = ("source", "wrong_exponentials")
"""Matrices that such a softmax sums over all queries, including those that are not drawn."""

CUT_DIMS = ("V", "context", "wrong_context")
"""Matrices whose columns are independent: columns that are not drawn can be left out."""


@dataclass(frozen=True)
class Matrix:
    """Numbers with names on both axes.

    Attributes:
        values: (R, C), float64 or boolean; only the rows and columns that are drawn or summed over.
        more_rows: Number of rows of the whole matrix that ``values`` lacks.
        more_columns: Number of columns that ``values`` lacks.
    """

    latex: str
    values: np.ndarray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shown_rows: tuple[int, int]
    shown_columns: tuple[int, int]
    more_rows: int = 0
    more_columns: int = 0


@dataclass(frozen=True)
class MatrixNames:
    """Names of the tokens, and the head to follow."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    head: int = 0
    n_heads: int = 1

    def along(self, axis: Axis, length: int) -> tuple[str, ...]:
        """The names on an axis."""
        if axis == "query":
            return self.queries
        if axis == "key":
            return self.keys
        return tuple(map(str, range(length))) if axis == "dim" else ("",)


@dataclass(frozen=True)
class Window:
    """The part of a large calculation to draw; sums still include the rest."""

    start: int = 0
    tokens: int = 16
    dims: int = 8

    def along(self, axis: str, length: int) -> tuple[int, int]:
        """Start and stop of the window on an axis."""
        if axis not in ("query", "key"):
            return 0, min(self.dims, length)
        start = max(0, min(self.start, length - self.tokens))
        return start, min(start + self.tokens, length)


def matrices(
    arrays: Arrays,
    names: MatrixNames,
    window: Window,
    *,
    down: bool = False,
    symbols: Mapping[str, str] | None = None,
) -> dict[str, Matrix]:
    """Name the (R, C) arrays of :data:`AXES`, and cut what is neither drawn nor summed over."""
    latex = {**SYMBOLS, **(symbols or {})}
    return {
        name: _matrix(name, latex.get(name, name), values, names, window, down)
        for name, values in arrays.items()
    }


def _matrix(
    name: str, latex: str, values: np.ndarray, names: MatrixNames, window: Window, down: bool
) -> Matrix:
    axes = {**AXES, **DOWN} if down else AXES
    row_axis, column_axis = axes.get(name, ("query", "dim"))
    rows = names.along(row_axis, values.shape[0])
    columns = names.along(column_axis, values.shape[1])
    (start, stop), (left, right) = (
        window.along(axis, len(named)) for axis, named in ((row_axis, rows), (column_axis, columns))
    )
    # Only a softmax down the columns sums over queries.
    cut = row_axis == "query" and not (down and name in SUMMED_DOWN)
    first, last = (start, stop) if cut else (0, len(rows))
    end = right if name in CUT_DIMS else len(columns)
    return Matrix(
        latex,
        values[first:last, :end],
        rows[first:last],
        columns[:end],
        shown_rows=(start - first, stop - first),
        shown_columns=(left, right),
        more_rows=len(rows) - (last - first),
        more_columns=len(columns) - end,
    )
