"""Cautions about reading attention as explanation."""

import streamlit as st

from web.language import _


def cautions() -> None:
    """Draw the three cautions."""
    st.subheader(_("What attention does not show"))
    st.markdown(
        _(
            "- **Attention is not an explanation.** A large weight shows where a head reads, "
            "not why the model decides. Other weights can give the same output.\n- **Untrained "
            "weights have no meaning.** Compare with the untrained encoder: a pattern that it "
            "also shows was not learned.\n- **Many heads attend** to `[CLS]`, `[SEP]` and "
            "punctuation. Often such a head has nothing to do."
        )
    )
