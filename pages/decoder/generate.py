"""Generate: a text, written on by a decoder token by token, and what it looked at meanwhile."""

import streamlit as st

from model import HeadlightError
from model.catalogue.causal import LoadedCausal
from pages.decoder.generate_address import GENERATE
from pages.decoder.generate_ask import ask
from pages.decoder.generate_asked import Prompt
from pages.decoder.generate_heads import heads
from pages.decoder.generate_live import live
from pages.decoder.generate_seen import seen
from pages.shared import address
from pages.shared.language import _, in_words, plain


def generate() -> None:
    """Draw the part from top to bottom."""
    model = ask()
    if model is not None:
        if st.session_state["g_text"].strip():
            _written(model)
        else:
            st.info(_("Type a beginning above, or take one of the examples."))
    address.keep(GENERATE)


def _written(model: LoadedCausal) -> None:
    # Before the first token: while it writes, the address is already the text's own.
    address.keep(GENERATE)
    try:
        prompt = Prompt.of_session(model)
        generation = live(prompt)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    with st.container(key="g_result"):
        seen(prompt, generation)
        heads(prompt, generation)
        _limits(model)


def _limits(model: LoadedCausal) -> None:
    """Say what there is room for, and what not to expect."""
    st.caption(
        _(
            "Prompt and text together are at most {count} tokens: it reads no more here, and all "
            "that it saw is kept. Greedy, it always writes the same; what it says may be wrong."
        ).format(count=model.predictor.max_len)
    )
