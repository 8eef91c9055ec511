"""How the translator writes: greedily, by beam search, or by drawing."""

import streamlit as st

from model.transformer.beam import MOST_BEAMS
from pages.decoder.translate_address import MOST_TOP_K
from pages.shared.choices import choose
from pages.shared.language import _


def how() -> None:
    """Draw the button behind which one chooses."""
    ways = {"greedy": _("Greedy"), "beam": _("Beam search"), "sample": _("Sampling")}
    with st.popover(ways[st.session_state["how"]], icon=":material/tune:", key="how_popover"):
        way = choose(_("How it writes"), ways, "how")
        if way == "beam":
            st.slider(
                _("Beams: hypotheses kept at every step"),
                2,
                MOST_BEAMS,
                key="n_beams",
                persist_state="session",
            )
        elif way == "sample":
            _sampling()
        st.caption(
            {
                "greedy": _("At every step the most probable token is written."),
                "beam": _(
                    "At every step the best beginnings are kept, so that a token that seems second "
                    "best may win in the end."
                ),
                "sample": _("At every step a token is drawn; the seed makes the draw repeatable."),
            }[way]
        )


def _sampling() -> None:
    st.slider(
        _("Temperature"),
        0.1,
        5.0,
        step=0.1,
        key="t_temperature",
        persist_state="session",
        help=_("Scores are divided by it before softmax: below 1 sharper, above 1 flatter."),
    )
    st.slider(
        _("Top-k: only the k most probable (0: all)"),
        0,
        MOST_TOP_K,
        key="top_k",
        persist_state="session",
    )
    st.slider(
        _("Top-p: the fewest that together reach p"),
        0.01,
        1.0,
        step=0.01,
        key="top_p",
        persist_state="session",
    )
    st.number_input(_("Seed"), 0, 10**6, step=1, key="t_seed", persist_state="session", width=150)
