"""Widget values of the browser's messages, reconciled before Streamlit stores them.

Replaces:

- ``AppSession.request_rerun``: records each message on receipt, before requests are merged.
- ``SessionState.on_script_will_rerun``: stores only those values that the user edited.
- ``SessionState.register_widget``: sets a widget in the browser when it may show another value.
- ``SessionState._remove_stale_widgets``: drops the records of removed widgets.

Why: every rerun request contains the values of all widgets. Values that the browser sent before it
had drawn a response undo what the server set in this response. And a widget is not set at all if a
newer response replaces the response before it is drawn. This file only connects
``web/view_state/widget_fields.py``, which decides.
Upstream: not reported: a rerun request should name the edited widget, and the newest response that
the browser has drawn.
Delete it when a rerun request does so.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import (
    RegisterWidgetResult,
    WidgetMetadata,
    unpack_widget_state_value,
)
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, _is_stale_widget

TARGETS = {
    "streamlit.runtime.app_session:AppSession.request_rerun": "52f29d897336",
    "streamlit.runtime.state:SessionState.on_script_will_rerun": "cb43df33b02a",
    "streamlit.runtime.state:SessionState.register_widget": "4529c7d6a01d",
    "streamlit.runtime.state.session_state:_is_stale_widget": "1cd84d8c2168",
    "streamlit.runtime.state:SessionState._remove_stale_widgets": "55c4a6886eb9",
    "streamlit.runtime.app_session:AppSession._session_state": "9c214ec1374e",
    "streamlit.runtime.state:SafeSessionState._state": "622433e294b8",
    "streamlit.runtime.state:SessionState._old_state": "34ce5194730f",
    "streamlit.runtime.state:SessionState._new_widget_state": "83b8045e38fa",
    "streamlit.runtime.state:SessionState._get_widget_metadata": "140a0bd34daf",
}

EDITABLE = frozenset(
    f"{kind}_value"
    for kind in ("bool", "int", "double", "string", "int_array", "double_array", "string_array")
)
"""Types of values that both browser and server set; triggers and components are left alone."""

MAX_UNREAD = 32
"""Unread messages of a session. Each has the values of all widgets, so the oldest are dropped."""

MAX_UNREAD_BYTES = 4_000_000
"""Bytes of the unread messages of a session, the newest aside."""

# Streamlit hides keys with its own prefix from `st.session_state`.
_KEY = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_HEADLIGHT_WIDGET_FIELDS"

_request_rerun = AppSession.request_rerun
_on_script_will_rerun = SessionState.on_script_will_rerun
_register_widget = SessionState.register_widget
_remove_stale_widgets = SessionState._remove_stale_widgets


_make: list[Callable[[], Any]] = []


def reconcile_with(make: Callable[[], Any]) -> None:
    """Name the class whose objects reconcile, one for each session: ``WidgetFields``."""
    _make[:] = [make]


def current() -> Any:
    """Reconciler of the session that this thread serves; None outside a session."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.session_state._state._old_state.get(_KEY)


def install() -> None:
    """Replace the four methods."""
    AppSession.request_rerun = _record_message  # type: ignore[assignment,method-assign]
    SessionState.on_script_will_rerun = _store_edits  # type: ignore[assignment,method-assign]
    SessionState.register_widget = _register  # type: ignore[assignment,method-assign]
    SessionState._remove_stale_widgets = _remove  # type: ignore[assignment,method-assign]


def _record_message(session: AppSession, client_state: ClientState | None) -> None:
    found = session._session_state._old_state.get(_KEY)
    if found and client_state:
        unread = found.messages
        unread.append(client_state)
        while len(unread) > MAX_UNREAD or (
            len(unread) > 1 and sum(each.ByteSize() for each in unread) > MAX_UNREAD_BYTES
        ):
            unread.popleft()
    _request_rerun(session, client_state)


def _store_edits(state: SessionState, fresh: WidgetStates | None, **options: Any) -> None:
    """Store only those widget values of a request that the user edited."""
    if _KEY not in state._old_state and _make:
        state._old_state[_KEY] = _make[0]()
    found = state._old_state.get(_KEY)
    if found:
        found.begin_run()
        if fresh is not None:
            fresh = _edits(state, found, fresh)
    _on_script_will_rerun(state, fresh, **options)


def _edits(state: SessionState, reconciler: Any, fresh: WidgetStates) -> WidgetStates:
    """Values that were edited in any unread message, and all that no field records."""
    edited = {}
    received = []
    while reconciler.messages:
        message = reconciler.messages.popleft()
        reconciler.stepped |= message.is_history_navigation
        received.append(message.widget_states)
    if not received or received[-1] != fresh:  # merged from several, or a request of this server
        received.append(fresh)
    for message_states in received:
        by_id = {widget.id: widget for widget in message_states.widgets}
        for widget_id in reconciler.receive(_values(state, message_states)):
            edited[widget_id] = by_id[widget_id]
    others = [widget for widget in fresh.widgets if widget.id not in reconciler]
    return WidgetStates(widgets=[*others, *edited.values()])


def _values(state: SessionState, widget_states: WidgetStates) -> dict[str, object]:
    """Values of the widgets that both sides set, by id."""
    found = {}
    for widget in widget_states.widgets:
        metadata = state._get_widget_metadata(widget.id)
        if metadata is not None and metadata.value_type in EDITABLE:
            found[widget.id] = metadata.deserializer(unpack_widget_state_value(widget))
    return found


def _register(
    state: SessionState, metadata: WidgetMetadata[Any], user_key: str | None
) -> RegisterWidgetResult[Any]:
    result = _register_widget(state, metadata, user_key)
    found = state._old_state.get(_KEY)
    if found is None or user_key is None or metadata.value_type not in EDITABLE:
        return result
    changed = found.register(metadata.id, user_key, result.value, changed=result.value_changed)
    return result if changed == result.value_changed else replace(result, value_changed=changed)


def _remove(state: SessionState, active_widget_ids: frozenset[str]) -> None:
    _remove_stale_widgets(state, active_widget_ids)
    found = state._old_state.get(_KEY)
    context = get_script_run_ctx(suppress_warning=True)
    if found and context:
        fragment_ids = context.fragment_ids_this_run
        found.retain(
            {
                widget_id
                for widget_id, metadata in state._new_widget_state.widget_metadata.items()
                if not _is_stale_widget(metadata, active_widget_ids, fragment_ids)
            }
        )
