"""Sizes: what every dimension of a Transformer costs in parameters, arithmetic and memory."""

import streamlit as st

from model import HeadlightError
from pages.about.address import PARAMETERS, architecture
from pages.about.sizes_chosen import choose_sizes
from pages.about.sizes_shown import (
    draw_parts,
    draw_published,
    explain_costs,
    say_built,
    say_costs,
)
from pages.shared import address
from pages.shared.language import _, in_words, plain
from pages.shared.source import show_source


@st.fragment(key="sizes")
def sizes() -> None:
    """Draw the counter: a click on a known model or any size of one's own, and what it costs."""
    st.subheader(_("Where the parameters are"), anchor="sizes")
    choose_sizes()
    try:
        chosen = architecture()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    else:
        say_costs(chosen)
        draw_parts(chosen)
        explain_costs(chosen)
        say_built(chosen)
    draw_published()
    show_source("sizes", ["sizes"])
    address.keep(PARAMETERS)
