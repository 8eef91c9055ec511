"""A page's live connection, with its large messages compressed for those who are elsewhere.

Weights in 16 bits lose a third, at 15 ms of a core for a megabyte: worth it on a Wi-Fi that a class
shares, and not on the machine itself.
"""

from asyncio import BaseTransport
from collections.abc import Sequence

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions import Extension
from websockets.extensions.permessage_deflate import (
    PerMessageDeflate,
    ServerPerMessageDeflateFactory,
)
from websockets.frames import Frame
from websockets.typing import ExtensionParameter

from pages.shared import settings

LEAST = 1000
"""Bytes of a message that is worth it: most are a hundred, and many are sent at once."""


class Socket(WebSocketsSansIOProtocol):
    """As uvicorn's own, which compresses every message or none."""

    def connection_made(self, transport: BaseTransport) -> None:
        """Offer compression to another machine."""
        super().connection_made(transport)
        # Behind a proxy on the machine itself, everybody seems near.
        near = self.client and settings.is_loopback(self.client[0]) and not settings.now().hosts
        if not near:
            self.conn.available_extensions = [_Offer()]


class _Offer(ServerPerMessageDeflateFactory):
    def __init__(self) -> None:
        # Each message by itself: a class's connections need no memory between them. Level 1 is
        # three times as fast as 6 and leaves a fiftieth more.
        super().__init__(server_no_context_takeover=True, compress_settings={"level": 1})

    def process_request_params(
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> tuple[list[ExtensionParameter], PerMessageDeflate]:
        """What is answered to a browser's own offer, and what compresses from then on."""
        answer, found = super().process_request_params(params, accepted_extensions)
        return answer, _LargeOnly(
            found.remote_no_context_takeover,
            found.local_no_context_takeover,
            found.remote_max_window_bits,
            found.local_max_window_bits,
            found.compress_settings,
        )


class _LargeOnly(PerMessageDeflate):
    def encode(self, frame: Frame) -> Frame:
        """A message in one frame, as uvicorn sends all of its messages."""
        return frame if len(frame.data) < LEAST else super().encode(frame)
