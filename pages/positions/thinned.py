"""Caption for large tables that are drawn in part."""

import numpy as np
import streamlit as st

from web.language import _


def caption_drawn_part(length: int, d_model: int, rows: np.ndarray, columns: np.ndarray) -> None:
    """Name the drawn rows and columns of a table with more cells than a screen has pixels."""
    steps = [int(x[1] - x[0]) if len(x) > 1 else 1 for x in (rows, columns)]
    if max(steps) > 1:
        st.caption(
            _(
                "{drawn:,} of {cells:,} values are drawn: positions in steps of {rows}, dimensions "
                "in steps of {columns}."
            ).format(
                cells=length * d_model,
                drawn=len(rows) * len(columns),
                rows=steps[0],
                columns=steps[1],
            )
        )
