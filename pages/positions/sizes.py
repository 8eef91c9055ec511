"""The numbers that a part is made for: their boxes, and how far they go."""

from typing import TypeVar

import streamlit as st

from model import HeadlightError
from pages.shared import settings
from pages.shared.language import _

Number = TypeVar("Number", int, float)

MAX_OFFSET = 5_000
MAX_BASE = 10**12
MAX_TOKENS = 256
"""Of a matrix of all pairs of tokens."""


def whole(label: str, key: str, step: int = 1, help: str | None = None) -> None:
    """Draw a box for a whole number."""
    st.number_input(label, step=step, key=key, persist_state="session", width=150, help=help)


def choose_sizes() -> None:
    """Draw the sizes of the sinusoids. They have no bounds here: beyond them words are said."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole(_("Length (positions)"), "length", step=50)
        whole("d_model", "d_model", step=2)
        st.number_input(
            _("Base"), step=1000.0, format="%g", key="base", persist_state="session", width=150
        )


def checked_sizes() -> tuple[int, int, float]:
    """The session's length, d_model and base; a base below 1 would turn faster than it counts.

    Raises:
        HeadlightError: If one of the three is beyond what the page draws.
    """
    state = st.session_state
    return (
        within("length", state["length"], 1, settings.now().positions),
        within("d_model", state["d_model"], 2, settings.now().width),
        within("base", state["base"], 1, MAX_BASE),
    )


def within(name: str, value: Number, low: float, high: float) -> Number:
    """A size that the page draws.

    Raises:
        HeadlightError: If it is not between the two, both included.
    """
    if not low <= value <= high:
        raise HeadlightError(
            "{name} goes from {low:,} to {high:,} here, and {value:,} is not among them.",
            name=name,
            low=low,
            high=high,
            value=value,
        )
    return value
