"""The models of the catalogue."""

import streamlit as st

from model import list_models
from web.language import _
from web.widgets.glossary import draw_meanings
from web.widgets.model_picker import descriptions


def models() -> None:
    """Draw the catalogue and explain which other models can be loaded."""
    st.subheader(_("Models"))
    notes = descriptions()
    draw_meanings({each.name: notes[each.name] for each in list_models()})
    st.caption(
        _(
            "scratch@STEP is scratch during its training. You can load most other models: where "
            "you choose a model, type a name from huggingface.co, or a folder or file on this "
            "computer. Headlight runs no code of the model."
        )
    )
