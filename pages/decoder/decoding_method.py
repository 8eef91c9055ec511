"""Popover for the decoding method of Translate and Generate, and its settings."""

from collections.abc import Callable

import streamlit as st

from pages.decoder.url import Translate, Writing
from web.language import N_, translated


def decoding_method(
    of: Writing,
    on_change: Callable[[], None] | None = None,
    draw_more: Callable[[], None] = lambda: None,
) -> None:
    """Draw the popover; ``draw_more`` draws further options in it."""
    with st.popover(
        of.how.names()[of.how.value], icon=":material/tune:", key=f"{of.prefix}how_popover"
    ):
        method = of.how.draw(on_change=on_change)
        st.caption(translated(EXPLANATIONS[method]))
        if method == "beam":
            Translate.beams.draw()
        elif method == "sample":
            for field in (of.temperature, of.top_k, of.top_p, of.seed):
                field.draw(on_change=on_change)
        draw_more()


EXPLANATIONS = {
    "greedy": N_("Each step writes the most probable token."),
    "beam": N_(
        "Each step keeps the best hypotheses, so a token that is second best at "
        "first can win in the end."
    ),
    "sample": N_("Each step draws a token at random. The same seed gives the same text."),
}
