"""Server-side record of the messages that each browser has cached.

Replaces: how Streamlit decides to send a cached message's hash instead of the message. Streamlit
relies on the list of hashes that the browser sends with each rerun request.
Why: that list can be stale. A browser evicts messages that two runs have not used. If it does so
while another response is on its way, the server sends a hash that the browser no longer has. The
page stops with "Cached ForwardMsg MISS". Messages of one WebSocket arrive in order, so the server
can follow the browser's evictions itself.
Upstream: https://github.com/streamlit/streamlit/issues/16570 and 15816, closed without a
reproduction. To report: two reruns in quick succession, where the first one evicts a message.
Delete it when the browser asks the server for a message that it misses.
"""

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

TARGETS = {
    "streamlit.runtime.forward_msg_cache:create_reference_msg": "9cface342ed8",
    "streamlit.runtime.scriptrunner:ScriptRunContext.enqueue": "241f79ff48c8",
    "streamlit.web.server.starlette.starlette_websocket:StarletteSessionClient": "6781c978dff6",
}

_write_forward_msg = StarletteSessionClient.write_forward_msg


class BrowserMessageCache:
    """Mirror of one browser's message cache, which evicts what ``max_age`` runs have not used."""

    def __init__(self, max_age: int) -> None:
        self._max_age = max_age
        self._run = 0
        # By hash: the last run that used the message, and the fragment that first drew it.
        self._messages: dict[str, tuple[int, str]] = {}

    def shorten(self, message: ForwardMsg) -> ForwardMsg:
        """Return the next sent message, or a reference if the browser has it cached."""
        if message.WhichOneof("type") == "script_finished":
            self._finish_run(message)
        if not (message.metadata.cacheable and message.hash):
            return message
        known = self._messages.get(message.hash)
        fragment_id = known[1] if known else message.delta.fragment_id
        self._messages[message.hash] = self._run, fragment_id
        return create_reference_msg(message) if known else message

    def _finish_run(self, message: ForwardMsg) -> None:
        """Evict what the browser evicts when a run has finished."""
        if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        self._run += 1
        fragment_ids = message.metadata.run.fragment_ids  # empty for a run of the whole page
        self._messages = {
            name: (run, fragment_id)
            for name, (run, fragment_id) in self._messages.items()
            if (fragment_ids and fragment_id not in fragment_ids)
            or self._run - run <= self._max_age
        }


def install() -> None:
    """Shorten messages when they are sent, not when they are enqueued."""
    script_run_context.create_reference_msg = lambda msg: msg  # type: ignore[attr-defined]
    StarletteSessionClient.write_forward_msg = _write_shortened  # type: ignore[assignment,method-assign]


def _write_shortened(client: StarletteSessionClient, message: ForwardMsg) -> None:
    if not hasattr(client, "_headlight_cache"):
        max_age = int(config.get_option("global.maxCachedMessageAge"))
        client._headlight_cache = BrowserMessageCache(max_age)  # type: ignore[attr-defined]
    _write_forward_msg(client, client._headlight_cache.shorten(message))  # type: ignore[attr-defined]
