"""The models of the catalogue."""

import streamlit as st

from model import list_models
from web.language import _
from web.widgets.glossary import draw_meanings, terms


def models() -> None:
    """Draw the catalogue and explain which other models can be loaded."""
    st.subheader(_("Models"), anchor="models")
    meanings = _meanings()
    st.markdown(meanings[_("Encoder, decoder")])
    draw_meanings({each.name: meanings[each.name] for each in list_models()})
    st.caption(
        _(
            "You can load most other models: where you choose a model, type a name from "
            "huggingface.co, or a folder or file on this computer."
        )
    )


def _meanings() -> dict[str, str]:
    """Return a sentence on each model of the catalogue, in the reader's language."""
    return {
        **terms(),
        "scratch-untrained": _("The same encoder with random numbers, never trained."),
        "bert-base-uncased": _(
            "The BERT of 2018: 12 layers of 12 heads. It must be downloaded from huggingface.co."
        ),
        "phrases": _("Our encoder-decoder, which translates short English phrases into French."),
        "dates": _(
            "Our encoder-decoder, which turns dates such as “5 March 2021” into 2021-03-05."
        ),
        "smollm2": _(
            "SmolLM2-135M-Instruct, a pretrained decoder of 30 layers with 9 heads each; it "
            "continues a text."
        ),
    }
