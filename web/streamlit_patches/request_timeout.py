"""Timeout that closes a connection whose request does not arrive.

Replaces: the methods of uvicorn's HTTP protocol that begin and end a wait for a request.
Why: uvicorn waits for a request without a limit. Connections that send nothing, or a byte now and
then, stay open until the process has no file left for a visitor. httptools, which `streamlit run`
uses where it is installed, is left as it is, with a warning.
Upstream: https://github.com/Kludex/uvicorn/issues/157 (timeouts for the head and the body).
Delete it when uvicorn has a timeout for the head and the body of a request.
"""

import logging
import sys
from asyncio import Transport

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

log = logging.getLogger(__name__)

REQUEST_TIMEOUT = 25
"""Seconds for the head and the body of a request, from the connection or the last response."""

TARGETS = {
    "uvicorn.protocols.http.h11_impl:H11Protocol.connection_made": "6efb565ff3d3",
    "uvicorn.protocols.http.h11_impl:H11Protocol.connection_lost": "dbb688fa2b38",
    "uvicorn.protocols.http.h11_impl:H11Protocol.on_response_complete": "1fbb8f48c6a1",
}


_connection_made = H11Protocol.connection_made
_connection_lost = H11Protocol.connection_lost
_on_response_complete = H11Protocol.on_response_complete


def install() -> None:
    """Replace the three methods; `streamlit run` chooses the class before it imports us."""
    H11Protocol.connection_made = _await_first_request  # type: ignore[assignment,method-assign]
    H11Protocol.connection_lost = _stop_waiting  # type: ignore[assignment,method-assign]
    H11Protocol.on_response_complete = _await_next_request  # type: ignore[assignment,method-assign]
    if "uvicorn.protocols.http.httptools_impl" in sys.modules:
        log.warning(
            "The server does not close unfinished requests, because httptools is installed. Start "
            "it with python app.py instead of streamlit run."
        )


def _await_first_request(protocol: H11Protocol, transport: Transport) -> None:
    _connection_made(protocol, transport)
    _start_timer(protocol)


def _await_next_request(protocol: H11Protocol) -> None:
    _start_timer(protocol)
    _on_response_complete(protocol)


def _stop_waiting(protocol: H11Protocol, exc: Exception | None) -> None:
    _connection_lost(protocol, exc)
    protocol._headlight_deadline.cancel()  # type: ignore[attr-defined]


def _start_timer(protocol: H11Protocol) -> None:
    if hasattr(protocol, "_headlight_deadline"):
        protocol._headlight_deadline.cancel()
    later = protocol.loop.call_later(REQUEST_TIMEOUT, _close_if_incomplete, protocol)
    protocol._headlight_deadline = later  # type: ignore[attr-defined]


def _close_if_incomplete(protocol: H11Protocol) -> None:
    is_websocket = protocol.transport.get_protocol() is not protocol
    if not is_websocket and protocol.conn.their_state in (h11.IDLE, h11.SEND_BODY):
        protocol.transport.abort()
