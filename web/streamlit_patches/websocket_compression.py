"""WebSocket that compresses large messages to browsers on other machines.

Replaces: uvicorn's choice between compressing every message and none.
Why: attention weights in 16 bits shrink by a third, for 15 ms of a core a megabyte. That pays on a
Wi-Fi that a class shares, and not on the server's own machine or for small messages.
Measured: ``python -m benchmarks.patches websocket_compression``; the result is in README.md.
Upstream: not reported: uvicorn could take a threshold and compression settings.
Delete it when uvicorn has both, or when a proxy compresses WebSockets.
"""

from asyncio import BaseTransport
from collections.abc import Sequence

from uvicorn.config import WS_PROTOCOLS
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions import Extension
from websockets.extensions.permessage_deflate import (
    PerMessageDeflate,
    ServerPerMessageDeflateFactory,
)
from websockets.frames import Frame
from websockets.typing import ExtensionParameter

from web import settings

MIN_COMPRESSED_BYTES = 1000
"""Smaller messages are sent uncompressed. Most have about a hundred bytes."""

TARGETS = {
    "uvicorn.protocols.websockets.websockets_sansio_impl:WebSocketsSansIOProtocol": "0bbcec989384",
    "websockets.extensions.permessage_deflate:PerMessageDeflate": "9248004475f4",
    "websockets.extensions.permessage_deflate:ServerPerMessageDeflateFactory": "a768cdd6f932",
}


class CompressingWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's protocol; offers compression to other machines."""

    def connection_made(self, transport: BaseTransport) -> None:
        """Offer compression unless the browser is on this machine."""
        super().connection_made(transport)
        # Behind a proxy on this machine, every client address is a loopback address.
        is_local = self.client and settings.is_loopback(self.client[0]) and not settings.now().hosts
        if not is_local:
            self.conn.available_extensions = [_LargeMessageDeflateFactory()]


class _LargeMessageDeflateFactory(ServerPerMessageDeflateFactory):
    def __init__(self) -> None:
        # No context takeover: idle connections need no memory for compression. Level 1 is three
        # times as fast as level 6, and its output is 2 % larger.
        super().__init__(server_no_context_takeover=True, compress_settings={"level": 1})

    def process_request_params(
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> tuple[list[ExtensionParameter], PerMessageDeflate]:
        """Negotiate as usual; return an extension that skips small messages."""
        response, extension = super().process_request_params(params, accepted_extensions)
        return response, _LargeMessageDeflate(
            extension.remote_no_context_takeover,
            extension.local_no_context_takeover,
            extension.remote_max_window_bits,
            extension.local_max_window_bits,
            extension.compress_settings,
        )


class _LargeMessageDeflate(PerMessageDeflate):
    def encode(self, frame: Frame) -> Frame:
        """Compress a large message. uvicorn sends every message as one frame."""
        return frame if len(frame.data) < MIN_COMPRESSED_BYTES else super().encode(frame)


def install() -> None:
    """Make it the WebSocket protocol that uvicorn chooses by default."""
    WS_PROTOCOLS["auto"] = f"{__name__}:{CompressingWebSocket.__name__}"
