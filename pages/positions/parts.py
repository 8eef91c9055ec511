"""What the views of the Positions page share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import streamlit as st

from model import HeadlightError
from pages.positions.address import PARAMETERS
from pages.positions.notebook import lines
from pages.shared import address
from pages.shared.language import _, in_words, plain
from pages.shared.source import show_source
from pages.shared.take_away import take_away


def section(draw: Callable[[], None]) -> Callable[[], None]:
    """Make a view a fragment, so that its controls repaint nothing else, and keep the address."""

    @st.fragment(key="positions")
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


def choose_sizes() -> None:
    """Draw the sizes of the sinusoids. They have no bounds here: beyond them words are said."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole(_("Positions"), "length", step=50)
        whole("d_model", "d_model", step=2)
        st.number_input(
            _("Base"), step=1000.0, format="%g", key="base", persist_state="session", width=150
        )


def whole(label: str, key: str, step: int = 1, help: str | None = None) -> None:
    """Draw a box for a whole number."""
    st.number_input(label, step=step, key=key, persist_state="session", width=150, help=help)
