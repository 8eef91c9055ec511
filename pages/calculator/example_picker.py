"""Controls for the start of a typed calculation: an example, its form, its heads."""

import streamlit as st

from model.calculator import PRESETS
from pages.calculator.example_story import has_numbers_of
from pages.calculator.selection import Selection
from pages.calculator.url import MATRICES, Calculator
from web.language import _, in_words


def choose_start() -> None:
    """Draw the choice of an example, of Q, K, V or X, and of heads or separate keys."""
    story = PRESETS.get(Calculator.story.value)
    # Empty again after an edit, so that the same example can be chosen to restore its numbers.
    st.session_state["preset"] = Calculator.story.value if story and has_numbers_of(story) else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Take an example"),
            list(PRESETS),
            format_func=lambda name: in_words(PRESETS[name].title),
            key="preset",
            index=None,
            on_change=_on_preset,
            placeholder=_("Choose one"),
            width=330,
        )
        if Calculator.form.draw() == "x":
            _choose_heads()
        else:
            st.session_state["cross"] = bool(Calculator.sources.value)
            st.toggle(
                _("Separate keys"),
                key="cross",
                on_change=_on_cross,
                help=_("Cross-attention: queries and keys belong to different tokens."),
            )


def _choose_heads() -> None:
    n_heads = Calculator.heads.draw()
    if n_heads > 1:
        Calculator.followed.value = min(Calculator.followed.value, n_heads - 1)
        Calculator.followed.draw(options=range(n_heads))


def _on_preset() -> None:
    """Fill the grids and the settings; a callback."""
    name = st.session_state["preset"]
    if name is None:
        return
    example, settings = PRESETS[name], PRESETS[name].settings
    grids = {
        each: [list(row) for row in example.cells.get(MATRICES[each], ())] for each in MATRICES
    }
    st.session_state.update({each: rows for each, rows in grids.items() if rows})
    st.session_state.update(
        story=name,
        form="x" if "X" in example.cells else "qkv",
        tokens=list(example.queries),
        sources=list(example.keys),
        cross=bool(example.keys),
        heads=example.n_heads,
        followed=0,
        **{each: getattr(settings, each) for each in ("scaled", "temperature", "mask", "padding")},
        hidden=[],
        mistake="none",
        look=Selection(),
    )


def _on_cross() -> None:
    """Give the keys their own names, or the names of the queries; a callback."""
    on = st.session_state["cross"]
    count = len(Calculator.k.value)
    key = _("key")
    Calculator.sources.value = [f"{key} {i}" for i in range(count)] if on else []
