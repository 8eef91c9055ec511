"""Middleware that compresses files which never change once, and keeps them in memory.

Sent from there, the 101 files of a first visit take 0.03 s of a core instead of 0.2 s.
"""

import asyncio
from collections.abc import Callable
from gzip import compress

import brotli
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, quality=10, lgwin=24),
    "gzip": lambda body: compress(body, 9, mtime=0),
}
"""The smallest first; over plain HTTP, browsers accept only gzip."""

TEXT = ("text/", "image/svg", "application/javascript")
"""Start of the content types that become smaller; the last one is what Streamlit declares."""


class CachedFilesMiddleware:
    """Sends a file from memory once it is compressed; until then the application answers.

    It keeps what the application declares immutable: scripts and styles of Streamlit and of the
    components, and Plotly. In one encoding, all of them have 6 MB.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._files: dict[tuple[str, str], Response | None] = {}  # None: being compressed
        self._tasks = set[asyncio.Task[None]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        key = scope.get("path", ""), _encoding(scope)
        if file := self._files.get(key):
            await file(scope, receive, send)
            return

        async def send_and_look(message: Message) -> None:
            if key[1] and key not in self._files and _is_constant_text(message):
                self._files[key] = None
                task = asyncio.create_task(self._keep(scope, *key))
                self._tasks.add(task)  # asyncio holds only a weak reference
                task.add_done_callback(self._tasks.discard)
            await send(message)

        await self.app(scope, receive, send_and_look)

    async def _keep(self, scope: Scope, path: str, encoding: str) -> None:
        plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        body, headers = bytearray(), MutableHeaders()

        async def receive() -> Message:  # nobody can disconnect
            return await asyncio.get_running_loop().create_future()

        async def gather(message: Message) -> None:
            body.extend(message.get("body", b""))
            if message["type"] == "http.response.start":
                headers.update(Headers(scope=message))

        await self.app({**scope, "headers": plain}, receive, gather)
        smaller = await asyncio.to_thread(ENCODINGS[encoding], bytes(body))
        del headers["content-length"]
        headers |= {"content-encoding": encoding, "vary": "Accept-Encoding"}
        self._files[path, encoding] = Response(smaller, headers=headers)


def _encoding(scope: Scope) -> str:
    """The encoding of a request for a whole file; "" for any other request."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return ""
    headers = Headers(scope=scope)
    if "range" in headers or "if-none-match" in headers:
        return ""
    accepted = {each.strip() for each in headers.get("accept-encoding", "").split(",")}
    return next((name for name in ENCODINGS if name in accepted), "")


def _is_constant_text(message: Message) -> bool:
    if message["type"] != "http.response.start" or message["status"] != 200:
        return False
    headers = Headers(scope=message)
    constant = "immutable" in headers.get("cache-control", "")
    return constant and headers.get("content-type", "").startswith(TEXT)
