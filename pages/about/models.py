"""The models of the catalogue."""

import pandas as pd
import streamlit as st

from model import list_models
from web.language import _


def models() -> None:
    """Draw the catalogue and explain which other models can be loaded."""
    st.subheader(_("Models"))
    notes = {
        "scratch": _(
            "Our encoder, trained by us on openly licensed text; scratch@STEP is it on the way."
        ),
        "scratch-untrained": _("Our encoder with seeded random weights: the control."),
        "scratch-minilm": _(
            "Our encoder carrying MiniLM's weights: the same numbers as transformers to 1e-5."
        ),
        "minilm": _("all-MiniLM-L6-v2, a BERT of 6 layers x 12 heads; Apache-2.0."),
        "bert-base-uncased": _("BERT base, 12 x 12; Apache-2.0; downloaded when you ask for it."),
        "phrases": _("Our encoder-decoder, trained by us: English phrases to French."),
        "smollm2": _(
            "SmolLM2-135M-Instruct, a decoder of 30 x 9 heads; Apache-2.0; 4-bit weights as "
            "published, computed in 32 bits."
        ),
        "dates": _("The same, trained on written dates: to ISO, by character."),
    }
    table = pd.DataFrame(
        {
            _("name"): [m.name for m in list_models()],
            _("what"): [notes[m.name] for m in list_models()],
        }
    )
    st.dataframe(table, hide_index=True)
    st.caption(
        _(
            "Any BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT or ModernBERT encoder can be loaded "
            "besides: type its hub id or folder into a model picker. Only safetensors are read; "
            "no remote code is run."
        )
    )
