"""What a session has to tell its browser and has not sent yet.

Where a run of a fragment follows right behind a run of the whole page, Streamlit drops what the
first has drawn of that fragment and is not sent yet, and sends that the first has ended all the
same. The browser takes the fragment away, with all that its boxes hold, and when it is drawn again
a moment later one of several buttons is chosen no more.
"""

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_as_it_was = ForwardMsgQueue.clear


def keep_what_a_run_has_drawn() -> None:
    """Let nothing unsent be dropped for a fragment's run; nothing public of Streamlit does that."""
    ForwardMsgQueue.clear = _clear  # type: ignore[assignment,method-assign]


def _clear(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    """As Streamlit's own, but before a run of fragments all is kept, in its order."""
    if retain_lifecycle_msgs and fragment_ids_this_run is not None:
        queue._delta_index_map = {}  # what comes is of another run: it takes nothing's place
    else:
        _as_it_was(queue, retain_lifecycle_msgs, fragment_ids_this_run)
