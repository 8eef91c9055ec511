"""The cells that differ most between two heads, or two layers."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.align import largest_changes
from pages.shared.language import _
from pages.shared.tables import cells

MOST = 8
"""Cells that are listed."""


def changes(
    changed: np.ndarray,
    labels: list[str],
    sides: dict[str, np.ndarray],
    count: int = MOST,
) -> None:
    """List them with what stands on either side.

    Args:
        changed: (P, P), of aligned units.
        labels: What the units are called, P.
        sides: What the two are called, and what they have there: (P, P) each.
        count: At most so many cells.
    """
    st.caption(_("Largest changes"))
    found = largest_changes(changed, count)
    if not found:
        st.info(_("Nothing moved in this head."))
        return
    difference_name = _("difference")
    table = pd.DataFrame(
        {
            _("query → key"): [f"{labels[q]} → {labels[k]}" for q, k, _value in found],
            **{name: [at[q, k] for q, k, _value in found] for name, at in sides.items()},
            difference_name: [value for _q, _k, value in found],
        }
    )
    numbers = {**dict.fromkeys(sides, "{:.4f}"), difference_name: "{:+.4f}"}
    st.dataframe(cells(table).style.format(numbers), hide_index=True, height="content")
