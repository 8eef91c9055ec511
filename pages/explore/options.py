"""Popover with the display options of tokens and weights."""

import streamlit as st

from web.language import _
from web.widgets import sentence_box
from web.widgets.choices import choose
from web.widgets.head_comparison import no_correspondence


def options() -> None:
    """Draw the popover. Only options of tokens rerun more than the details."""
    with st.popover(_("Display"), icon=":material/tune:", key="display"):
        _tokens()
        st.toggle(
            _("Same place on both sides"), key="same", on_change=_on_same, persist_state="session"
        )
        st.caption(no_correspondence())
        for label, names, key in (
            (_("Colour"), {"linear": _("Linear"), "sqrt": _("Square root")}, "scale"),
            (_("Range"), {"unit": "0 – 1", "data": _("Data")}, "range"),
        ):
            choose(label, names, key, on_change=_repaint)


def _tokens() -> None:
    st.toggle(
        _("Merge word pieces"),
        key="words",
        on_change=sentence_box.clear_picks,
        persist_state="session",
        help=_(
            "Attention to a word is the sum over its pieces. Attention from a word is their mean."
        ),
    )
    names = {
        "show": _("Show"),
        "hide": _("Hide: rows sum to less than 1"),
        "renormalise": _("Hide, and scale rows to sum to 1"),
    }
    st.selectbox(
        _("Special tokens"),
        list(names),
        format_func=names.__getitem__,
        key="special",
        on_change=sentence_box.clear_picks,
        persist_state="session",
        width=300,
    )


def _on_same() -> None:
    """A callback: show the same place on both sides, or keep the places and pair the next click."""
    if st.session_state["same"]:
        st.session_state["linked"] = True
    _repaint()


def _repaint() -> None:
    """A callback: rerun the details, which also update the view in the browser."""
    if sentence_box.has_text():  # without a sentence there are no details
        st.rerun("details")
