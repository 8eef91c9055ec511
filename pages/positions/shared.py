"""What the parts of the page share: fragments with their errors, and limits of numbers."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import streamlit as st

from model import HeadlightError
from pages.positions.url import Positions
from web.inference.compute_queue_ui import queue_fragment
from web.language import in_words, plain
from web.view_state import address

Number = TypeVar("Number", int, float)


def section(draw: Callable[[], None]) -> Callable[[], None]:
    """Make a part a fragment that reruns alone, shows its error and updates the URL."""

    @queue_fragment("positions")
    @wraps(draw)
    def drawn() -> None:
        try:
            draw()
        except HeadlightError as error:
            st.error(plain(in_words(error)), icon=":material/error:")
        address.keep(Positions.fields)

    return drawn


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
