"""Tables: a column of shares, and rows that can be picked."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

ROW = 36
"""Pixels, of a row or of the line of names."""


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
        table,
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
