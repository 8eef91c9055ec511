"""The state that a page's figures share in the browser; see sync.js."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from viz import Side
from web import components
from web.subject import SIDES

SELECTED_AT = "selected_at"  # session key


@dataclass(frozen=True)
class View:
    """Selection and colour scale of the figures.

    Attributes:
        selected: The outlined row and column of each side's overview; usually layer and head.
        top: The weight that has the darkest colour.
        sqrt: Whether colours follow the square root of the weights.
        overlaid: Heads drawn over the selected head, with their colours.
    """

    selected: Mapping[Side, tuple[int, int]]
    linked: bool = True
    picked: Mapping[Side, Sequence[int]] = field(default_factory=dict)
    top: float = 1.0
    sqrt: bool = False
    overlaid: Sequence[tuple[int, int, str]] = ()


def received_selection(at: int) -> None:
    """Record the time of a selection in an overview, so that it ignores older answers.

    Args:
        at: The browser's time, in milliseconds.
    """
    st.session_state[SELECTED_AT] = max(at, st.session_state.get(SELECTED_AT, 0))


def sync(view: View) -> None:
    """Send the state to the browser, in a component without visible content."""
    state: dict[str, object] = {
        "linked": view.linked,
        "at": st.session_state.get(SELECTED_AT, 0),
        "sqrt": view.sqrt,
        "range": [0.0, view.top],
        "overlaid": [list(head) for head in view.overlaid],
        "picked": {side: list(view.picked.get(side, ())) for side in SIDES},
    }
    for side in SIDES:
        layer, head = view.selected[side]
        state[side] = {"layer": layer, "head": head}
    components.sync(state)
