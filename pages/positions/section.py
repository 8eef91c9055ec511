"""What every part of the Positions page is wrapped in: a fragment, its lines, its refusals."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import streamlit as st

from model import HeadlightError
from pages.positions.address import PARAMETERS
from pages.positions.notebook import lines
from pages.shared import address
from pages.shared.language import in_words, plain
from pages.shared.source import show_source
from pages.shared.take_away import take_away
from pages.shared.turns import part


def section(draw: Callable[[], None]) -> Callable[[], None]:
    """Make a part a fragment, so that its controls repaint nothing else, and keep the address."""

    @part("positions")
    @wraps(draw)
    def drawn() -> None:
        draw()
        take_away("positions", lines(st.session_state["kind"]))
        show_source("positions", [st.session_state["kind"]])
        address.keep(PARAMETERS)

    return drawn


@contextmanager
def refusing() -> Iterator[None]:
    """Say in words what a value is refused for; the controls stay as they are."""
    try:
        yield
    except HeadlightError as error:
        st.error(plain(in_words(error)), icon=":material/error:")
