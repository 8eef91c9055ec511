"""The selected head of each side; linked sides have the same one."""

import streamlit as st

from viz import Side
from web.subject import Subject


def prefix(side: Side) -> str:
    """Return the prefix of the keys ``layer`` and ``head`` in the session and in the URL.

    The right side has its own keys while the sides are not linked.
    """
    return "right_" if side == "right" and not st.session_state["linked"] else ""


def wanted(side: Side) -> tuple[int, int]:
    """Return the layer and head in the session state."""
    state, before = st.session_state, prefix(side)
    return state[f"{before}layer"], state[f"{before}head"]


def selected(view: Subject) -> tuple[int, int]:
    """Return the selected layer and head, limited to the model's sizes."""
    layer, head = wanted(view.side)
    return min(layer, view.capture().n_layers - 1), min(head, view.capture().n_heads - 1)


def drawn_heads(view: Subject) -> list[tuple[int, int]]:
    """Return the selected head, and the heads that the lines show over it."""
    capture, head = view.capture(), selected(view)
    others = [(i, j) for i, j in st.session_state["overlaid"] if (i, j) != head]
    return [head, *((i, j) for i, j in others if i < capture.n_layers and j < capture.n_heads)]


def select(side: Side, layer: int, head: int) -> None:
    """Store the selected head of a side."""
    before = prefix(side)
    st.session_state[f"{before}layer"], st.session_state[f"{before}head"] = layer, head


def unlink_sides() -> None:
    """A callback: start the right side with the head that both sides showed."""
    for name in ("layer", "head"):
        st.session_state[f"right_{name}"] = st.session_state[name]
