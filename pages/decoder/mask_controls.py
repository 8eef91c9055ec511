"""Inputs of Masks and Efficient attention: the sentence, the encoder, the mask, sizes, the head."""

import streamlit as st

from model.analysis.masking import MaskedRun
from pages.decoder.mask_spec import MAX_PADDING, MAX_TOKENS, PADDED_MASKS, mask_names
from pages.decoder.url import ENCODERS
from web.cache import loaded_models
from web.language import _, plain
from web.widgets import sentence_box
from web.widgets.choices import choose
from web.widgets.head_picker import head_boxes
from web.widgets.share_link import copy_link


def sentence_form() -> bool:
    """Draw the row with the sentence and the encoder, or a hint; return whether there is one."""
    sentence_box.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        sentence_box.first_box()
        st.selectbox(
            _("Our encoder"),
            ENCODERS,
            key="encoder",
            persist_state="session",
            label_visibility="collapsed",
            width=190,
        )
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
    model = loaded_models.loaded_model(st.session_state["encoder"])
    kind = choose(_("Mask"), mask_names(), "mask_kind", label_hidden=True)
    with st.container(horizontal=True, vertical_alignment="bottom", key="mask_sizes"):
        head_boxes("mask_", model.n_layers, model.n_heads, _("Layer"), _("Head"))
        if kind in PADDED_MASKS:
            integer_box(
                _("[PAD] tokens"),
                "pads",
                0,
                MAX_PADDING,
                help=_("Added after the sentence, as in a batch with a longer one."),
            )
        st.toggle(
            _("Inverted"),
            key="inverted",
            persist_state="session",
            help=_(
                "A classic mistake: the code reads True as “hidden”, but it means "
                "“allowed”. Every cell becomes its opposite."
            ),
        )


def integer_box(
    label: str, key: str, low: int, high: int, step: int = 1, help: str | None = None
) -> None:
    """Draw a box for a whole number."""
    st.number_input(
        label,
        min_value=low,
        max_value=high,
        step=step,
        key=key,
        persist_state="session",
        width=150,
        help=help,
    )
