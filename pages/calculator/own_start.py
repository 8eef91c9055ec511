"""What a calculation on the reader's numbers starts from: an example, its form, its heads."""

import streamlit as st

from model.calculator import MAX_SIZE, PRESETS
from pages.calculator.address import MATRICES
from pages.calculator.look import Look
from pages.shared.choices import choose
from pages.shared.language import _, in_words


def choose_start() -> None:
    """Draw the choice of an example, of Q, K, V or X, of heads or of keys from elsewhere."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Take an example"),
            list(PRESETS),
            format_func=lambda name: in_words(PRESETS[name].title),
            key="preset",
            index=None,
            on_change=_take_preset,
            placeholder=_("exercises, a library, a saturated softmax …"),
            width=330,
        )
        forms = {"qkv": _("Q, K, V"), "x": _("X and projections")}
        if choose(_("Start from"), forms, key="form") == "x":
            _choose_heads()
        else:
            st.session_state["cross"] = bool(st.session_state["sources"])
            st.toggle(
                _("Keys from elsewhere"),
                key="cross",
                on_change=_cross,
                help=_(
                    "Cross-attention: the tokens that are attended to are others than those "
                    "that attend."
                ),
            )


def _choose_heads() -> None:
    st.number_input(
        _("Heads"),
        min_value=1,
        max_value=MAX_SIZE,
        key="heads",
        persist_state="session",
        width=120,
    )
    n_heads = st.session_state["heads"]
    if n_heads > 1:
        st.session_state["followed"] = min(st.session_state["followed"], n_heads - 1)
        choose(_("Follow head"), range(n_heads), key="followed")


def _take_preset() -> None:
    """Fill the grids and the settings; a callback."""
    name = st.session_state["preset"]
    if name is None:
        return
    example, state = PRESETS[name], st.session_state
    state["preset"], state["story"] = None, name
    state["form"] = "x" if "X" in example.cells else "qkv"
    for parameter, matrix in MATRICES.items():
        if matrix in example.cells:
            state[parameter] = [list(row) for row in example.cells[matrix]]
    state["tokens"], state["sources"] = list(example.queries), list(example.keys)
    state["cross"] = bool(example.keys)
    state["heads"], state["followed"] = example.n_heads, 0
    state["scaled"], state["temperature"] = example.settings.scaled, example.settings.temperature
    state["mask"], state["padding"] = example.settings.mask, example.settings.padding
    state["hidden"], state["mistake"] = [], "none"
    state["look"] = Look()


def _cross() -> None:
    """Give the keys names of their own, or the queries' again; a callback."""
    on = st.session_state["cross"]
    count = len(st.session_state["k"])
    key = _("key")
    st.session_state["sources"] = [f"{key} {i}" for i in range(count)] if on else []
