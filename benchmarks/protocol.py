"""A visitor without a browser: what a page's script asks of the server, and no drawing.

with Visitor("127.0.0.1:8501", "?left=minilm&right=minilm") as visitor:
    seconds = visitor.type("The animal didn't cross the street.")
"""

import time
from socket import SHUT_RD, SO_LINGER, SOL_SOCKET
from struct import pack
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

LIMIT = 60
"""Seconds until an answer is given up."""


class Visitor:
    """One session, from the first visit on; what it sends is what Streamlit's own page sends.

    Attributes:
        first: Seconds of the first visit.
        said: The messages of the last run.
    """

    def __init__(self, server: str, address: str = "") -> None:
        """Visit.

        Args:
            server: Host and port.
            address: Path and query of the page, e.g. ``"layers?text=hello"``.
        """
        page, _, self._query = address.partition("?")
        self._socket = connect(
            f"ws://{server}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            compression=None,
            max_size=None,
            open_timeout=LIMIT,
        )
        self._page, self._hash = page, ""
        self._values: dict[str, str] = {}
        self._cached: dict[str, None] = {}
        self.said: list[ForwardMsg] = []
        self.first = self.rerun()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def types(self) -> bool:
        """Whether the page has a box to type into."""
        return bool(self._values)

    def vanish(self, address: str) -> None:
        """Ask for another page and be gone, without a word, while the server is at it."""
        _, _, self._query = address.partition("?")
        self._socket.send(self._asked(by_history=True))
        # Reset, not closed: nobody is there to say goodbye.
        self._socket.socket.setsockopt(SOL_SOCKET, SO_LINGER, pack("ii", 1, 0))
        self._socket.socket.shutdown(SHUT_RD)
        self._socket.recv_events_thread.join(10)

    def type(self, sentence: str) -> float:
        """Another sentence and Enter; returns seconds until the script has finished."""
        box = next(iter(self._values))  # the first on the page
        self._values[box] = sentence
        return self.rerun()

    def go(self, address: str) -> float:
        """To a page's address, by the browser's history; returns seconds until it has finished."""
        page, _, self._query = address.partition("?")
        if page != self._page:
            self._values = {}
        self._page, self._hash = page, ""
        return self.rerun(by_history=True)

    def rerun(self, by_history: bool = False) -> float:
        """The same again; returns seconds until the script has finished."""
        began = time.perf_counter()
        self._socket.send(self._asked(by_history))
        self._listen()
        return time.perf_counter() - began

    def _asked(self, by_history: bool) -> bytes:
        asked = BackMsg()
        state = asked.rerun_script
        state.is_history_navigation = by_history
        state.page_name, state.page_script_hash = self._page, self._hash
        state.query_string = self._query
        state.cached_message_hashes.extend(self._cached)
        for name, value in self._values.items():
            widget = state.widget_states.widgets.add()
            widget.id, widget.string_value = name, value
        return asked.SerializeToString()

    def _listen(self) -> None:
        self.said, finished = [], False
        while not finished:
            message = ForwardMsg()
            message.ParseFromString(self._socket.recv(timeout=LIMIT))  # type: ignore[arg-type]
            self.said.append(message)
            finished = message.WhichOneof("type") == "script_finished"
            self._note(message)
        assert message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY, message

    def _note(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self._hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "text_input":
                box = element.text_input
                if box.set_value or box.id not in self._values:
                    self._values[box.id] = box.value if box.set_value else box.default
        if message.metadata.cacheable:
            self._cached[message.hash] = None
