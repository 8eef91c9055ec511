"""Visitor without a browser, who speaks Streamlit's protocol and draws nothing.

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
"""Seconds until a missing response is an error."""

INTERNAL = "$$STREAMLIT_INTERNAL_KEY"
"""Streamlit's prefix of the name of a component's events."""

FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)

GOES_ON = ForwardMsg.FINISHED_EARLY_FOR_RERUN
"""Status of a run that another run follows immediately, as after a click's callback."""


class Page:
    """State of a page, from its sent and received messages.

    Attributes:
        said: The messages of the last run.
        text_inputs: Values of the text inputs by label.
        components: Names of the components by key.
    """

    def __init__(self, address: str) -> None:
        """Create the state of a page that is not loaded.

        Args:
            address: Path and query, such as ``"layers?text=hello"``.
        """
        self._page, _, self._query = address.partition("?")
        self._hash = ""
        self._cached: dict[str, None] = {}
        self.text_inputs: dict[str, str] = {}
        self.components: dict[str, str] = {}
        self.messages: list[ForwardMsg] = []

    def go(self, address: str) -> bytes:
        """Go to another URL through the history; return the message to send."""
        page, _, self._query = address.partition("?")
        if page != self._page:
            self.text_inputs = {}
        self._page, self._hash = page, ""
        return self.rerun(by_history=True)

    def type(self, sentence: str) -> bytes:
        """Type a sentence into the page's first text input; return the message to send."""
        self.text_inputs[next(iter(self.text_inputs))] = sentence
        return self.rerun()

    def act(self, key: str, event: str, value: object) -> bytes:
        """Trigger a component's event, such as a click; return the message to send."""
        events = json.dumps([{"event": event, "value": value}])
        return self.rerun(acts=(f"{INTERNAL}_{self.components[key]}__events", events))

    def rerun(self, by_history: bool = False, acts: tuple[str, str] | None = None) -> bytes:
        """Request a rerun without a change; return the message to send."""
        self.messages = []
        request = BackMsg()
        state = request.rerun_script
        state.is_history_navigation = by_history
        state.page_name, state.page_script_hash = self._page, self._hash
        state.query_string = self._query
        state.cached_message_hashes.extend(self._cached)
        for name, value in self.text_inputs.items():
            widget = state.widget_states.widgets.add()
            widget.id, widget.string_value = name, value
        if acts:
            widget = state.widget_states.widgets.add()
            widget.id, widget.json_trigger_value = acts
        return request.SerializeToString()

    def receive(self, data: bytes) -> bool:
        """Read a message; return whether it was the last of a run.

        Raises:
            RuntimeError: If the run failed.
        """
        message = ForwardMsg()
        message.ParseFromString(data)
        self.messages.append(message)
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
                if box.set_value or box.id not in self.text_inputs:
                    self.text_inputs[box.id] = box.value if box.set_value else box.default
            elif element.WhichOneof("type") == "bidi_component":
                name = element.bidi_component.id
                self.components[name.split("-", 2)[-1]] = name
        if message.metadata.cacheable:
            self._cached[message.hash] = None


class Visitor:
    """One session, which sends the same messages as Streamlit's page.

    Attributes:
        first: Seconds of the first visit.
    """

    def __init__(
        self, server: str, address: str = "", compression: Literal["deflate"] | None = None
    ) -> None:
        """Connect and load the page.

        Args:
            server: Host and port.
            address: Path and query of the page, such as ``"layers?text=hello"``.
            compression: The compression offered to the server.
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
    def messages(self) -> list[ForwardMsg]:
        """The messages of the last run."""
        return self._page.messages

    @property
    def types(self) -> bool:
        """Whether the page has a text input."""
        return bool(self._page.text_inputs)

    @property
    def components(self) -> list[str]:
        """Keys of the components of all pages so far."""
        return list(self._page.components)

    def disconnect_during_run(self, address: str) -> None:
        """Request another page, and reset the connection during the run."""
        self._socket.send(self._page.go(address))
        # A reset, not a regular close, as when a device loses its network.
        self._socket.socket.setsockopt(SOL_SOCKET, SO_LINGER, pack("ii", 1, 0))
        self._socket.socket.shutdown(SHUT_RD)
        self._socket.recv_events_thread.join(10)

    def type(self, sentence: str) -> float:
        """Type a sentence and press Enter; return seconds until the run has finished."""
        return self._say(self._page.type(sentence))

    def act(self, key: str, event: str, value: object) -> float:
        """Trigger a component's event; return seconds until the run has finished."""
        return self._say(self._page.act(key, event, value))

    def go(self, address: str) -> float:
        """Go to a URL through the history; return seconds until the run has finished."""
        return self._say(self._page.go(address))

    def rerun(self) -> float:
        """Request a rerun without a change; return seconds until the run has finished."""
        return self._say(self._page.rerun())

    def _say(self, message: bytes) -> float:
        began = time.perf_counter()
        self._socket.send(message)
        while not self._page.receive(self._socket.recv(timeout=LIMIT)):  # type: ignore[arg-type]
            pass
        return time.perf_counter() - began
