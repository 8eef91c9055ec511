"""Load balancer over forked worker processes that share the memory of the models.

The first process loads the models and forks the workers, so that all use the same memory pages. It
then accepts the connections. It peeks at a connection's first request, finds the visitor's worker
by a cookie, and hands the socket to that worker. It does not relay data.

A session, its media files and its blobs live in one worker, so a browser must stay with it. If a
worker dies, another one takes over its visitors as after a restart of the server: the URL and the
page contain the view.
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

from web.streamlit_patches.request_timeout import REQUEST_TIMEOUT

COOKIE = "headlight_worker"
"""Cookie with the number of the worker that has the visitor's session."""

_COOKIE_HEADER = re.compile(
    rb"^cookie:(?:.*;)?\s*" + COOKIE.encode() + rb"=(\d{1,4})\b", re.I | re.M
)

MAX_PEEKED_BYTES = 16 * 1024
"""A longer first request goes to any worker, which refuses it."""

MAX_IDLE_CONNECTIONS = 500
"""Beyond this number, the oldest connection without a request is closed."""


def worker_in_cookie(request: bytes) -> int | None:
    """The number of the worker in a request's cookie; None without a cookie."""
    found = _COOKIE_HEADER.search(request.partition(b"\r\n\r\n")[0])
    return int(found[1]) if found else None


class WorkerCookieMiddleware:
    """Sets the cookie with the number of this worker."""

    def __init__(self, app: ASGIApp, number: int) -> None:
        self.app, self.cookie = app, f"{COOKIE}={number}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request; set the cookie with a page or its WebSocket."""
        is_set = scope["type"] == "lifespan" or self.cookie in Headers(scope=scope).get(
            "cookie", ""
        )

        async def send_with_cookie(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                headers = MutableHeaders(raw=list(message.get("headers", ())))
                kind = headers.get("content-type", "text/html")
                if kind.startswith("text/html"):
                    headers.append("set-cookie", f"{self.cookie}; Path=/; HttpOnly; SameSite=Lax")
                    message = {**message, "headers": headers.raw}
            await send(message)

        await self.app(scope, receive, send if is_set else send_with_cookie)


class HandedSocket(socket.socket):
    """Channel from the balancer to a worker, with the interface of a listening socket."""

    def listen(self, backlog: int = 0, /) -> None:
        """Do nothing: the balancer listens."""

    def accept(self) -> tuple[socket.socket, None]:
        """Receive the next connection.

        Raises:
            BlockingIOError: If there is none yet.
        """
        # Each byte carries one connection.
        byte, handles, _flags, _address = socket.recv_fds(self, 1, 1)
        if not byte:  # the balancer has died
            signal.raise_signal(signal.SIGTERM)
            raise BlockingIOError
        return socket.socket(fileno=handles[0]), None


@dataclass
class _Worker:
    pid: int
    channel: socket.socket


class ForkingBalancer:
    """Forks workers, hands connections to them, and restarts dead workers.

    Args:
        listening: Listening socket.
        work: Serves the handed connections in a worker, given the worker's number.
        n_workers: Number of workers.
    """

    def __init__(
        self, listening: socket.socket, work: Callable[[int, HandedSocket], None], n_workers: int
    ) -> None:
        self._listening, self._work = listening, work
        self._idle: dict[socket.socket, float] = {}
        self._next_worker = count()
        self._stopping = False
        self._selector = selectors.DefaultSelector()
        listening.setblocking(False)
        self._selector.register(listening, selectors.EVENT_READ)
        self._workers: dict[int, _Worker] = {}
        for number in range(n_workers):
            self._fork(number)

    def run(self) -> None:
        """Hand out connections until SIGTERM or SIGINT."""
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, self._stop)
        checked = time.monotonic()
        while not self._stopping:
            for key, _ready in self._selector.select(timeout=1):
                if key.fileobj is self._listening:
                    self._accept()
                else:
                    self._peek(key.fileobj)  # type: ignore[arg-type]
            if time.monotonic() > checked + 1:
                checked = time.monotonic()
                self._close_idle()
                self._restart_dead()
        for worker in self._workers.values():
            os.kill(worker.pid, signal.SIGTERM)
        for worker in self._workers.values():
            os.waitpid(worker.pid, 0)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _fork(self, number: int) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        pid = os.fork()
        if pid == 0:
            # An inherited socket would keep a connection open after its worker has closed it.
            self._selector.close()
            for inherited in (self._listening, ours, *self._idle):
                inherited.close()
            for worker in self._workers.values():
                worker.channel.close()
            for ending in (signal.SIGTERM, signal.SIGINT):
                signal.signal(ending, signal.SIG_DFL)
            try:
                self._work(number, HandedSocket(fileno=theirs.detach()))
            except Exception:
                logging.getLogger(__name__).exception("A worker ended")
            finally:  # skip the exit handlers of the first process
                os._exit(0)
        theirs.close()
        self._workers[number] = _Worker(pid, ours)

    def _restart_dead(self) -> None:
        for number, worker in list(self._workers.items()):
            if os.waitpid(worker.pid, os.WNOHANG)[0] and not self._stopping:
                worker.channel.close()
                self._fork(number)

    def _accept(self) -> None:
        try:
            connection, _address = self._listening.accept()
        except OSError:  # the client has disconnected
            return
        if len(self._idle) >= MAX_IDLE_CONNECTIONS:
            self._close(next(iter(self._idle)))
        connection.setblocking(False)
        self._idle[connection] = time.monotonic()
        self._selector.register(connection, selectors.EVENT_READ)

    def _peek(self, connection: socket.socket) -> None:
        try:
            seen = connection.recv(MAX_PEEKED_BYTES, socket.MSG_PEEK)
        except OSError:
            seen = b""
        if not seen:
            self._close(connection)
        elif b"\r\n\r\n" in seen or len(seen) == MAX_PEEKED_BYTES:
            self._forget(connection)
            self._hand_over(connection, worker_in_cookie(seen))
        else:  # select again when there is more
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(seen) + 1)

    def _hand_over(self, connection: socket.socket, wanted: int | None) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        first = next(self._next_worker) if wanted is None else wanted
        with connection:  # the worker has its own handle once it is sent
            for number in range(first, first + len(self._workers)):
                channel = self._workers[number % len(self._workers)].channel
                try:
                    socket.send_fds(channel, [b"c"], [connection.fileno()])
                except OSError:  # dead, or its channel is full: try the next one
                    continue
                return

    def _close_idle(self) -> None:
        before = time.monotonic() - REQUEST_TIMEOUT
        for connection in [each for each, since in self._idle.items() if since < before]:
            self._close(connection)

    def _close(self, connection: socket.socket) -> None:
        self._forget(connection)
        connection.close()

    def _forget(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        del self._idle[connection]


def listening_socket(host: str, port: int) -> socket.socket:
    """A listening socket for an IPv4 or IPv6 address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = family == socket.AF_INET6 and host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, backlog=2048, dualstack_ipv6=both)
