"""Files that never change, sent small: each compressed once, when a browser first asks for it.

Streamlit sends its scripts as they are, 8 MB to a first visitor, and leaves the rest to a proxy;
a class on one access point has none. What stands behind this decides all else about an answer: its
status, how long it is kept, whether the browser has it already. It is asked for the headers alone
unless the file is new here.
"""

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import dataclass, field

import brotli
from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Quality 11 takes 6 s of a core for Plotly's 4.7 MB and saves a tenth of them; 9 takes 0.2 s.
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, quality=9),
    "gzip": lambda body: gzip.compress(body, mtime=0),
}
"""By the names of HTTP, the smallest first. Browsers take ``br`` over https and from localhost."""

MOST = 32 * 2**20
"""Bytes kept, compressed: all of Streamlit's files in both encodings are 13 MB."""

LEAST = 500
"""Bytes of a file that is worth it."""

TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml")
"""What shrinks; fonts and pictures come compressed."""

NO_FILES = ("/_stcore/", "/media/", "/api/weights/", "/api/rooms")
"""Answers made for one visitor. Streamlit compresses them as they go."""


@dataclass
class _Answer:
    """What the application behind it sent."""

    status: int = 0
    headers: MutableHeaders = field(default_factory=MutableHeaders)
    body: bytearray = field(default_factory=bytearray)

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = MutableHeaders(scope=message)
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


class Compressed:
    """The application behind it, with its files as small as the browser takes them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._kept: LRUCache[tuple[str, ...], bytes] = LRUCache(MOST, getsizeof=len)
        self._making: dict[tuple[str, ...], asyncio.Task[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file in the browser's encoding, anything else as it is; as ASGI asks for it."""
        if scope["type"] != "http" or scope["path"].startswith(NO_FILES):
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        encoding = accepted(asked.get("accept-encoding", ""))
        # A part of a file is counted in the bytes of the file itself.
        if encoding is None or scope["method"] not in ("GET", "HEAD") or "range" in asked:
            await self.app(scope, receive, _saying_that_it_varies(send))
            return
        found = await self._ask(_plain(scope, "HEAD", encoding))
        known = found.status == 304 and _tag(encoding) in asked.get("if-none-match", "")
        if not known and not (found.status == 200 and _is_file(found.headers)):
            await self.app(scope, receive, send)
            return
        body = b""
        etag = found.headers["etag"]
        if not known:
            body = await self._body(scope, encoding, etag)
            found.headers["content-length"] = str(len(body))
            found.headers["content-encoding"] = encoding
        found.headers["etag"] = etag[:-1] + _tag(encoding)
        found.headers.add_vary_header("Accept-Encoding")
        start = {"type": "http.response.start", "status": found.status}
        await send({**start, "headers": found.headers.raw})
        whole = body if scope["method"] == "GET" else b""
        await send({"type": "http.response.body", "body": whole})

    async def _body(self, scope: Scope, encoding: str, etag: str) -> bytes:
        # Starlette's tag is made of the size and the time, which two files may share.
        key = (encoding, etag, scope["path"])
        if key in self._kept:
            return self._kept[key]
        if key not in self._making:
            making = self._compress(_plain(scope, "GET", encoding), encoding)
            self._making[key] = asyncio.create_task(making)
            self._making[key].add_done_callback(lambda _: self._making.pop(key))
        # A visitor who leaves does not stop it for those who wait for the same file.
        body = await asyncio.shield(self._making[key])
        if len(body) <= MOST:
            self._kept[key] = body
        return body

    async def _compress(self, scope: Scope, encoding: str) -> bytes:
        found = await self._ask(scope)
        return await asyncio.to_thread(ENCODERS[encoding], bytes(found.body))

    async def _ask(self, scope: Scope) -> _Answer:
        answer = _Answer()
        await self.app(scope, _stays, answer.take)
        return answer


async def _stays() -> Message:
    """Nothing follows a request without a body, and its sender does not leave half way."""
    return await asyncio.Future()


def accepted(accept_encoding: str) -> str | None:
    """The best encoding that a browser takes, by its header; None: the file as it is.

    What it names with ``q=0`` it refuses, and ``*`` is whatever it does not name.
    """
    takes = {}
    for part in accept_encoding.lower().split(","):
        name, *parameters = (each.strip() for each in part.split(";"))
        takes[name] = not any(_is_zero(each) for each in parameters)
    return next((name for name in ENCODERS if takes.get(name, takes.get("*"))), None)


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and value.strip().strip("0") in ("", ".")


def _tag(encoding: str) -> str:
    """What the end of a file's ETag becomes in an encoding: other bytes, another tag."""
    return f'-{encoding}"'


def _plain(scope: Scope, method: str, encoding: str) -> Scope:
    """The same request for the file as it is, under the tag that it has there."""
    headers = MutableHeaders(raw=list(scope["headers"]))
    del headers["accept-encoding"]
    if "if-none-match" in headers:
        headers["if-none-match"] = headers["if-none-match"].replace(_tag(encoding), '"')
    # Without its extensions a server is sent the bytes themselves, never a path to read them from.
    return {**scope, "method": method, "headers": headers.raw, "extensions": {}}


def _is_file(headers: Headers) -> bool:
    shrinks = headers.get("content-type", "").startswith(TYPES)
    size = int(headers.get("content-length", 0))
    return "etag" in headers and shrinks and size >= LEAST and "content-encoding" not in headers


def _saying_that_it_varies(send: Send) -> Send:
    async def send_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # Of what kind a file is that the browser has already, an answer does not say.
            if _is_file(headers) or message["status"] == 304:
                headers.add_vary_header("Accept-Encoding")
        await send(message)

    return send_on
