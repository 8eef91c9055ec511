"""The selected head of each side: both the same while the sides move together."""

import streamlit as st

from viz import Side
from web.widgets.sides import SideView


def prefix(side: Side) -> str:
    """Of the session's keys ``layer`` and ``head``: the right side has its own when it moves alone.

    They are the link's names too.
    """
    return "right_" if side == "right" and not st.session_state["linked"] else ""


def wanted(side: Side) -> tuple[int, int]:
    """The layer and head that the session asks for."""
    state, before = st.session_state, prefix(side)
    return state[f"{before}layer"], state[f"{before}head"]


def selected(view: SideView) -> tuple[int, int]:
    """The same, inside what the model has."""
    layer, head = wanted(view.side)
    return min(layer, view.capture.n_layers - 1), min(head, view.capture.n_heads - 1)


def select(side: Side, layer: int, head: int) -> None:
    """Make it the side's selected head."""
    before = prefix(side)
    st.session_state[f"{before}layer"], st.session_state[f"{before}head"] = layer, head


def part() -> None:
    """A callback: when the sides part, both start from the head that they showed."""
    for name in ("layer", "head"):
        st.session_state[f"right_{name}"] = st.session_state[name]
