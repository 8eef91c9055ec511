"""What to follow through a whole layer: a translator's sentence, a token, windows of dimensions."""

import streamlit as st

from model import HeadlightError
from model.catalogue.models import TRANSLATORS
from pages.calculator.address import SOURCES
from pages.calculator.whole_layer_run import Asked, layer_run, sizes
from pages.calculator.whole_layer_task import Layer
from pages.shared.language import _, in_words, plain
from viz.cards.layer_window import DIMS, KEYS


def ask_translator(stack: str) -> Asked | None:
    """Draw the choice of a translator and what it reads; None, and why, if it cannot.

    Args:
        stack: "source" or "decoder".
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(_("What it reads"), key="layer_source", persist_state="session")
        st.selectbox(
            _("Translator"),
            TRANSLATORS,
            key="layer_translator",
            on_change=_own_example,
            persist_state="session",
            width=190,
        )
    text = st.session_state["layer_source"]
    asked = Asked(st.session_state["layer_translator"], stack, text)
    try:
        sizes(asked)
        layer_run(asked, 0)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None
    return asked


def _own_example() -> None:
    """Put a translator's own example in the place of another's; a callback."""
    state = st.session_state
    if state["layer_source"] in SOURCES:
        state["layer_source"] = SOURCES[TRANSLATORS.index(state["layer_translator"])]


def choose_windows(task: Layer) -> None:
    """Draw the choice of the token, and of the dimensions that are drawn where not all are."""
    run = task.run()
    st.session_state["layer_token"] = task.token
    st.selectbox(
        _("Token"),
        range(len(run.tokens)),
        format_func=run.tokens.__getitem__,
        key="layer_token",
        persist_state="session",
        width=150,
    )
    d_model, d_head = run.whole.x.shape[1], task.window().d_head
    d_ff = run.whole.d_ff
    for key, label, length, most in (
        ("layer_dim", _("Dimension from"), d_model, DIMS),
        ("layer_part", _("In the head from"), d_head, DIMS),
        ("layer_unit", _("Hidden unit from"), d_ff, DIMS),
        ("first", _("Key from"), max(len(run.tokens), len(run.sources)), KEYS),
    ):
        last = max(length - most, 0)
        st.session_state[key] = min(st.session_state[key], last)
        if last:
            st.number_input(
                label,
                min_value=0,
                max_value=last,
                step=most,
                key=key,
                persist_state="session",
                width=150,
                help=_("{shown} of {count} are drawn; all of them take part.").format(
                    shown=most, count=length
                ),
            )
