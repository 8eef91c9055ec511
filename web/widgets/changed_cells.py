"""The largest changes between two heads, or between two layers."""

from functools import partial

import numpy as np
import streamlit as st

from model.analysis.align import largest_changes
from viz.style.labels import number
from web.language import _
from web.widgets.tables import table


def more_in(names: tuple[str, str]) -> tuple[str, str]:
    """Return the labels of both ends of the colour scale of a difference, second minus first."""
    words = names[0].startswith("“")  # of two sentences; Chinese writes no spaces around quotes
    text = _("more with {name}") if words else _("more in {name}")
    return text.format(name=names[0]), text.format(name=names[1])


def subtraction(first: str, second: str) -> str:
    """Return the name of a difference, second minus first."""
    return _("{second} minus {first}").format(first=first, second=second)


def described(title: str, count: int, ends: tuple[str, str]) -> str:
    """Return the alternative text of a subtraction; ``ends`` label its extremes."""
    low, high = ends
    return _(
        "{title}; {count} aligned tokens. Negative: {low}. Positive: {high}. A "
        "table lists the largest changes."
    ).format(title=title, count=count, low=low, high=high)


def changes(
    changed: np.ndarray,
    labels: list[str],
    sides: dict[str, np.ndarray],
    count: int = 8,
    unchanged: str = "",
    head: str = "",
) -> None:
    """Draw a table of the largest changes, (P, P), with both sides' weights, or ``unchanged``."""
    found = largest_changes(changed, count)
    if not found:
        st.info(unchanged or _("No weight changed."))
        return
    title = _("Largest changes in {head}").format(head=head) if head else _("Largest changes")
    difference_name = _("difference")
    columns = {
        title: [f"{labels[q]} → {labels[k]}" for q, k, _value in found],
        **{name: [at[q, k] for q, k, _value in found] for name, at in sides.items()},
        difference_name: [value for _q, _k, value in found],
    }
    signed = partial(number, form="+z.4f")
    numbers = {**dict.fromkeys(sides, "{:.4f}"), difference_name: signed}
    table(columns, title, numbers)
