"""Visitor without a browser: speaks Streamlit's protocol and draws nothing.

with Visitor("127.0.0.1:8501", "?left=minilm&right=minilm") as visitor:
    seconds = visitor.type("The animal didn't cross the street.")
"""

import json
import time
from socket import SHUT_RD, SO_LINGER, SOL_SOCKET
from struct import pack
from typing import Literal, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

LIMIT = 60
"""Seconds until an answer is given up."""

INTERNAL = "$$STREAMLIT_INTERNAL_KEY"
"""Streamlit's own prefix of the name under which a component's events travel."""

FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)

GOES_ON = ForwardMsg.FINISHED_EARLY_FOR_RERUN
"""Of a run that another follows at once, as a click's callback has it."""


class Page:
    """State of a page's script: sent and received messages.

    Attributes:
        said: The messages of the last run.
        boxes: The values of the text boxes, by their names.
        components: The names of the components, by their keys.
    """

    def __init__(self, address: str) -> None:
        """Nothing is known of the page yet.

        Args:
            address: Path and query, e.g. ``"layers?text=hello"``.
        """
        self._page, _, self._query = address.partition("?")
        self._hash = ""
        self._cached: dict[str, None] = {}
        self.boxes: dict[str, str] = {}
        self.components: dict[str, str] = {}
        self.said: list[ForwardMsg] = []

    def go(self, address: str) -> bytes:
        """To another address, by the browser's history; returns what to send."""
        page, _, self._query = address.partition("?")
        if page != self._page:
            self.boxes = {}
        self._page, self._hash = page, ""
        return self.rerun(by_history=True)

    def type(self, sentence: str) -> bytes:
        """Another sentence in the page's first box; returns what to send."""
        self.boxes[next(iter(self.boxes))] = sentence
        return self.rerun()

    def act(self, key: str, event: str, value: object) -> bytes:
        """What a component says of itself, as of a click; returns what to send."""
        events = json.dumps([{"event": event, "value": value}])
        return self.rerun(acts=(f"{INTERNAL}_{self.components[key]}__events", events))

    def rerun(self, by_history: bool = False, acts: tuple[str, str] | None = None) -> bytes:
        """The same again; returns what to send."""
        self.said = []
        asked = BackMsg()
        state = asked.rerun_script
        state.is_history_navigation = by_history
        state.page_name, state.page_script_hash = self._page, self._hash
        state.query_string = self._query
        state.cached_message_hashes.extend(self._cached)
        for name, value in self.boxes.items():
            widget = state.widget_states.widgets.add()
            widget.id, widget.string_value = name, value
        if acts:
            widget = state.widget_states.widgets.add()
            widget.id, widget.json_trigger_value = acts
        return asked.SerializeToString()

    def hear(self, data: bytes) -> bool:
        """Read a message; returns whether it was the last of a run.

        Raises:
            RuntimeError: If the run failed.
        """
        message = ForwardMsg()
        message.ParseFromString(data)
        self.said.append(message)
        self._note(message)
        if message.WhichOneof("type") != "script_finished" or message.script_finished == GOES_ON:
            return False
        if message.script_finished not in FINISHED:
            raise RuntimeError(str(message))
        return True

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
                if box.set_value or box.id not in self.boxes:
                    self.boxes[box.id] = box.value if box.set_value else box.default
            elif element.WhichOneof("type") == "bidi_component":
                name = element.bidi_component.id
                self.components[name.split("-", 2)[-1]] = name
        if message.metadata.cacheable:
            self._cached[message.hash] = None


class Visitor:
    """One session; it sends the messages of Streamlit's own page.

    Attributes:
        first: Seconds of the first visit.
    """

    def __init__(
        self, server: str, address: str = "", compression: Literal["deflate"] | None = None
    ) -> None:
        """Visit.

        Args:
            server: Host and port.
            address: Path and query of the page, e.g. ``"layers?text=hello"``.
            compression: Offered to the server.
        """
        self._page = Page(address)
        self._socket = connect(
            f"ws://{server}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            compression=compression,
            max_size=None,
            open_timeout=LIMIT,
        )
        self.first = self.rerun()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def said(self) -> list[ForwardMsg]:
        """The messages of the last run."""
        return self._page.said

    @property
    def types(self) -> bool:
        """Whether the page has a box to type into."""
        return bool(self._page.boxes)

    @property
    def components(self) -> list[str]:
        """The keys of the components that the pages had so far."""
        return list(self._page.components)

    def vanish(self, address: str) -> None:
        """Ask for another page and be gone, without a word, while the server is at it."""
        self._socket.send(self._page.go(address))
        # Reset, not closed: nobody is there to say goodbye.
        self._socket.socket.setsockopt(SOL_SOCKET, SO_LINGER, pack("ii", 1, 0))
        self._socket.socket.shutdown(SHUT_RD)
        self._socket.recv_events_thread.join(10)

    def type(self, sentence: str) -> float:
        """Another sentence and Enter; returns seconds until the script has finished."""
        return self._say(self._page.type(sentence))

    def act(self, key: str, event: str, value: object) -> float:
        """What a component says of itself; returns seconds until the script has finished."""
        return self._say(self._page.act(key, event, value))

    def go(self, address: str) -> float:
        """To a page's address, by the browser's history; returns seconds until it has finished."""
        return self._say(self._page.go(address))

    def rerun(self) -> float:
        """The same again; returns seconds until the script has finished."""
        return self._say(self._page.rerun())

    def _say(self, message: bytes) -> float:
        began = time.perf_counter()
        self._socket.send(message)
        while not self._page.hear(self._socket.recv(timeout=LIMIT)):  # type: ignore[arg-type]
            pass
        return time.perf_counter() - began
