"""Inputs of the part Masks: the sentence, the encoder, the mask with its sizes, and the head."""

import streamlit as st

from pages.decoder.mask_spec import BASIC_MASKS, MAX_PADDING, PADDED_MASKS, PATTERNS, mask_names
from pages.decoder.url import ENCODERS
from web.cache import loaded_models
from web.language import _
from web.widgets import sentence_box
from web.widgets.choices import choose
from web.widgets.head_picker import head_boxes
from web.widgets.share_link import copy_link

EXAMPLES: dict[str, dict[str, object]] = {
    "leak": {"mask_kind": "causal", "inverted": True, "below": "weight"},
    "window": {"mask_kind": "window", "inverted": False, "reach": 2, "below": "reach"},
    "memory": {"mask_kind": "none", "inverted": False, "n": 6455, "below": "cost"},
}


def sentence_form() -> bool:
    """Draw the row with the sentence and the encoder.

    Returns:
        Whether there is a sentence; if not, a hint is drawn.
    """
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
        _examples()
        copy_link()
    if sentence_box.has_text():
        return True
    st.info(_("Type a sentence"))
    return False


def _examples() -> None:
    """Draw the menu of examples, and apply the chosen one to this run."""
    titles = {
        "leak": _("A causal mask, inverted"),
        "window": _("The reach of a window"),
        "memory": _("Past 24 GB"),
    }
    chosen = st.menu_button(
        _("Try"),
        list(EXAMPLES),
        format_func=titles.__getitem__,
        key="tries",
        icon=":material/lightbulb:",
    )
    if chosen:
        for key, value in EXAMPLES[chosen].items():
            st.session_state[key] = value


def mask_controls() -> None:
    """Draw the choice of the mask, its sizes and the head."""
    names, model = mask_names(), loaded_models.loaded_model(st.session_state["encoder"])
    kind = choose(
        _("Mask"),
        {name: names[name] for name in (*BASIC_MASKS, *PATTERNS)},
        "mask_kind",
        label_hidden=True,
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="mask_sizes"):
        head_boxes("mask_", model.n_layers, model.n_heads, _("Layer"), _("Head"))
        if kind in PATTERNS:
            for key in PATTERNS[kind].keys:
                _size_box(key)
        if kind in PADDED_MASKS:
            integer_box(
                _("[PAD] tokens"),
                "pads",
                0,
                MAX_PADDING,
                help=_("Added after the sentence, as in a batch with a longer one."),
            )
        if kind in PATTERNS:
            st.toggle(_("Causal, too"), key="causal_too", persist_state="session")
        st.toggle(
            _("Inverted"),
            key="inverted",
            persist_state="session",
            help=_(
                "A classic mistake: the code reads True as “hidden”, but it means "
                "“allowed”. Every cell becomes its opposite."
            ),
        )


def _size_box(key: str) -> None:
    """Draw the box for a size of a pattern, named by its session key."""
    label, low, high = {
        "reach": (_("Reach (each side)"), 0, 4096),
        "dilation": (_("Dilation"), 1, 64),
        "n_global": (_("Global"), 0, 64),
        "block": (_("Block"), 1, 4096),
        "n_random": (_("Random blocks"), 0, 64),
        "stride": (_("Stride"), 1, 4096),
        "mask_seed": (_("Seed"), 0, 10**6),
    }[key]
    integer_box(label, key, low, high)


def integer_box(label: str, key: str, low: int, high: int, help: str | None = None) -> None:
    """Draw a box for a whole number.

    Args:
        label: Label above the box.
        key: Session key.
        low: Smallest value.
        high: Largest value.
        help: Tooltip of the label.
    """
    st.number_input(
        label,
        min_value=low,
        max_value=high,
        step=1,
        key=key,
        persist_state="session",
        width=150,
        help=help,
    )
