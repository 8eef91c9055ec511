"""A browser that outlives its session: the server was restarted, or the session has expired.

Its first message contains the values of all its widgets, among them the newest edit, and the query
string from before. The first run draws the view of the query string; a second run then takes the
values as edits of it, with callbacks.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from web.language import _
from web.streamlit_patches import script_context
from web.view_state import widget_fields

_DRAWN, _WITHHELD, _APPLIED = "drawn", "withheld_values", "withheld_values_applied"
_BEGUN, _CUT_SHORT = "page_begun", "page_cut_short"


def words() -> dict[str, str]:
    """The sentences that the browser shows while the server is away."""
    return {
        "line": _("No connection to Headlight for {time}."),
        "trying": _("Reconnecting. This page does not change."),
        "ended": _("The connection to Headlight has ended."),
        "reload": _("Reload the page to continue."),
        "back": _("The connection to Headlight is back."),
    }


def write_again() -> None:
    """Have the next response write everything again: the connection was lost. A callback."""
    if url := st.session_state.get("page_url"):
        url.unsure = True
    if st.session_state.get(_CUT_SHORT):  # the run before this one stopped before its end
        widget_fields.current().forget_reported()


def all_drawn() -> bool:
    """Whether the last run of the whole page came to its end; for callbacks of the next."""
    return st.session_state.get(_BEGUN) is False


def may_act() -> None:
    """Let clicks interrupt the first run of a visit from here on; what they need is drawn.

    Not if a browser has outlived its session: there is more to draw.
    """
    if _WITHHELD not in st.session_state:
        st.session_state[_DRAWN] = True


@contextmanager
def drawn_before_acting() -> Iterator[None]:
    """Withhold the widget values of a new session's first message until its page is drawn."""
    st.session_state[_CUT_SHORT] = st.session_state.get(_BEGUN, False)
    st.session_state[_BEGUN] = True
    if st.session_state.pop(_APPLIED, False):
        # The first run has set the widgets to the view of the query string.
        widget_fields.current().forget_reported()
    context = script_context.current_context()
    if _DRAWN in st.session_state or context is None:
        yield
        st.session_state[_BEGUN] = False
        return
    withheld = st.session_state.get(_WITHHELD, {}) | script_context.withhold_widget_values(context)
    if withheld:
        st.session_state[_WITHHELD] = withheld
    try:
        yield
    except script_context.RerunException:
        if _DRAWN in st.session_state:
            raise
        # Another request came before the page was drawn. Half a page has callbacks that would be
        # called now and again in the next run, so the session starts from the beginning.
        script_context.forget_session(context)
        st.session_state[_WITHHELD] = withheld
        raise
    st.session_state[_DRAWN] = True
    st.session_state[_BEGUN] = False
    st.session_state.pop(_WITHHELD, None)
    if withheld and not script_context.is_history_navigation():  # a step means its query string
        st.session_state[_APPLIED] = True
        script_context.rerun_with(context, withheld)
