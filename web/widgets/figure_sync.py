"""The state that a page's figures share in the browser; see sync.js."""

from collections.abc import Mapping

import streamlit as st

from viz import Side
from web import components

SELECTED_AT = "selected_at"  # session key


def received_selection(at: int) -> None:
    """Record the time of a selection in an overview, so that it ignores older answers.

    Args:
        at: The browser's time, in milliseconds.
    """
    st.session_state[SELECTED_AT] = max(at, st.session_state.get(SELECTED_AT, 0))


def sync(selected: Mapping[Side, tuple[int, int]], top: float = 1.0) -> None:
    """Send the state to the browser, in a component without visible content.

    Args:
        selected: The outlined row and column of each side's overview; usually layer and head.
        top: The weight that has the darkest colour.
    """
    places = {side: {"layer": i, "head": j} for side, (i, j) in selected.items()}
    at = st.session_state.get(SELECTED_AT, 0)
    components.sync({"at": at, "range": [0.0, top], **places})
