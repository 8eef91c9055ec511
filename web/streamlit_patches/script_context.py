"""Access to Streamlit's script run context: which session and which run this thread serves.

Replaces: nothing. Streamlit documents no way to identify the current run, or to let another thread
draw into it. It documents no way to complete a query string, or to withhold widget values.
Upstream: https://github.com/streamlit/streamlit/issues/8490 (an API for threads).
Delete it when Streamlit documents an equivalent.
"""

from typing import NoReturn
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import (
    RerunData,
    RerunException,
    ScriptRunContext,
    add_script_run_ctx,
    get_script_run_ctx,
)
from streamlit.runtime.state.query_params import EMBED_QUERY_PARAMS_KEYS

__all__ = ["RerunException"]

TARGETS = {
    "streamlit.runtime.scriptrunner:ScriptRunContext.reset": "cdaa14383fd4",
    "streamlit.runtime.scriptrunner:get_script_run_ctx": "53441d524f9d",
    "streamlit.runtime.scriptrunner:add_script_run_ctx": "3b1ac7c2457e",
    "streamlit.runtime.scriptrunner:RerunData": "9c18f36eb57a",
    "streamlit.runtime.state.query_params:QueryParams.populate_from_query_string": "0e25f6c3c9af",
    "streamlit.runtime.state:SafeSessionState._state": "622433e294b8",
    "streamlit.runtime.state:SessionState._new_widget_state": "83b8045e38fa",
}


def current_context() -> ScriptRunContext | None:
    """The context of the run in this thread; None outside a run."""
    return get_script_run_ctx(suppress_warning=True)


def current_run() -> object | None:
    """An object that identifies the run in this thread; None outside a run."""
    context = current_context()
    return None if context is None else context.cursors  # Streamlit makes new ones for each run


def is_fragment_run() -> bool:
    """Whether the run in this thread executes fragments only."""
    context = current_context()
    return context is not None and bool(context.fragment_ids_this_run)


attach_current_context = add_script_run_ctx
"""Lets a thread draw into the run of the calling thread."""


def is_history_navigation() -> bool:
    """Whether this run answers a step through the browser's history."""
    context = current_context()
    return context is not None and context.is_history_navigation


def complete_query_string(parameters: dict[str, str]) -> dict[str, str] | None:
    """Replace the query string of this run without a new step of the browser's history.

    Returns ``before`` and ``after``, which the browser's own becomes; None outside a run.
    """
    context = current_context()
    if context is None:
        return None
    before = context.query_string
    embedded = [(k, v) for k, v in parse_qsl(before) if k in EMBED_QUERY_PARAMS_KEYS]
    context.query_string = urlencode([*embedded, *parameters.items()])
    with context.session_state.query_params() as params:
        params.populate_from_query_string(context.query_string)
    return {"before": before, "after": context.query_string}


def withhold_widget_values(context: ScriptRunContext) -> dict[str, WidgetState]:
    """Remove the received widget values from a run; return them by id."""
    state = context.session_state._state._new_widget_state
    values = {widget.id: widget for widget in state.as_widget_states()}
    state.states.clear()  # its own clear() fails at values that no widget has claimed
    return values


def forget_session(context: ScriptRunContext) -> None:
    """Delete the session state and the callbacks of widgets that a run has drawn."""
    state = context.session_state._state
    state.clear()
    state._new_widget_state.widget_metadata.clear()


def rerun_with(context: ScriptRunContext, values: dict[str, WidgetState]) -> NoReturn:
    """Rerun the page as if the browser had sent these values now, before any queued request."""
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            widget_states=WidgetStates(widgets=values.values()),
            context_info=context.context_info,
        )
    )
