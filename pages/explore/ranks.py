"""Rankings for the picked tokens: the tokens they attend to, and the tokens attending to them."""

import numpy as np
import streamlit as st

from model.analysis.units import attended_by, attends_to
from pages.explore.selected_head import selected
from viz import shortened
from web.language import _, ngettext, plain
from web.model_name import model_name
from web.subject import Subject
from web.widgets.sentence_box import picked
from web.widgets.tables import share_table


def ranks(view: Subject, left: Subject, weights: np.ndarray) -> None:
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


def _rank(view: Subject, heading: str, names: str, values: np.ndarray, count: int) -> None:
    """Draw one ranking without the cells that the mask hides."""
    title = heading.format(tokens=plain(shortened(names, 40)), count=count)
    st.caption(f"{plain(model_name(view.model))} · **{title}**")
    labels = view.key_labels or view.labels
    order = [i for i in np.argsort(-values, kind="stable") if np.isfinite(values[i])]
    share = _("weight") if count == 1 else _("sum of {count} weights").format(count=count)
    share_table(
        {_("token"): [labels[i] for i in order], share: values[order]},
        _("Tokens by attention weight"),
        height=250,
        most=float(count),
    )
