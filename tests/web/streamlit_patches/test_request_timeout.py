"""Connections whose request does not arrive are closed; all others stay open."""

import asyncio
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread
from types import ModuleType

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.sync.client import connect

from web import streamlit_patches
from web.streamlit_patches import request_timeout

TIMEOUT = 0.3
PATIENCE = 20
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"


async def answer_late(request: Request) -> PlainTextResponse:
    await asyncio.sleep(2 * TIMEOUT)
    return PlainTextResponse(f"{len(await request.body())} bytes")


async def send_late(websocket: WebSocket) -> None:
    await websocket.accept()
    await asyncio.sleep(2 * TIMEOUT)
    await websocket.send_text("a message")
    await websocket.close()


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Port of a server with the protocol that uvicorn chooses by default."""
    monkeypatch.setattr(request_timeout, "REQUEST_TIMEOUT", TIMEOUT)
    streamlit_patches.install()
    routes = [Route("/", answer_late, methods=["GET", "POST"]), WebSocketRoute("/live", send_late)]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    thread = Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(PATIENCE)
    listening.close()


def read_to_end(connection: socket.socket, ending: bytes | None = None) -> bytes:
    received = b""
    with suppress(ConnectionError):  # the server has closed it
        while not (ending and received.endswith(ending)) and (part := connection.recv(4096)):
            received += part
    return received


@pytest.mark.parametrize(
    ("sent", "dripped"),
    [(b"", b""), (b"", GET), (POST, b"123456789"), (GET, GET)],
)
def test_an_incomplete_request_closes_its_connection(
    port: int, sent: bytes, dripped: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        if sent == GET:
            assert read_to_end(connection, b"0 bytes").endswith(b"0 bytes")
        closed = Event()

        def drip() -> None:
            with suppress(OSError):
                for number in range(len(dripped) - 1):
                    if closed.wait(TIMEOUT / 5):
                        return
                    connection.sendall(dripped[number : number + 1])

        dripping = Thread(target=drip)
        dripping.start()
        assert b"bytes" not in read_to_end(connection)
        closed.set()
        dripping.join()


def test_a_protocol_without_a_timeout_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    request_timeout.install()
    assert not caplog.messages
    monkeypatch.setitem(sys.modules, "uvicorn.protocols.http.httptools_impl", ModuleType("other"))
    request_timeout.install()
    assert "Start it with python app.py" in caplog.text


def test_a_late_response_and_a_websocket_stay_open(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        for _ in range(2):
            connection.sendall(POST + b"123456789")
            assert read_to_end(connection, b"9 bytes").endswith(b"9 bytes")
    with connect(f"ws://127.0.0.1:{port}/live") as live:
        assert live.recv(timeout=PATIENCE) == "a message"
