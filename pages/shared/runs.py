"""Runs that follow closely upon one another, and what Streamlit would lose between them.

- What the browser tells while a run is about to begin pushes that run aside before it has taken
  what it was told itself: a click that is followed by a sentence at once is never heard of.
- What a run has drawn and is not sent yet is dropped when the next begins, though that one may draw
  a part of the page alone. That a whole run has ended is sent all the same: the browser takes away
  what it has not got, with all that the boxes there hold, and when they are drawn again a moment
  later none of several buttons is chosen.
- Where the line breaks, the run that goes on is stopped, and said to have ended well: half drawn,
  and to the same effect.
"""

from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.state import SafeSessionState

_hear = SafeSessionState.on_script_will_rerun
_clear = ForwardMsgQueue.clear
_stop = AppSession.request_script_stop
_end = AppSession._create_script_finished_message


def lose_nothing() -> None:
    """Let the sessions of this process do none of it; nothing public of Streamlit has a way to."""
    SafeSessionState.on_script_will_rerun = _heard_out  # type: ignore[assignment,method-assign]
    ForwardMsgQueue.clear = _kept  # type: ignore[assignment,method-assign]
    AppSession.request_script_stop = _stopped  # type: ignore[assignment,method-assign]
    AppSession._create_script_finished_message = _ended  # type: ignore[assignment,method-assign]


def _heard_out(state: SafeSessionState, *told: Any, **how: Any) -> None:
    """Take what the browser told, callbacks included, before anything else may push it aside."""
    give_way = state._yield_callback
    object.__setattr__(state, "_yield_callback", _go_on)  # its own would set a value of the session
    try:
        _hear(state, *told, **how)
    finally:
        object.__setattr__(state, "_yield_callback", give_way)


def _go_on() -> None:
    """Give way to nothing."""


def _kept(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    """A session that goes on keeps what it has not sent, in its order."""
    if retain_lifecycle_msgs:
        queue._delta_index_map = {}  # what comes is of another run: it takes nothing's place
    else:
        _clear(queue)


def _stopped(session: AppSession) -> None:
    """What is not sent by then is half of something: the browser asks for all of it."""
    session._headlight_stopped = session._scriptrunner  # type: ignore[attr-defined]
    session._browser_queue.clear()
    _stop(session)


def _ended(
    session: AppSession, status: "ForwardMsg.ScriptFinishedStatus.ValueType", *of_run: Any
) -> ForwardMsg:
    """Who was told to stop begins nothing anew: what ends there ended early."""
    stopped = getattr(session, "_headlight_stopped", None)
    if stopped is not None and stopped is session._scriptrunner:
        status = ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return _end(session, status, *of_run)
