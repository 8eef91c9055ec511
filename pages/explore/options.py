"""Examples to begin with, and how both sides show their tokens."""

import streamlit as st

from pages.shared import sentence
from pages.shared.language import _


def options() -> None:
    """Draw the examples and the choices that hold for both sides."""
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence.offer_examples()
        st.toggle(
            _("Merge word pieces"),
            key="words",
            on_change=sentence.forget_picks,
            persist_state="session",
            help=_("Attention to a word is the sum over its pieces, from a word their mean."),
        )
        names = {
            "show": _("Show special tokens"),
            "hide": _("Hide them: rows sum to what remains"),
            "renormalise": _("Hide them and renormalise rows to 1"),
        }
        st.selectbox(
            _("Special tokens"),
            list(names),
            format_func=names.__getitem__,
            key="special",
            on_change=sentence.forget_picks,
            persist_state="session",
            label_visibility="collapsed",
            width=300,
        )
