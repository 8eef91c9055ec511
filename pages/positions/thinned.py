"""A large table of positions is drawn in part, and that is said."""

import numpy as np
import streamlit as st

from pages.shared.language import _


def say_drawn(length: int, d_model: int, rows: np.ndarray, columns: np.ndarray) -> None:
    """Say what of a large table is drawn: no screen has a pixel for every cell.

    Args:
        length: Of the table.
        d_model: Its width.
        rows: The positions that are drawn, evenly apart.
        columns: The dimensions that are drawn, evenly apart.
    """
    steps = [int(x[1] - x[0]) if len(x) > 1 else 1 for x in (rows, columns)]
    if max(steps) > 1:
        st.caption(
            _(
                "Of {cells:,} values {drawn:,} are drawn: one position in {rows}, one dimension in "
                "{columns}. Each is exact; none is an average."
            ).format(
                cells=length * d_model,
                drawn=len(rows) * len(columns),
                rows=steps[0],
                columns=steps[1],
            )
        )
