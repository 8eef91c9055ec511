"""Forced tokens of Translate and Generate: set from the step view, listed and removed below it."""

from collections.abc import Iterable

import streamlit as st

from model.capture.whitespace import show_line_breaks
from pages.decoder.request import Request
from pages.decoder.url import GENERATE_KEYS, WritingKeys
from web.language import _, plain
from web.translators import MAX_FORCED


def set_forced(keys: WritingKeys, forced: Iterable[tuple[int, str]] = ()) -> None:
    """Set the forced tokens, for a text that starts over; a callback."""
    st.session_state[keys["forced"]] = [*forced][:MAX_FORCED]
    if keys is GENERATE_KEYS:
        st.session_state[keys["until"]] = 0


def force_clicked_token(keys: WritingKeys, component: str) -> None:
    """Force the token that was clicked, and drop forced tokens after it; a callback."""
    event = st.session_state[component].forced
    step, token = int(event["step"]), str(event["token"])
    earlier = [(at, text) for at, text in st.session_state[keys["forced"]] if at < step]
    set_forced(keys, [*earlier, (step, token)])


def list_forced(request: Request, message: str, keys: WritingKeys, button: str) -> None:
    """Draw the forced tokens, if there are any, and the button that removes them."""
    if not request.forced:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        tokens = ", ".join(
            message.format(token=show_line_breaks(token), step=step + 1)
            for step, token in request.forced
        )
        st.caption(_("Forced: {tokens}.").format(tokens=plain(tokens)), width="content")
        st.button(
            _("Remove the forced tokens"),
            on_click=set_forced,
            args=(keys,),
            type="tertiary",
            key=button,
        )
