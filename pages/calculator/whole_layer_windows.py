"""Controls of a whole layer: the token to follow, and the windows of dimensions."""

import streamlit as st

from pages.calculator.layer_calculation import LayerCalculation
from viz.cards.layer_window import DIMS, KEYS
from web.language import _


def choose_windows(layer: LayerCalculation) -> None:
    """Draw the choice of the token, and the start of each window that does not fit."""
    run = layer.run()
    st.session_state["layer_token"] = layer.token
    st.selectbox(
        _("Token"),
        range(len(run.tokens)),
        format_func=run.tokens.__getitem__,
        key="layer_token",
        persist_state="session",
        width=150,
    )
    d_model, d_head = run.whole.x.shape[1], layer.window().d_head
    d_ff = run.whole.d_ff
    for key, label, length, most in (
        ("layer_dim", _("Dimension from"), d_model, DIMS),
        ("layer_part", _("Head columns from"), d_head, DIMS),
        ("layer_unit", _("Hidden units from"), d_ff, DIMS),
        ("first", _("Key from"), max(len(run.tokens), len(run.sources)), KEYS),
    ):
        last = max(length - most, 0)
        st.session_state[key] = min(st.session_state[key], last)
        if last:
            st.number_input(
                label,
                min_value=0,
                max_value=last,
                step=most,
                key=key,
                persist_state="session",
                width=150,
                help=_("{shown} of {count} are on screen; all are computed.").format(
                    shown=most, count=length
                ),
            )
