"""HTTP protocol that closes a connection whose request does not arrive in time.

Replaces: uvicorn's choice of its HTTP protocol.
Why: uvicorn waits for a request without a limit. Connections that send nothing, or a byte now and
then, stay open until the process has no file left for a visitor.
Upstream: https://github.com/Kludex/uvicorn/issues/157 (timeouts for the head and the body).
Delete it when uvicorn has a timeout for the head and the body of a request.
"""

from asyncio import BaseTransport, TimerHandle

import h11
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_TIMEOUT = 25
"""Seconds for the head and the body of a request, from the connection or the last response."""

TARGETS = {
    "uvicorn.protocols.http.h11_impl:H11Protocol.connection_made": "6efb565ff3d3",
    "uvicorn.protocols.http.h11_impl:H11Protocol.connection_lost": "dbb688fa2b38",
    "uvicorn.protocols.http.h11_impl:H11Protocol.on_response_complete": "1fbb8f48c6a1",
}


class TimeoutProtocol(H11Protocol):
    """uvicorn's protocol; closes the connection unless each request arrives in time."""

    _deadline: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Wait for the first request."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._start_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._start_timer()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._stop_timer()
        self._deadline = self.loop.call_later(REQUEST_TIMEOUT, self._close_if_incomplete)

    def _stop_timer(self) -> None:
        if self._deadline:
            self._deadline.cancel()

    def _close_if_incomplete(self) -> None:
        is_websocket = self.transport.get_protocol() is not self
        if not is_websocket and self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.abort()


def install() -> None:
    """Make it the HTTP protocol that uvicorn chooses by default."""
    HTTP_PROTOCOLS["auto"] = f"{__name__}:{TimeoutProtocol.__name__}"
