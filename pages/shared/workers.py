"""Several processes behind one address, each with all that the first has read, and none a copy.

One process reads the models and becomes the others by forking: their weights are the same pages of
memory. It then takes connections and deals them out: it looks at a connection's first request
without reading it, finds the process that has this visitor by a cookie, and hands the connection
itself to it. Nothing that is sent goes through it afterwards.

A session, the files that its page shows and what it may still ask for lie in one process, which is
why a browser stays with one. If that one dies, another takes its visitors up as after a restart:
the address and the page bring what it needs.
"""

import logging
import os
import re
import selectors
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from types import FrameType

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "headlight_worker"
"""Which process has a visitor's session: its number and nothing else."""

_OURS = re.compile(rb"^cookie:(?:.*;)?\s*" + COOKIE.encode() + rb"=(\d{1,4})\b", re.I | re.M)

MOST_LOOKED_AT = 16 * 1024
"""Bytes of a first request; what has no end by then goes to any process, which refuses it."""

PATIENCE = 60
"""Seconds until a connection that asks nothing is closed; browsers open some to spare."""

MOST_WAITING = 500
"""Such connections at once; one more, and the oldest is closed."""


def number_of(request: bytes) -> int | None:
    """Which process a request's cookie names; None without one."""
    found = _OURS.search(request.partition(b"\r\n\r\n")[0])
    return int(found[1]) if found else None


class Numbered:
    """The application of one process: visitors learn which of them they are with."""

    def __init__(self, app: ASGIApp, number: int) -> None:
        self.app, self.cookie = app, f"{COOKIE}={number}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and tell the number with a page or its connection; as ASGI asks for it."""
        known = scope["type"] == "lifespan" or self.cookie in Headers(scope=scope).get("cookie", "")

        async def telling(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                headers = MutableHeaders(raw=list(message.get("headers", ())))
                kind = headers.get("content-type", "text/html")
                if kind.startswith("text/html"):
                    headers.append("set-cookie", f"{self.cookie}; Path=/; HttpOnly; SameSite=Lax")
                    message = {**message, "headers": headers.raw}
            await send(message)

        await self.app(scope, receive, send if known else telling)


class Dealt(socket.socket):
    """Where a process takes the connections that it is dealt; to a server, what it listens at."""

    def listen(self, backlog: int = 0, /) -> None:
        """Nothing: others listen."""

    def accept(self) -> tuple[socket.socket, None]:
        """The next connection.

        Raises:
            BlockingIOError: If there is none yet.
        """
        # One byte at a time: with it comes one connection.
        byte, handles, _flags, _address = socket.recv_fds(self, 1, 1)
        if not byte:  # whoever dealt is gone
            signal.raise_signal(signal.SIGTERM)
            raise BlockingIOError
        return socket.socket(fileno=handles[0]), None


@dataclass
class _Worker:
    pid: int
    channel: socket.socket


class Dealer:
    """Deals the connections of one address to processes that it begins, and begins anew.

    Args:
        listening: To the address.
        work: What each process does: serve what it is dealt, by its number.
        n_workers: How many there are.
    """

    def __init__(
        self, listening: socket.socket, work: Callable[[int, Dealt], None], n_workers: int
    ) -> None:
        self._listening, self._work = listening, work
        self._waiting: dict[socket.socket, float] = {}
        self._turn = count()
        self._stopping = False
        self._selector = selectors.DefaultSelector()
        listening.setblocking(False)
        self._selector.register(listening, selectors.EVENT_READ)
        self._workers: dict[int, _Worker] = {}
        for number in range(n_workers):
            self._begin(number)

    def run(self) -> None:
        """Deal until SIGTERM or SIGINT; processes that end meanwhile are begun anew."""
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, self._stop)
        looked = time.monotonic()
        while not self._stopping:
            for key, _ready in self._selector.select(timeout=1):
                if key.fileobj is self._listening:
                    self._take()
                else:
                    self._look(key.fileobj)  # type: ignore[arg-type]
            if time.monotonic() > looked + 1:
                looked = time.monotonic()
                self._close_silent()
                self._begin_dead_anew()
        for worker in self._workers.values():
            os.kill(worker.pid, signal.SIGTERM)
        for worker in self._workers.values():
            os.waitpid(worker.pid, 0)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _begin(self, number: int) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        pid = os.fork()
        if pid == 0:
            # What stays open here would keep others' connections from ending.
            self._selector.close()
            for inherited in (self._listening, ours, *self._waiting):
                inherited.close()
            for worker in self._workers.values():
                worker.channel.close()
            for ending in (signal.SIGTERM, signal.SIGINT):
                signal.signal(ending, signal.SIG_DFL)
            try:
                self._work(number, Dealt(fileno=theirs.detach()))
            except Exception:
                logging.getLogger(__name__).exception("A worker ended")
            finally:  # nothing of what the first process still has to do is this one's
                os._exit(0)
        theirs.close()
        self._workers[number] = _Worker(pid, ours)

    def _begin_dead_anew(self) -> None:
        for number, worker in list(self._workers.items()):
            if os.waitpid(worker.pid, os.WNOHANG)[0] and not self._stopping:
                worker.channel.close()
                self._begin(number)

    def _take(self) -> None:
        try:
            connection, _address = self._listening.accept()
        except OSError:  # it has gone again
            return
        if len(self._waiting) >= MOST_WAITING:
            self._close(next(iter(self._waiting)))
        connection.setblocking(False)
        self._waiting[connection] = time.monotonic()
        self._selector.register(connection, selectors.EVENT_READ)

    def _look(self, connection: socket.socket) -> None:
        try:
            seen = connection.recv(MOST_LOOKED_AT, socket.MSG_PEEK)
        except OSError:
            seen = b""
        if not seen:
            self._close(connection)
        elif b"\r\n\r\n" in seen or len(seen) == MOST_LOOKED_AT:
            self._forget(connection)
            self._deal(connection, number_of(seen))
        else:  # not ready again until there is more
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(seen) + 1)

    def _deal(self, connection: socket.socket, wanted: int | None) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        first = next(self._turn) if wanted is None else wanted
        with connection:  # it is the process's own once it is sent
            for number in range(first, first + len(self._workers)):
                channel = self._workers[number % len(self._workers)].channel
                try:
                    socket.send_fds(channel, [b"c"], [connection.fileno()])
                except OSError:  # dead, or too busy to take any: the next
                    continue
                return

    def _close_silent(self) -> None:
        before = time.monotonic() - PATIENCE
        for connection in [each for each, since in self._waiting.items() if since < before]:
            self._close(connection)

    def _close(self, connection: socket.socket) -> None:
        self._forget(connection)
        connection.close()

    def _forget(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        del self._waiting[connection]


def listening_at(host: str, port: int) -> socket.socket:
    """A socket that listens to an address, of either family."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = family == socket.AF_INET6 and host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, backlog=2048, dualstack_ipv6=both)
