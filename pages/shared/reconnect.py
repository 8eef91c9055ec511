"""A browser that outlives its session: the server was restarted, or the session's time was over.

Such a browser goes on with a session that knows nothing. What it sends first are the values of all
its widgets, among them what the visitor has just done, together with the address from before. The
view is drawn from the address first, as it was; then what was sent is taken as what it is, a
change of it, callbacks included.
"""

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

_MET = "met"


def draw_before_acting() -> None:
    """Put off what a browser sends to a session that has not drawn anything yet.

    To be called before anything else. Streamlit keeps no public record of what a browser sent for
    widgets that were not drawn yet, hence its inner state; where nothing was sent (a first visit),
    nothing is done.
    """
    if _MET in st.session_state:
        return
    st.session_state[_MET] = True
    context = get_script_run_ctx()
    if context is None or context.script_requests is None:
        return
    sent = context.session_state._state._new_widget_state
    widgets = sent.as_widget_states()
    if not widgets:
        return
    sent.clear()
    context.script_requests.request_rerun(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            widget_states=WidgetStates(widgets=widgets),
            context_info=context.context_info,
        )
    )
