"""The matrices of a calculation as they are drawn: named on both axes, and cut to a window.

Axes: Tq queries, Tk keys, K d_k, Kv d_v.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
"""LaTeX of the matrices that are not called by a single letter."""

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
"""What the rows and columns of a matrix are; queries by dimensions if it is not listed."""

DOWN: dict[str, tuple[Axis, Axis]] = dict.fromkeys(("wrong_maxima", "wrong_sums"), ("one", "key"))
"""What they are instead where a softmax runs down the columns by mistake."""

SUMMED_DOWN = ("source", "wrong_exponentials")
"""Down the columns, all queries of these are summed over, those that are not drawn among them."""

CUT_DIMS = ("V", "context", "wrong_context")
"""A dimension of v takes part in its own context alone; those of all others are summed over."""


@dataclass(frozen=True)
class Matrix:
    """Numbers with names on both axes.

    Attributes:
        latex: Its symbol.
        values: (rows, columns), float64 or boolean; only what is shown or summed over.
        rows: Names, one per row.
        columns: Names, one per column.
        shown_rows: From and to: the rows to draw; the others take part unseen.
        shown_columns: From and to.
        more_rows: Rows beyond ``values`` that the whole matrix has.
        more_columns: Columns beyond ``values``.
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
class Names:
    """Names on the axes: query and key tokens, and which head of how many is followed."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    head: int = 0
    n_heads: int = 1

    def along(self, axis: Axis, length: int) -> tuple[str, ...]:
        """The names on an axis of that length."""
        if axis == "query":
            return self.queries
        if axis == "key":
            return self.keys
        return tuple(map(str, range(length))) if axis == "dim" else ("",)


@dataclass(frozen=True)
class Window:
    """What of a large calculation is drawn; the rest is summed over unseen.

    Attributes:
        start: First token drawn.
        tokens: How many tokens are drawn.
        dims: How many dimensions of a vector are drawn.
    """

    start: int = 0
    tokens: int = 16
    dims: int = 8

    def along(self, axis: str, length: int) -> tuple[int, int]:
        """From and to on an axis of that length."""
        if axis not in ("query", "key"):
            return 0, min(self.dims, length)
        start = max(0, min(self.start, length - self.tokens))
        return start, min(start + self.tokens, length)


def matrices(
    arrays: Arrays,
    names: Names,
    window: Window,
    *,
    down: bool = False,
    symbols: Mapping[str, str] | None = None,
) -> dict[str, Matrix]:
    """Give arrays their names, and cut away what is neither drawn nor summed over.

    Args:
        arrays: By the names of :data:`AXES`.
        names: Of tokens and heads.
        window: What of them to draw.
        down: Whether it is the queries that a mistake sums over.
        symbols: LaTeX of the matrices whose symbol depends on the mistake.
    """
    called = {**SYMBOLS, **(symbols or {})}
    return {
        name: _matrix(name, called.get(name, name), values, names, window, down)
        for name, values in arrays.items()
    }


def _matrix(
    name: str, latex: str, values: np.ndarray, names: Names, window: Window, down: bool
) -> Matrix:
    axes = {**AXES, **DOWN} if down else AXES
    row_axis, column_axis = axes.get(name, ("query", "dim"))
    rows = names.along(row_axis, values.shape[0])
    columns = names.along(column_axis, values.shape[1])
    matrix = Matrix(
        latex,
        values,
        rows,
        columns,
        window.along(row_axis, len(rows)),
        window.along(column_axis, len(columns)),
    )
    # No right step sums over the queries: those that are not drawn need not be there.
    if row_axis == "query" and not (down and name in SUMMED_DOWN):
        matrix = _cut_rows(matrix)
    return _cut_columns(matrix) if name in CUT_DIMS else matrix


def _cut_rows(matrix: Matrix) -> Matrix:
    start, stop = matrix.shown_rows
    return replace(
        matrix,
        values=matrix.values[start:stop],
        rows=matrix.rows[start:stop],
        shown_rows=(0, stop - start),
        more_rows=len(matrix.rows) - (stop - start),
    )


def _cut_columns(matrix: Matrix) -> Matrix:
    shown = matrix.shown_columns[1]
    return replace(
        matrix,
        values=matrix.values[:, :shown],
        columns=matrix.columns[:shown],
        more_columns=len(matrix.columns) - shown,
    )
