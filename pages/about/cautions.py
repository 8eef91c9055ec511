"""Cautions about reading attention as explanation."""

import streamlit as st

from web.language import _


def cautions() -> None:
    """Draw the three cautions."""
    st.subheader(_("What attention does not say"))
    st.markdown(
        _(
            "- **Attention is not explanation.** A large weight says where a head reads from, not "
            "why the model decides as it does; other weights can give the same output.\n"
            "- **Untrained weights carry no meaning.** The untrained encoder is the control: "
            "whatever it also shows was not learned.\n"
            "- **Much attention rests** on `[CLS]`, `[SEP]` and punctuation: often a head's way "
            "of doing nothing."
        )
    )
