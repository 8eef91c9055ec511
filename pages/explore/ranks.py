"""The picked tokens: where they attend, and who attends to them."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.units import attended_by, attends_to
from pages.explore.selected import selected
from pages.shared.language import _, ngettext, plain
from pages.shared.recipe import Shown
from pages.shared.sentence import picked
from pages.shared.tables import cells
from viz import shortened


def ranks(shown: Shown, left: Shown, weights: np.ndarray) -> None:
    """Draw both rankings, if tokens are picked.

    Args:
        shown: The side.
        left: The left side, in whose units picks are kept.
        weights: Of the selected head between the side's units, (U, U).
    """
    chosen = picked(shown, left)
    if not chosen:
        return
    names = ", ".join(shown.labels[i] for i in chosen)
    allowed = shown.allowed_in(selected(shown)[0])
    seen = np.ones(weights.shape, dtype=bool) if allowed is None else allowed
    given, received = st.columns(2)
    with given:
        heading = ngettext(
            "{tokens} attends to", "{tokens} attend to: sums of {count} rows", len(chosen)
        )
        _rank(shown, heading, names, attends_to(weights, chosen), attends_to(seen, chosen), chosen)
    with received:
        heading = ngettext(
            "Attends to {tokens}", "Attend to {tokens}: sums of {count} columns", len(chosen)
        )
        _rank(shown, heading, names, attended_by(weights, chosen), attended_by(seen, chosen), chosen)


def _rank(
    shown: Shown, heading: str, names: str, values: np.ndarray, seen: np.ndarray, chosen: list[int]
) -> None:
    """Draw one. What the mask hides from each of the chosen, of which none is seen, is not in it."""
    count = len(chosen)
    told = heading.format(tokens=plain(shortened(names, 40)), count=count)
    st.caption(f"**{told}**")
    order = [i for i in np.argsort(-values, kind="stable") if seen[i]]
    table = pd.DataFrame({"token": [shown.labels[i] for i in order], "weight": values[order]})
    st.dataframe(
        cells(table),
        hide_index=True,
        height=250,
        alt=_("Tokens by attention weight"),
        column_config={
            "token": st.column_config.TextColumn(_("token")),
            "weight": st.column_config.ProgressColumn(
                _("weight") if count == 1 else _("sum of {count} weights").format(count=count),
                format="%.4f",
                min_value=0.0,
                max_value=float(count),
            ),
        },
    )
