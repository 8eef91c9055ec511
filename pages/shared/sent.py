"""What a browser still has of what it was sent: of that it is sent the name alone.

Streamlit takes the browser's word, given with the act that a run answers. But a browser lets go of
what was not drawn for two runs, and where another answer is still on its way it does so before this
one arrives: then it is sent a name that says nothing to it, and its page ends there. What a line
brings arrives in its order, so that the server can count along instead.
"""

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

_write = StarletteSessionClient.write_forward_msg


class Sent:
    """What came down one line, as the browser keeps it."""

    def __init__(self, n_runs: int) -> None:
        """Nothing came yet.

        Args:
            n_runs: For so many that did not draw it, the browser keeps what it has.
        """
        self._n_runs = n_runs
        self._run = 0
        self._has: dict[str, tuple[int, str]] = {}  # last drawn by which run, first by which part

    def shortened(self, message: ForwardMsg) -> ForwardMsg:
        """The message, or its name if the browser will have it when this arrives.

        To be asked for every message, in the order in which they are sent.
        """
        if message.WhichOneof("type") == "script_finished":
            self._end(message)
        if not (message.metadata.cacheable and message.hash):
            return message
        known = self._has.get(message.hash)
        self._has[message.hash] = self._run, known[1] if known else message.delta.fragment_id
        return create_reference_msg(message) if known else message

    def _end(self, message: ForwardMsg) -> None:
        """A run has ended: let go of what the browser then lets go of."""
        if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        self._run += 1
        parts = message.metadata.run.fragment_ids  # of a whole run, none
        self._has = {
            name: (run, part)
            for name, (run, part) in self._has.items()
            if (parts and part not in parts) or self._run - run <= self._n_runs
        }


def count_along() -> None:
    """Have this process do so; nothing public of Streamlit has a way to."""
    script_run_context.create_reference_msg = _whole  # type: ignore[attr-defined,assignment]
    StarletteSessionClient.write_forward_msg = _shortened  # type: ignore[assignment,method-assign]


def _whole(message: ForwardMsg) -> ForwardMsg:
    """What is drawn: its name is written in its place when it is sent."""
    return message


def _shortened(client: StarletteSessionClient, message: ForwardMsg) -> None:
    if not hasattr(client, "_headlight_sent"):
        kept = int(config.get_option("global.maxCachedMessageAge"))
        client._headlight_sent = Sent(kept)  # type: ignore[attr-defined]
    _write(client, client._headlight_sent.shortened(message))  # type: ignore[attr-defined]
