"""Tables: columns of numbers with their formats, and rows that can be selected."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from viz.style.labels import percent
from viz.style.theme import TABLE_BAR
from web import components
from web.language import plain

ROWS = 12
"""Rows in view of a table whose rows can be selected."""


def table(
    columns: Mapping[str, Any],
    alt: str,
    formats: Mapping[str, Any],
    *,
    bars: bool = False,
    height: Any = "content",
) -> None:
    """Draw a table by its columns. It is HTML, which present mode can magnify.

    Args:
        formats: What writes the numbers of a column: a function, or a string with the format of
            :meth:`str.format`. Other columns are texts.
        bars: Whether the columns of ``formats`` have bars, full at 1.
    """
    rows = pd.DataFrame({plain(name): list(values) for name, values in columns.items()})
    formats = {plain(name): form for name, form in formats.items()}
    texts = [name for name in rows if name not in formats]
    rows[texts] = rows[texts].map(lambda text: plain(str(text)))
    styled = rows.style.format(formats)
    if bars:
        styled = styled.bar(list(formats), vmin=0, vmax=1, height=60, color=TABLE_BAR)
    st.table(styled, hide_index=True, height=height, alt=alt)


def share_table(columns: Mapping[str, Any], alt: str, *, height: Any = "content") -> None:
    """Draw a table by its columns; numbers from 0 to 1 are percentages with bars."""
    shares = pd.DataFrame(columns).select_dtypes("number")
    table(columns, alt, dict.fromkeys(shares, percent), bars=True, height=height)


def selectable_table(
    columns: Mapping[str, Any],
    rows: Sequence[Sequence[object]],
    key: str,
    on_row: Callable[[int], None],
    *,
    marked: int | None,
    alt: str,
    whole: bool = False,
) -> None:
    """Draw a table, ``ROWS`` rows of it or the whole; a click in a row selects it.

    Args:
        columns: The title of each column, and how it is drawn: see components/table/table.js.
        rows: Cells in the order of the columns; None is a number that does not exist.
    """

    def picked() -> None:
        row = int(st.session_state[key].picked["row"])
        if 0 <= row < len(rows):
            on_row(row)

    high = len(rows) if whole else min(ROWS, len(rows))
    data = {"label": alt, "columns": columns, "rows": rows, "marked": marked, "high": high}
    components.table(data, key=key, height=39 + 36 * high, on_picked=picked)
