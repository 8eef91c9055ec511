"""Rankings for the picked tokens: the tokens they attend to, and the tokens attending to them."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.units import attended_by, attends_to
from pages.explore.selected_head import selected
from viz import shortened
from web.language import _, ngettext, plain
from web.widgets.model_name import model_name
from web.widgets.sentence_box import picked
from web.widgets.sides import SideView
from web.widgets.tables import cells


def ranks(view: SideView, left: SideView, weights: np.ndarray) -> None:
    """Draw both rankings, if tokens (of the left side's units) are picked."""
    chosen = picked(view, left)
    if not chosen:
        return
    names = ", ".join(view.labels[i] for i in chosen)
    allowed = view.allowed_in(selected(view)[0])
    seen = np.ones(weights.shape, dtype=bool) if allowed is None else allowed
    given, received = st.columns(2)
    with given:
        heading = ngettext(
            "{tokens} attends to", "{tokens} attend to (sums of {count} rows)", len(chosen)
        )
        given_to = np.where(attends_to(seen, chosen), attends_to(weights, chosen), np.nan)
        _rank(view, heading, names, given_to, len(chosen))
    with received:
        heading = ngettext(
            "Attends to {tokens}", "Attend to {tokens} (sums of {count} columns)", len(chosen)
        )
        given_by = np.where(attended_by(seen, chosen), attended_by(weights, chosen), np.nan)
        _rank(view, heading, names, given_by, len(chosen))


def _rank(view: SideView, heading: str, names: str, values: np.ndarray, count: int) -> None:
    """Draw one ranking without the cells that the mask hides."""
    title = heading.format(tokens=plain(shortened(names, 40)), count=count)
    st.caption(f"{plain(model_name(view.request.model))} · **{title}**")
    order = [i for i in np.argsort(-values, kind="stable") if np.isfinite(values[i])]
    table = pd.DataFrame({"token": [view.labels[i] for i in order], "weight": values[order]})
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
