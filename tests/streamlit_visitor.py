"""Visitor without a browser, who speaks Streamlit's protocol and draws nothing."""

import time
from typing import Self

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from benchmarks.protocol import LIMIT, Page


class Visitor:
    """One session, which sends the same messages as Streamlit's page.

    Attributes:
        first: Seconds of the first visit.
    """

    def __init__(self, server: str, address: str = "") -> None:
        """Connect to a host and port, and load a page, such as ``"layers?text=hello"``."""
        self._page = Page(address)
        self._socket = connect(
            f"ws://{server}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            compression=None,
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

    def type(self, sentence: str) -> float:
        """Type a sentence and press Enter; return seconds until the run has finished."""
        return self._say(self._page.type(sentence))

    def rerun(self) -> float:
        """Request a rerun without a change; return seconds until the run has finished."""
        return self._say(self._page.rerun())

    def _say(self, message: bytes) -> float:
        began = time.perf_counter()
        self._socket.send(message)
        while not self._page.receive(self._socket.recv(timeout=LIMIT)):  # type: ignore[arg-type]
            pass
        return time.perf_counter() - began
