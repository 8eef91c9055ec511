"""A browser that outlives its session: the server was restarted, or the session's time was over.

Such a browser goes on with a session that knows nothing. What it sends first are the values of all
its widgets, among them what the visitor has just done, together with the address from before. The
view is drawn from the address first, as it was; then what was sent is taken as what it is, a
change of it, callbacks included.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

from web.language import _

_DRAWN, _SENT = "drawn", "sent_before_drawn"
_BEGUN, _CUT_SHORT = "page_begun", "page_cut_short"


def session() -> str:
    """A name of the session, by which what the browser draws can tell one from the next."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def words() -> dict[str, str]:
    """What the browser says while the server is away."""
    return {
        "line": _("No line to Headlight for {time}."),
        "trying": _("What you see stays; trying again."),
        "ended": _("The line to Headlight has ended."),
        "reload": _("What you see stays; to go on, reload the page."),
        "back": _("The line to Headlight is back."),
    }


def cut_short() -> bool:
    """Whether the run before this one ended in the middle of the page, as when a line breaks.

    The browser then forgets what its boxes held that were not drawn again, and nobody tells it.
    """
    return bool(st.session_state.get(_CUT_SHORT))


def all_drawn() -> bool:
    """Whether the last run of the whole page came to its end; for callbacks of the next."""
    return st.session_state.get(_BEGUN) is False


def may_act() -> None:
    """Let what is clicked from here on break off a first visit's run, and be done.

    For a part that takes its time, when all that can be clicked till then stands. Not where a
    browser has outlived its session: there is more to draw.
    """
    if _SENT not in st.session_state:
        st.session_state[_DRAWN] = True


@contextmanager
def drawn_before_acting() -> Iterator[None]:
    """Put off what a browser sends to a session that has not drawn its page yet.

    To be wrapped around all that draws. On a first visit nothing was sent, and nothing is put off.
    Streamlit keeps no public record of what was sent for widgets that were not drawn yet, hence
    its inner state.
    """
    context = get_script_run_ctx()
    st.session_state[_CUT_SHORT] = st.session_state.get(_BEGUN, False)
    st.session_state[_BEGUN] = True
    if _DRAWN in st.session_state or context is None:
        yield
        st.session_state[_BEGUN] = False
        return
    state = context.session_state._state._new_widget_state
    sent = st.session_state.get(_SENT, {}) | {w.id: w for w in state.as_widget_states()}
    if sent:
        st.session_state[_SENT] = sent
    state.states.clear()  # its own clear() stops at what no widget has claimed yet
    try:
        yield
    except RerunException:
        if _DRAWN in st.session_state:
            raise
        # Another act came before all was drawn. Half a page has callbacks that would be called now
        # and again: it is forgotten, and drawn anew.
        st.session_state.clear()
        state.widget_metadata.clear()
        st.session_state[_SENT] = sent
        raise
    st.session_state[_DRAWN] = True
    st.session_state[_BEGUN] = False
    st.session_state.pop(_SENT, None)
    if sent and not context.is_history_navigation:  # a step through the history means its address
        # Not through the queue: what was sent since would be older there, and lose.
        raise RerunException(
            RerunData(
                query_string=context.query_string,
                page_script_hash=context.page_script_hash,
                widget_states=WidgetStates(widgets=sent.values()),
                context_info=context.context_info,
            )
        )
