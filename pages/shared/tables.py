"""Tables: what may stand in their cells, a column of shares, and rows that can be picked."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

ROW = 36
"""Pixels, of a row or of the line of names."""

_RUN = re.compile(r"(?![-+]?\d+(\.\d+)?\Z)[=+\-@\t\r\n＝＋－＠]")
"""What a spreadsheet takes for a formula (OWASP, "CSV Injection"); a number is none."""

GUARD = "\u200b"
"""Before a text that begins so: nothing on the screen, but no spreadsheet runs what follows."""


def cells(table: pd.DataFrame) -> pd.DataFrame:
    """A table as Streamlit may show it: its own button saves as CSV what is in the cells.

    Args:
        table: Texts that a spreadsheet would run are guarded, names of rows and columns too; a
            float32 is written in as few digits as bring it back, not in the 17 of a double.
    """
    made = table.rename(index=_guarded, columns=_guarded)
    if all(kind.kind == "f" for kind in table.dtypes) and table.size:  # hundreds of columns, maybe
        numbers = shortest(table.to_numpy())
        return pd.DataFrame(numbers, index=made.index, columns=made.columns)
    for number, kind in enumerate(table.dtypes):
        column = table.iloc[:, number]
        if kind.kind == "f":
            made.isetitem(number, shortest(column.to_numpy()))
        elif kind.kind not in "biu":
            made.isetitem(number, [_guarded(cell) for cell in column])
    return made


def shortest(numbers: np.ndarray) -> np.ndarray:
    """Those of the numbers that are float32 in their own digits, as float64; others unchanged."""
    exact = np.asarray(numbers, dtype=np.float64)
    single = exact.astype(np.float32)
    found = np.where(single == exact, np.nan, exact)
    # A table of all pairs has hundreds of thousands of cells: nine digits tell any two float32
    # apart, six are always safe, and a whole number over a power of ten is as exact as reading it.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        before = np.floor(np.log10(np.abs(exact)))  # of the first digit's place
        within = np.isnan(found) & (before > -13) & (before < 6)
        for digits in range(6, 10):
            scale = 10.0 ** (digits - 1 - before)
            rounded = np.rint(exact * scale) / scale
            fits = within & np.isnan(found) & (rounded.astype(np.float32) == single)
            found[fits] = rounded[fits]
    rest = np.isnan(found) & (single == exact)  # zero, the very small, the large
    found[rest] = single[rest].astype(str).astype(np.float64)
    return found


def _guarded(cell: Any) -> Any:
    return GUARD + cell if isinstance(cell, str) and _RUN.match(cell) else cell


def share_column(label: str, *, digits: int = 4, most: float = 1.0) -> Any:
    """A column of numbers from 0, each with a bar.

    Args:
        label: The column's name.
        digits: After the point.
        most: What a full bar stands for.
    """
    return st.column_config.ProgressColumn(
        label, format=f"%.{digits}f", min_value=0.0, max_value=most
    )


def pickable_table(
    table: pd.DataFrame,
    key: str,
    on_row: Callable[[int], None],
    *,
    height: int | Literal["content"],
    alt: str,
    columns: Mapping[str, Any],
) -> None:
    """Draw a table of which a click anywhere in a row picks the row.

    Args:
        table: Without its index.
        key: Distinct on the page.
        on_row: Called with the row's number, before the page runs again.
        height: Pixels, or as much as the rows need.
        alt: What there is to see, for those who do not.
        columns: How Streamlit shows each column.
    """
    st.dataframe(
        cells(table),
        hide_index=True,
        key=key,
        height=height,
        alt=alt,
        column_config=columns,
        selection_mode="single-cell",
        on_select=partial(_picked, key, len(table), on_row),
    )


def _picked(key: str, n_rows: int, on_row: Callable[[int], None]) -> None:
    cells = st.session_state[key].selection.cells
    if cells and 0 <= cells[0][0] < n_rows:
        on_row(cells[0][0])
