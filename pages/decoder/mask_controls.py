"""Inputs of Masks and Efficient attention: the sentence, the encoder, the mask, sizes, the head."""

import streamlit as st

from model.analysis.masking import MaskedRun
from pages.decoder.mask_spec import MAX_TOKENS, PADDED_MASKS
from pages.decoder.url import Masks
from web.cache import loaded_models
from web.language import _, plain
from web.widgets import sentence_box
from web.widgets.head_picker import head_boxes
from web.widgets.share_link import copy_link


def sentence_form() -> bool:
    """Draw the row with the sentence and the encoder, or a hint; return whether there is one."""
    sentence_box.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        sentence_box.first_box()
        Masks.encoder.draw()
        copy_link()
    if sentence_box.has_text():
        return True
    st.info(_("Type a sentence"))
    return False


def warn_of_limit(run: MaskedRun) -> None:
    """Warn if the sentence was cut."""
    left_out = run.capture.left_out[0].split()
    if left_out:
        st.warning(
            _(
                "The sentence is cut after {most} tokens. The text from “{begin}” is not included."
            ).format(most=MAX_TOKENS, begin=plain(" ".join(left_out[:6])[:100]))
        )


def mask_controls() -> None:
    """Draw the choice of the mask and the head."""
    model = loaded_models.loaded_model(Masks.encoder.value)
    kind = Masks.mask.draw()
    with st.container(horizontal=True, vertical_alignment="bottom", key="mask_sizes"):
        head_boxes(model.n_layers, model.n_heads, Masks.layer, Masks.head)
        if kind in PADDED_MASKS:
            Masks.pads.draw()
        Masks.inverted.draw()
