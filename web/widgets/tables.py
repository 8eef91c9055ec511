"""Tables: safe cells, columns with bars, and rows that can be selected."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from viz.style.theme import TABLE_BAR
from web.language import plain

ROW = 37
"""Height of a row or of the header, in pixels."""

_RUN = re.compile(r"(?![-+]?\d+(\.\d+)?\Z)[=+\-@\t\r\n＝＋－＠]")
"""Texts that a spreadsheet would run as formulas (OWASP, "CSV Injection"), numbers excluded."""

GUARD = "\u200b"
"""Invisible prefix that keeps a spreadsheet from running the text as a formula."""


def cells(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that is safe to show and to save, with guarded texts and short numbers."""
    made = table.rename(index=_guarded, columns=_guarded)
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
    return np.where(single == exact, single.astype(str).astype(np.float64), exact)


def _guarded(cell: Any) -> Any:
    return GUARD + cell if isinstance(cell, str) and _RUN.match(cell) else cell


def share_column(label: str, *, most: float = 1.0, digits: int = 4, help: str | None = None) -> Any:
    """Return the configuration of a column of non-negative numbers with bars."""
    return st.column_config.ProgressColumn(
        label, format=f"%.{digits}f", min_value=0.0, max_value=most, help=help
    )


def share_table(
    columns: Mapping[str, Any], alt: str, *, height: int | Literal["content"] = "content"
) -> None:
    """Draw a table by its columns; numbers from 0 to 1 have bars.

    They have up to 6 decimals if with 4 one near 1 would look like 1. It is HTML, which present
    mode can magnify.
    """
    table = pd.DataFrame(columns)
    shares = table.select_dtypes("number")
    texts = [name for name in table if name not in shares]
    table[texts] = table[texts].map(lambda text: plain(str(text)))
    below = shares.where(shares < 1).max().max()
    digits = next((n for n in (4, 5) if round(below, n) < 1), 6)
    styled = table.style.format(f"{{:.{digits}f}}", subset=shares.columns)
    styled = styled.bar(shares.columns, vmin=0, vmax=1, height=60, color=TABLE_BAR)
    st.table(styled, hide_index=True, height=height, alt=alt)


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
    """Draw a table, ``height`` pixels high or whole; a click anywhere in a row selects it."""
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
