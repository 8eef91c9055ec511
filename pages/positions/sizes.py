"""Number inputs of the page and their limits."""

from typing import TypeVar

import streamlit as st

from model import HeadlightError
from web import settings
from web.language import _

Number = TypeVar("Number", int, float)

MAX_OFFSET = 5_000
MAX_BASE = 10**12
MAX_TOKENS = 256
"""Largest size of a matrix over all pairs of tokens."""


def whole(label: str, key: str, step: int = 1, help: str | None = None) -> None:
    """Draw an input for a whole number."""
    st.number_input(label, step=step, key=key, persist_state="session", width=150, help=help)


def choose_sizes() -> None:
    """Draw the inputs of the sinusoids; values beyond the limits show an error message."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole(_("Length (positions)"), "length", step=50)
        whole("d_model", "d_model", step=2)
        st.number_input(
            _("Base"), step=1000.0, format="%g", key="base", persist_state="session", width=150
        )


def checked_sizes() -> tuple[int, int, float]:
    """Return the session's length, d_model and base, each within its limits."""
    state = st.session_state
    return (
        within("length", state["length"], 1, settings.now().positions),
        within("d_model", state["d_model"], 2, settings.now().width),
        within("base", state["base"], 1, MAX_BASE),
    )


def within(name: str, value: Number, low: float, high: float) -> Number:
    """Return a value within its limits, or raise a HeadlightError."""
    if not low <= value <= high:
        raise HeadlightError(
            "{name} must be from {low:,} to {high:,}, not {value:,}.",
            name=name,
            low=low,
            high=high,
            value=value,
        )
    return value
