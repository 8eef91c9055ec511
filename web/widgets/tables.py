"""Tables: safe cells, columns with bars, and rows that can be selected."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

ROW = 37
"""Height of a row or of the header, in pixels."""

_RUN = re.compile(r"(?![-+]?\d+(\.\d+)?\Z)[=+\-@\t\r\n＝＋－＠]")
"""Texts that a spreadsheet would run as formulas (OWASP, "CSV Injection"), numbers excluded."""

GUARD = "\u200b"
"""Invisible prefix that keeps a spreadsheet from running the text as a formula."""


def cells(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that is safe to show and to export as CSV.

    Args:
        table: Texts that a spreadsheet would run get a prefix, in row and column names too;
            float32 values get the fewest digits that restore them.
    """
    made = table.rename(index=_guarded, columns=_guarded)
    if all(kind.kind == "f" for kind in table.dtypes) and table.size:  # fast path for wide tables
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
    """Return float32 values as the float64 with the fewest digits; other numbers unchanged."""
    exact = np.asarray(numbers, dtype=np.float64)
    single = exact.astype(np.float32)
    found = np.where(single == exact, np.nan, exact)
    # Vectorised, because a table of all pairs has hundreds of thousands of cells. Nine digits
    # distinguish any two float32 values, and six digits are always exact.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        before = np.floor(np.log10(np.abs(exact)))  # exponent of the first digit
        within = np.isnan(found) & (before > -13) & (before < 6)
        for digits in range(6, 10):
            scale = 10.0 ** (digits - 1 - before)
            rounded = np.rint(exact * scale) / scale
            fits = within & np.isnan(found) & (rounded.astype(np.float32) == single)
            found[fits] = rounded[fits]
    rest = np.isnan(found) & (single == exact)  # zero, and very small or large values
    found[rest] = single[rest].astype(str).astype(np.float64)
    return found


def _guarded(cell: Any) -> Any:
    return GUARD + cell if isinstance(cell, str) and _RUN.match(cell) else cell


def share_column(label: str, *, most: float = 1.0, help: str | None = None) -> Any:
    """Return the configuration of a column of non-negative numbers with bars."""
    return st.column_config.ProgressColumn(
        label, format="%.4f", min_value=0.0, max_value=most, help=help
    )


def share_table(
    columns: Mapping[str, Any],
    alt: str,
    *,
    height: int | Literal["content"] = "content",
    most: float = 1.0,
) -> None:
    """Draw a table by its columns; numbers from 0 to ``most`` have bars."""
    table = cells(pd.DataFrame(columns))
    bars = {name: share_column(name, most=most) for name in table.select_dtypes("number")}
    st.dataframe(table, hide_index=True, height=height, alt=alt, column_config=bars)


def pickable_table(
    table: pd.DataFrame,
    key: str,
    on_row: Callable[[int], None],
    *,
    marked: int | None,
    height: int | Literal["content"],
    alt: str,
    columns: Mapping[str, Any],
    percents: Sequence[str] = (),
) -> None:
    """Draw a table; a click anywhere in a row selects it.

    Args:
        height: Pixels, or the height of all rows.
    """
    # A click selects a cell; the mark moves from the cell to its whole row.
    rows = [] if marked is None else [marked]
    st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    shown = cells(table)
    st.dataframe(
        # Streamlit's own format drops a last zero: 43.2% beside 88.25%.
        shown.style.format("{:.1%}", subset=list(percents), na_rep="–") if percents else shown,
        hide_index=True,
        key=key,
        height=height,
        alt=alt,
        column_config=columns,
        placeholder="–",
        selection_mode=["single-row", "single-cell"],
        on_select=partial(_picked, key, len(table), on_row),
    )


def _picked(key: str, n_rows: int, on_row: Callable[[int], None]) -> None:
    selection = st.session_state[key].selection
    rows = [cell[0] for cell in selection.cells] or selection.rows
    if rows and 0 <= rows[0] < n_rows:
        on_row(rows[0])
