"""Hundreds of visitors in one thread, who use the WebSocket protocol and draw nothing.

The clients run on the server's machine and must use little CPU time. A message costs the parsing of
a frame and of a protocol buffer; it wakes no thread or task.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from benchmarks.protocol import LIMIT, Page

WARNS = (Alert.ERROR, Alert.WARNING)
"""Kinds of alerts that do not occur on a page without errors."""


class Wire(asyncio.Protocol):
    """A page's WebSocket; a future completes at the end of each run.

    Attributes:
        heard: The messages of the last run, in order.
    """

    def __init__(self, uri: str, page: Page) -> None:
        self.page = page
        self._socket = ClientProtocol(
            parse_uri(uri), subprotocols=[Subprotocol("streamlit")], max_size=None
        )
        self.received: list[bytes] = []
        self._parts: list[bytes] = []
        self._waiting: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._socket.send_request(self._socket.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._socket.receive_data(data)
        for event in self._socket.events_received():
            if isinstance(event, Response):
                self._done(self._socket.handshake_exc)
            elif isinstance(event, Frame) and event.opcode in (Opcode.BINARY, Opcode.CONT):
                self._parts.append(event.data)  # type: ignore[arg-type]
                if event.fin:
                    self._receive(b"".join(self._parts))
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done(ConnectionError("the server hung up"))

    def close(self) -> None:
        self._transport.close()

    def begin(self) -> asyncio.Future[None]:
        """Return a new future for the connection or for the end of a run."""
        self._waiting = self._loop.create_future()
        return self._waiting

    def say(self, message: bytes) -> asyncio.Future[None]:
        """Send a message; return a future that completes at the end of the run."""
        if self._transport.is_closing():
            raise ConnectionError("the server hung up")
        waiting, self.received = self.begin(), []
        self._socket.send_binary(message)
        self._flush()
        return waiting

    def _receive(self, message: bytes) -> None:
        self._parts.clear()
        self.received.append(message)
        try:
            if self.page.receive(message):
                self._done(None)
        except RuntimeError as error:
            self._done(error)

    def _done(self, error: Exception | None) -> None:
        if self._waiting and not self._waiting.done():
            if error:
                self._waiting.set_exception(error)
            else:
                self._waiting.set_result(None)

    def _flush(self) -> None:
        for data in self._socket.data_to_send():
            if data:
                self._transport.write(data)


class Student:
    """A visitor with an open page.

    Attributes:
        refused: The page's error message after the last action; "" without one.
    """

    def __init__(self, port: int, address: str) -> None:
        self.port, self.page = port, Page(address)
        self.refused: list[str] = []

    async def arrive(self) -> None:
        """Connect and load the page; raises ``RuntimeError`` if the page shows an error."""
        uri = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        loop = asyncio.get_running_loop()
        self.wire = Wire(uri, self.page)
        connected = self.wire.begin()
        await loop.create_connection(lambda: self.wire, "127.0.0.1", self.port)
        await asyncio.wait_for(connected, LIMIT)
        await self._say(self.page.rerun())

    async def type(self, sentence: str) -> None:
        """Type a new sentence; the response must contain it."""
        await self._say(self.page.type(sentence))
        if not any(sentence.encode() in message for message in self.wire.received):
            raise RuntimeError(f"answered, but not to {sentence!r}")

    async def click(self, side: str, layer: int, head: int) -> None:
        """Click a head of an overview, counted from 0."""
        cell = {"layer": layer, "head": head}
        await self._say(self.page.act(f"overview_{side}", "picked", cell))

    async def _say(self, message: bytes) -> None:
        await asyncio.wait_for(self.wire.say(message), LIMIT)
        self.refused = [str(each) for each in self.page.messages if is_refusal(each)]
        if self.refused:
            raise RuntimeError(self.refused[0])


def is_refusal(message: ForwardMsg) -> bool:
    """Whether a message shows an error or that the server is busy."""
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    return kind == "exception" or (kind == "alert" and element.alert.format in WARNS)


@dataclass
class Seen:
    """Response times of a crowd in seconds, and its errors."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def time(self, what: Awaitable[None]) -> None:
        began = time.perf_counter()
        try:
            await what
        except (RuntimeError, OSError, TimeoutError, InvalidHandshake) as error:
            self.errors.append(repr(error))
        else:
            self.seconds.append(time.perf_counter() - began)


async def act_periodically(
    students: Iterable[Student],
    act: Callable[[Student], Awaitable[None]],
    every: float,
    seconds: float,
) -> Seen:
    """All students act periodically, each with its own phase.

    A student without a response at the next time waits for it and then acts immediately. A slow
    server therefore gives fewer responses.

    Args:
        students: With a page open.
        act: The action of each student.
        every: Seconds between two actions; 0: immediately after the response.
        seconds: Duration.
    """
    seen, end = Seen(), time.perf_counter() + seconds

    async def one(student: Student) -> None:
        planned = time.perf_counter() + random.uniform(0, every)
        while max(planned, time.perf_counter()) < end:
            await asyncio.sleep(max(0.0, planned - time.perf_counter()))
            await seen.time(act(student))
            planned += every

    await asyncio.gather(*map(one, students))
    return seen


async def act_together(
    students: Iterable[Student], act: Callable[[Student], Awaitable[None]]
) -> Seen:
    """All students act at the same moment."""
    seen = Seen()
    await asyncio.gather(*(seen.time(act(student)) for student in students))
    return seen


async def arrive(
    port: int, address: str, n_students: int, seconds: float
) -> tuple[list[Student], Seen]:
    """Make first visits, spread evenly; return the students and their response times."""
    students, seen = [Student(port, address) for _ in range(n_students)], Seen()

    async def one(student: Student, after: float) -> None:
        await asyncio.sleep(after)
        await seen.time(student.arrive())

    steps = ((student, seconds * i / n_students) for i, student in enumerate(students))
    await asyncio.gather(*(one(*step) for step in steps))
    return students, seen
