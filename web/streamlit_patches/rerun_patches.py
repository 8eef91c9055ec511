"""Reruns in quick succession that lose no input and no output.

Replaces, with the fault that each mends:

- ``SafeSessionState.on_script_will_rerun``: a newer rerun request could interrupt a run before the
  run had stored the widget values of its own request. A click followed by a sentence was lost.
- ``SafeSessionState.__getitem__``: a newer rerun request could interrupt a run at any read of the
  session state, and leave a view that was restored in part. Two quick steps back then showed an
  error.
- ``SafeSessionState.__setitem__``: the same at any write. An example of Heads could be set in part,
  and the part of a link not at all.
- ``ForwardMsgQueue.clear``: a new run discards the unsent messages of the run before, but keeps its
  ``script_finished``. A fragment run does not send them again. The browser then removes the
  elements that it never received, with the widget values below them.
- ``AppSession.request_script_stop`` and ``_create_script_finished_message``: a run that is stopped
  when the connection breaks reports success. The browser then removes what was not drawn.

Upstream: https://github.com/streamlit/streamlit/issues/8365 for the first; the others are not
reported. To report: unsent deltas are dropped while ``script_finished`` stays in the queue, and a
stopped run must report FINISHED_EARLY_FOR_RERUN.
Delete each part when tests/browser/test_nothing_lost.py passes without it.
"""

from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state import SafeSessionState

TARGETS = {
    "streamlit.runtime.state:SafeSessionState.on_script_will_rerun": "61c14e58f218",
    "streamlit.runtime.state:SafeSessionState.__getitem__": "af4b2c7ab14d",
    "streamlit.runtime.state:SafeSessionState.__setitem__": "259151d7b51a",
    "streamlit.runtime.scriptrunner.script_runner:ScriptRunner._requests": "cc7dd60ab973",
    "streamlit.runtime.scriptrunner_utils.script_requests:ScriptRequests._state": "2e48b903a1f2",
    "streamlit.runtime.forward_msg_queue:ForwardMsgQueue": "d5172a845125",
    "streamlit.runtime.app_session:AppSession.request_script_stop": "9f90595416b4",
    "streamlit.runtime.app_session:AppSession._create_script_finished_message": "705047d40fe4",
    "streamlit.runtime.state:SafeSessionState._yield_callback": "449c76bf74ab",
    "streamlit.runtime.state:SafeSessionState._lock": "fadaec774061",
    "streamlit.runtime.state:SafeSessionState._state": "622433e294b8",
    "streamlit.runtime.forward_msg_queue:ForwardMsgQueue._delta_index_map": "69ff4307732c",
    "streamlit.runtime.app_session:AppSession._browser_queue": "705f9e036d03",
    "streamlit.runtime.app_session:AppSession._scriptrunner": "ce93e53e6a8a",
}

_on_script_will_rerun = SafeSessionState.on_script_will_rerun
_clear = ForwardMsgQueue.clear
_request_script_stop = AppSession.request_script_stop
_create_script_finished_message = AppSession._create_script_finished_message


def install() -> None:
    """Replace the six methods."""
    SafeSessionState.__getitem__ = _read_uninterrupted  # type: ignore[method-assign]
    SafeSessionState.__setitem__ = _write_uninterrupted  # type: ignore[method-assign]
    SafeSessionState.on_script_will_rerun = _store_uninterrupted  # type: ignore[assignment,method-assign]
    ForwardMsgQueue.clear = _clear_unless_running  # type: ignore[assignment,method-assign]
    AppSession.request_script_stop = _stop_and_clear  # type: ignore[assignment,method-assign]
    AppSession._create_script_finished_message = _finish_message  # type: ignore[assignment,method-assign]


def _store_uninterrupted(state: SafeSessionState, *args: Any, **kwargs: Any) -> None:
    """Store the widget values and run the callbacks before another request can interrupt."""
    yield_callback = state._yield_callback
    # The class's own __setattr__ would set a value of the session.
    object.__setattr__(state, "_yield_callback", lambda: None)
    try:
        _on_script_will_rerun(state, *args, **kwargs)
    finally:
        object.__setattr__(state, "_yield_callback", yield_callback)


def _read_uninterrupted(state: SafeSessionState, key: str) -> Any:
    """Read a value; elements still yield to a newer rerun request."""
    with state._lock:
        return state._state[key]


def _write_uninterrupted(state: SafeSessionState, key: str, value: Any) -> None:
    """Write a value, unless the run was stopped: the session can have another one by now."""
    runner = getattr(state._yield_callback, "__self__", None)
    if isinstance(runner, ScriptRunner) and runner._requests._state is ScriptRequestType.STOP:
        state._yield_callback()
    with state._lock:
        state._state[key] = value


def _clear_unless_running(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    """Keep the unsent messages, in order, if the session goes on."""
    if retain_lifecycle_msgs:
        # Messages of the next run must not replace this run's messages in the queue.
        queue._delta_index_map = {}
    else:
        _clear(queue)


def _stop_and_clear(session: AppSession) -> None:
    """Stop the run and discard its unsent half; a reconnecting browser requests a whole run."""
    session._headlight_stopped = session._scriptrunner  # type: ignore[attr-defined]
    session._browser_queue.clear()
    _request_script_stop(session)


def _finish_message(
    session: AppSession, status: "ForwardMsg.ScriptFinishedStatus.ValueType", *run: Any
) -> ForwardMsg:
    """Report a stopped run as FINISHED_EARLY_FOR_RERUN."""
    stopped = getattr(session, "_headlight_stopped", None)
    if stopped is not None and stopped is session._scriptrunner:
        status = ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return _create_script_finished_message(session, status, *run)
