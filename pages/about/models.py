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
            "Our encoder, trained by us on openly licensed text. scratch@STEP is a checkpoint "
            "of this training."
        ),
        "scratch-untrained": _("Our encoder with random weights, for comparison."),
        "scratch-minilm": _(
            "Our encoder with MiniLM's weights. It computes the same numbers as minilm."
        ),
        "minilm": _("all-MiniLM-L6-v2, a BERT of 6 layers x 12 heads; Apache-2.0."),
        "minilm-sentiment": _("MiniLM, trained further by us to tell praise from complaint."),
        "bert-base-uncased": _(
            "BERT base, 12 layers x 12 heads; Apache-2.0; downloaded on request."
        ),
        "phrases": _("Our encoder-decoder, trained by us to translate English phrases to French."),
        "smollm2": _(
            "SmolLM2-135M-Instruct, a decoder of 30 layers x 9 heads; Apache-2.0; a third party "
            "rounded its weights to 4 bits."
        ),
        "dates": _(
            "Our encoder-decoder, trained by us to write dates in ISO form, character by character."
        ),
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
            "You can load most other models: type a name from huggingface.co, or a folder or file "
            "on this computer, where you choose a model. Headlight runs no code of the model."
        )
    )
