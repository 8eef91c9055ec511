"""Examples for a typed calculation: their choice, and the story of the chosen one."""

import streamlit as st

from model.calculator import PRESETS, Preset
from pages.calculator.selection import Selection
from pages.calculator.url import MATRICES, Calculator
from web.language import _, in_words


def choose_example() -> None:
    """Draw the choice; it is empty after an edit, so that the example can be chosen again."""
    example = PRESETS.get(Calculator.story.value)
    st.session_state["preset"] = (
        Calculator.story.value if example and _has_numbers_of(example) else None
    )
    st.selectbox(
        _("Examples"),
        list(PRESETS),
        format_func=lambda name: in_words(PRESETS[name].title),
        key="preset",
        index=None,
        on_change=_on_preset,
        placeholder=_("Examples"),
        label_visibility="collapsed",
        width=330,
    )


def draw_story() -> None:
    """Draw the story of the example while its numbers and its mask are on screen."""
    example = PRESETS.get(st.session_state["preset"])
    if example and example.settings.mask == Calculator.mask.value:
        st.caption(in_words(example.story))


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


def _has_numbers_of(example: Preset) -> bool:
    """Whether the grids hold the example's numbers, names and heads."""
    state = st.session_state
    form = "x" if "X" in example.cells else "qkv"
    names = (list(example.queries), list(example.keys))
    return (
        (Calculator.form.value, Calculator.tokens.value, Calculator.sources.value) == (form, *names)
        and (form == "qkv" or Calculator.heads.value == example.n_heads)
        and all(
            [tuple(cell.strip() for cell in row) for row in state[parameter]]
            == list(example.cells[matrix])
            for parameter, matrix in MATRICES.items()
            if matrix in example.cells
        )
    )
