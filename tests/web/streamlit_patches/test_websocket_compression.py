"""Compression of large WebSocket messages for other machines."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection, connect

from web import settings
from web.streamlit_patches.websocket_compression import (
    MIN_COMPRESSED_BYTES,
    CompressingWebSocket,
    _LargeMessageDeflateFactory,
)

WORDS = b"attention is all you need " * 4000


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    try:
        while True:
            await socket.send_bytes(await socket.receive_bytes())
    except WebSocketDisconnect:
        pass


@contextmanager
def connected(**how: object) -> Iterator[ClientConnection]:
    """A connection to a server of its own, on this machine."""
    app = Starlette(routes=[WebSocketRoute("/", echo)])
    config = uvicorn.Config(
        app,
        port=0,
        ws=CompressingWebSocket,
        ws_per_message_deflate=False,
        log_level="error",
        lifespan="off",
    )
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    thread = Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        with connect(f"ws://127.0.0.1:{listening.getsockname()[1]}/", **how) as wire:
            yield wire
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


def round_trip(wire: ClientConnection) -> None:
    for body in (b"", b"short", WORDS, os.urandom(70_000), WORDS, b"x" * MIN_COMPRESSED_BYTES):
        wire.send(body)
        assert wire.recv(timeout=20) == body


def test_compression_is_offered_to_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "is_loopback", lambda address: False)
    with connected() as wire:
        assert [each.name for each in wire.protocol.extensions] == ["permessage-deflate"]
        round_trip(wire)


def test_compression_is_offered_behind_a_local_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    behind = settings.Settings(hosts=("lab.example.org",))
    monkeypatch.setattr(settings, "_settings", behind)
    with connected() as wire:
        assert [each.name for each in wire.protocol.extensions] == ["permessage-deflate"]


def test_a_client_without_compression_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings, "is_loopback", lambda address: False)
    with connected(compression=None) as wire:
        assert wire.protocol.extensions == []
        round_trip(wire)


def test_compression_is_not_offered_to_loopback_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    with connected() as wire:
        assert wire.protocol.extensions == []
        round_trip(wire)


def test_only_large_messages_are_compressed() -> None:
    browser = ClientPerMessageDeflateFactory()
    answer, ours = _LargeMessageDeflateFactory().process_request_params([], [])
    theirs = browser.process_response_params(answer, [])
    for size in (0, 1, MIN_COMPRESSED_BYTES - 1):
        frame = Frame(Opcode.BINARY, WORDS[:size])
        assert ours.encode(frame) is frame
        assert theirs.decode(frame) is frame
    for body in (WORDS[:MIN_COMPRESSED_BYTES], WORDS, WORDS[::-1]):
        frame = ours.encode(Frame(Opcode.BINARY, body))
        assert frame.rsv1 and len(frame.data) < 0.1 * len(body)
        assert bytes(theirs.decode(frame).data) == body
