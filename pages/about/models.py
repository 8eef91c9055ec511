"""The models of the catalogue."""

import pandas as pd
import streamlit as st

from model import list_models
from web.language import _
from web.model_name import descriptions


def models() -> None:
    """Draw the catalogue and explain which other models can be loaded."""
    st.subheader(_("Models"))
    notes = descriptions()
    table = pd.DataFrame(
        {
            _("name"): [m.name for m in list_models()],
            _("what"): [notes[m.name] for m in list_models()],
        }
    )
    st.dataframe(table, hide_index=True)
    st.caption(
        _(
            "scratch@STEP is scratch during its training. You can load most other models: where "
            "you choose a model, type a name from huggingface.co, or a folder or file on this "
            "computer. Headlight runs no code of the model."
        )
    )
