"""Parts of a page that run by themselves, and say by themselves if nothing is computed for them.

Streamlit shows what goes wrong in a fragment as an error of the application, whoever called it.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import streamlit as st

from pages.shared.language import _, in_words, plain

if TYPE_CHECKING:
    from model.passes import BusyError

Asked = ParamSpec("Asked")


def fragment(key: str) -> Callable[[Callable[Asked, None]], Callable[Asked, None]]:
    """Make a function a fragment of a page; where its numbers are not to be had, that is said.

    Args:
        key: Of the fragment, as ``st.fragment`` has it.
    """

    def decorated(draw: Callable[Asked, None]) -> Callable[Asked, None]:
        @st.fragment(key=key)
        @wraps(draw)
        def drawn(*asked: Asked.args, **named: Asked.kwargs) -> None:
            from model.passes import BusyError  # with torch, which is there by now

            try:
                draw(*asked, **named)
            except BusyError as error:
                say_busy(error, f"try_again_{key}")

        return drawn

    return decorated


def say_busy(error: "BusyError", key: str) -> None:
    """Say why nothing is computed now, above a button that asks again.

    Args:
        error: What says it.
        key: Of the button.
    """
    st.warning(plain(in_words(error)), icon=":material/hourglass_disabled:")
    st.button(_("Try again"), key=key)
