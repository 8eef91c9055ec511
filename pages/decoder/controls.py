"""What the part Masks asks for: the sentence, the mask, its sizes, the head."""

import streamlit as st

from pages.decoder.address import MASKS, MOST_PADDING, OURS, PADDED, PATTERNS
from pages.decoder.chosen import names
from pages.shared import loading, sentence
from pages.shared.choices import choose
from pages.shared.hand_out import copy_link
from pages.shared.head_picker import head_boxes
from pages.shared.language import _

EXAMPLES: dict[str, dict[str, object]] = {
    "leak": {"mask_kind": "causal", "inverted": True, "below": "weight"},
    "window": {"mask_kind": "window", "inverted": False, "reach": 2, "below": "reach"},
    "memory": {"mask_kind": "none", "inverted": False, "n": 6455, "below": "cost"},
}


def ask_for_sentence() -> bool:
    """Draw the row that asks for the sentence and the encoder; True if there is text."""
    sentence.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        sentence.box()
        st.selectbox(
            _("Our encoder"),
            OURS,
            key="encoder",
            persist_state="session",
            label_visibility="collapsed",
            width=190,
        )
        _examples()
        copy_link()
    if sentence.given():
        return True
    st.info(_("Type a sentence above."))
    return False


def _examples() -> None:
    """Draw the menu of views worth a look; one that is chosen is set, and the run goes on."""
    titles = {
        "leak": _("A causal mask, inverted"),
        "window": _("What a window reaches"),
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


def ask_for_mask() -> None:
    """Draw the choice of the mask, its sizes and the head that is shown."""
    known, model = names(), loading.loaded_model(st.session_state["encoder"])
    kind = choose(
        _("Mask"),
        {name: known[name] for name in (*MASKS, *PATTERNS)},
        "mask_kind",
        label_hidden=True,
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="mask_sizes"):
        head_boxes("mask_", model.n_layers, model.n_heads, _("Layer"), _("Head"))
        for key in SIZES.get(kind, ()):
            _size(key)
        if kind in PADDED:
            whole(
                _("[PAD] tokens"),
                "pads",
                0,
                MOST_PADDING,
                help=_("Appended behind the sentence, as in a batch with a longer one."),
            )
        if kind in PATTERNS:
            st.toggle(_("Causal, too"), key="causal_too", persist_state="session")
        st.toggle(
            _("Inverted"),
            key="inverted",
            persist_state="session",
            help=_(
                "The classic mistake: True taken for “hidden” where it means “allowed”, so that "
                "every cell becomes its opposite."
            ),
        )


SIZES = {
    "window": ("reach",),
    "dilated": ("reach", "dilation"),
    "global": ("reach", "n_global"),
    "random": ("block", "n_global", "n_random", "mask_seed"),
    "block": ("block",),
    "strided": ("stride",),
}
"""What each pattern is made with."""


def _size(key: str) -> None:
    """Draw the box of a pattern's size."""
    label, low, high = {
        "reach": (_("Reach (each side)"), 0, 4096),
        "dilation": (_("Dilation"), 1, 64),
        "n_global": (_("Global"), 0, 64),
        "block": (_("Block"), 1, 4096),
        "n_random": (_("Random blocks"), 0, 64),
        "stride": (_("Stride"), 1, 4096),
        "mask_seed": (_("Seed"), 0, 10**6),
    }[key]
    whole(label, key, low, high)


def whole(label: str, key: str, low: int, high: int, help: str | None = None) -> None:
    """Draw a box for a whole number.

    Args:
        label: Over it.
        key: Of the session.
        low: The least.
        high: The most.
        help: Said where the pointer rests on the label's mark.
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
