"""Size counter: parameters, arithmetic and memory of a Transformer."""

import streamlit as st

from model import HeadlightError
from pages.about.sizes_chosen import choose_sizes
from pages.about.sizes_shown import (
    draw_built,
    draw_costs,
    draw_parts,
    draw_published,
    explain_costs,
)
from pages.about.url import PARAMETERS, architecture
from web.language import _, in_words, plain
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.source import show_source


@fragment("sizes")
def sizes() -> None:
    """Draw the presets, the inputs and the costs."""
    st.subheader(_("Where the parameters are"), anchor="sizes")
    choose_sizes()
    try:
        chosen = architecture()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    else:
        draw_costs(chosen)
        draw_parts(chosen)
        explain_costs(chosen)
        draw_built(chosen)
    draw_published()
    show_source("sizes", ["sizes"])
    address.keep(PARAMETERS)
