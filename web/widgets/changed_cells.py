"""The cells that differ most between two heads, or two layers."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.align import largest_changes
from web.language import _
from web.widgets.tables import cells

MOST = 8
"""Cells that are listed."""


def more_in(names: tuple[str, str]) -> tuple[str, str]:
    """What the two ends of a difference's colours stand for: the second side minus the first."""
    low, high = (_("more in {name}").format(name=name) for name in names)
    return low, high


def described(title: str, count: int, ends: tuple[str, str]) -> str:
    """What there is to see in a difference, for those who do not.

    Args:
        title: What is subtracted from what.
        count: How many tokens are aligned.
        ends: Who has more where it is negative, and where it is positive.
    """
    low, high = ends
    return _(
        "{title}; {count} aligned tokens; below 0: {low}, above 0: {high}; the largest changes are "
        "listed."
    ).format(title=title, count=count, low=low, high=high)


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
