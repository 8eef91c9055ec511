"""What a session has to tell its browser and has not sent yet.

Of two of its runs Streamlit tells less than there is, or more. Either way the browser takes parts
of the page away, with all that their boxes hold, and draws them again a moment later: of several
buttons none is chosen any more, and boxes are blank.

- Where a run of a fragment follows right behind a run of the whole page, what the first has drawn
  of that fragment and is not sent yet is dropped; that it has ended is sent all the same.
- Where the line breaks, the run that goes on is stopped, and said to have ended well.
"""

from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_clear = ForwardMsgQueue.clear
_stop = AppSession.request_script_stop
_ended = AppSession._create_script_finished_message


def say_what_is_so() -> None:
    """Have sessions say neither; nothing public of Streamlit does that."""
    ForwardMsgQueue.clear = _clear_for_a_run  # type: ignore[assignment,method-assign]
    AppSession.request_script_stop = _stop_noted  # type: ignore[assignment,method-assign]
    AppSession._create_script_finished_message = _ended_or_stopped  # type: ignore[assignment,method-assign]


def _clear_for_a_run(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    """Before a run of fragments all is kept, in its order."""
    if retain_lifecycle_msgs and fragment_ids_this_run is not None:
        queue._delta_index_map = {}  # what comes is of another run: it takes nothing's place
    else:
        _clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)


def _stop_noted(session: AppSession) -> None:
    """What is not sent by then is half of something: the browser asks for all of it."""
    session._headlight_stopped = session._scriptrunner  # type: ignore[attr-defined]
    session._browser_queue.clear()
    _stop(session)


def _ended_or_stopped(
    session: AppSession, status: "ForwardMsg.ScriptFinishedStatus.ValueType", *of_run: Any
) -> ForwardMsg:
    """Who was told to stop begins nothing anew: what ends there ended early."""
    stopped = getattr(session, "_headlight_stopped", None)
    if stopped is not None and stopped is session._scriptrunner:
        status = ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return _ended(session, status, *of_run)
