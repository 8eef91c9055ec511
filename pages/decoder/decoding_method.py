"""Popover for the decoding method of Translate and Generate, and its settings."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from model.transformer.beam import MOST_BEAMS
from pages.decoder.url import MAX_NEW_TOKENS, WritingKeys
from web.language import _
from web.widgets.choices import choose


def decoding_method(
    keys: WritingKeys,
    on_change: Callable[[], None] | None = None,
    on_length: Callable[[], None] | None = None,
) -> None:
    """Draw the popover; without ``on_length`` it has no box for the length."""
    names = {"greedy": _("Greedy"), "beam": _("Beam search"), "sample": _("Sampling")}
    methods = {name: names[name] for name in keys.methods}
    shown = methods[st.session_state[keys["how"]]]
    with st.popover(shown, icon=":material/tune:", key=keys["how_popover"]):
        method = choose(_("Decoding method"), methods, keys["how"], on_change=on_change)
        if method == "beam":
            st.slider(
                _("Beams: hypotheses kept at each step"),
                2,
                MOST_BEAMS,
                key="n_beams",
                persist_state="session",
            )
        elif method == "sample":
            _sampling(keys, on_change)
        if on_length:
            st.number_input(
                _("Tokens to write"),
                1,
                MAX_NEW_TOKENS,
                step=1,
                key="g_tokens",
                persist_state="session",
                on_change=on_length,
            )
        st.caption(_explanations()[method])


def _sampling(keys: WritingKeys, on_change: Callable[[], None] | None) -> None:
    common: dict[str, Any] = {"persist_state": "session", "on_change": on_change}
    # A slider with a thousand stops is hard to set.
    top_k_box: Callable[..., Any] = st.slider if keys.max_top_k <= 100 else st.number_input
    help_ = _(
        "Scores are divided by it before the softmax. Less than 1 makes the "
        "distribution sharper, more than 1 flatter."
    )
    key = keys["temperature"]
    st.slider(_("Temperature"), 0.1, 5.0, step=0.1, key=key, help=help_, **common)
    label = _("Top-k: only the k most probable (0: all)")
    top_k_box(label, 0, keys.max_top_k, step=1, key=keys["top_k"], **common)
    label = _("Top-p: the fewest tokens that together reach p")
    st.slider(label, 0.01, 1.0, step=0.01, key=keys["top_p"], **common)
    st.number_input(_("Seed"), 0, 10**6, step=1, key=keys["seed"], width=150, **common)


def _explanations() -> dict[str, str]:
    return {
        "greedy": _("Each step writes the most probable token."),
        "beam": _(
            "Each step keeps the best hypotheses, so a token that is second best at "
            "first can win in the end."
        ),
        "sample": _("Each step draws a token at random. The same seed gives the same text."),
    }
