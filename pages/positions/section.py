"""Decorator of the page's parts: fragment, error messages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import streamlit as st

from model import HeadlightError
from pages.positions.url import PARAMETERS
from web.inference.compute_queue_ui import queue_fragment
from web.language import in_words, plain
from web.view_state import address


def section(draw: Callable[[], None]) -> Callable[[], None]:
    """Make a part a fragment that reruns alone and updates the URL."""

    @queue_fragment("positions")
    @wraps(draw)
    def drawn() -> None:
        draw()
        address.keep(PARAMETERS)

    return drawn


@contextmanager
def showing_errors() -> Iterator[None]:
    """Show an invalid value's error message and leave the controls unchanged."""
    try:
        yield
    except HeadlightError as error:
        st.error(plain(in_words(error)), icon=":material/error:")
