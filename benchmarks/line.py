"""Relay that simulates a slow connection and counts its bytes.

Chromium can throttle requests, but reports the size of WebSocket messages before compression only.
All connections through the relay share its rate.
"""

import asyncio
import contextlib
import threading
from typing import Self

CHUNK = 16_384


class Line:
    """A relay on its own port, inside a `with` block."""

    def __init__(self, port: int, to: tuple[str, int], mbit: float | None, ms: float) -> None:
        """Store the options; the relay starts with the block.

        Args:
            port: The relay's port, on every address of this machine.
            to: The server's address and port.
            mbit: Megabits per second to the browser; None: unlimited.
            ms: Round-trip time in milliseconds.
        """
        self.port, self.to = port, to
        self.rate = mbit * 1e6 / 8 if mbit else None
        self.one_way = ms / 2000
        self.received = 0
        self._free_at = 0.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        listening = asyncio.start_server(self._relay, "0.0.0.0", self.port)
        asyncio.run_coroutine_threadsafe(listening, self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    async def _hang_up(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _relay(self, browser: asyncio.StreamReader, to_browser: asyncio.StreamWriter) -> None:
        # asyncio's streams would report a cancelled relay as an error.
        with contextlib.suppress(asyncio.CancelledError):
            server, to_server = await asyncio.open_connection(*self.to)
            up = self._carry(browser, to_server, slow=False)
            await asyncio.gather(up, self._carry(server, to_browser, slow=True))

    async def _carry(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, slow: bool
    ) -> None:
        """Forward data with the connection's rate and latency."""
        # A bounded queue, like a network's buffers, so that the server cannot run ahead.
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(16)
        delivering = asyncio.create_task(self._deliver(waiting, sink, counted=slow))
        with contextlib.suppress(ConnectionError):
            while chunk := await source.read(CHUNK):
                now = self._loop.time()
                if slow:
                    seconds = len(chunk) / self.rate if self.rate else 0.0
                    self._free_at = now = max(now, self._free_at) + seconds
                await waiting.put((now + self.one_way, chunk))
        await waiting.put((0.0, b""))
        await delivering

    async def _deliver(
        self,
        waiting: asyncio.Queue[tuple[float, bytes]],
        sink: asyncio.StreamWriter,
        counted: bool,
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                at, chunk = await waiting.get()
                if not chunk:
                    break
                await asyncio.sleep(at - self._loop.time())
                sink.write(chunk)
                self.received += len(chunk) * counted
                await sink.drain()
        sink.close()
