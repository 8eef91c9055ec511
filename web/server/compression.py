"""Middleware that compresses static files, each once, and caches the result.

Streamlit sends its scripts uncompressed, 8 MB to a first visitor, and leaves compression to a
proxy. A class on one access point has no proxy. The wrapped application decides the status and the
cache headers of a response: the middleware sends it a HEAD request, and a GET request only for a
file that it has not compressed yet.
"""

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import dataclass, field

import brotli
from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Quality 11 takes 6 s of a core for Plotly's 4.7 MB and saves a tenth; quality 9 takes 0.2 s.
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, quality=9),
    "gzip": lambda body: gzip.compress(body, mtime=0),
}
"""By content coding, the best first. Browsers accept ``br`` over https and from localhost."""

MAX_CACHED_BYTES = 32 * 2**20
"""Compressed; all of Streamlit's files in both encodings have 13 MB."""

MIN_FILE_BYTES = 500
"""Smaller files are sent uncompressed."""

COMPRESSIBLE_TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml")
"""Fonts and images are compressed already."""

DYNAMIC_PATHS = ("/_stcore/", "/media/", "/api/weights/", "/api/rooms")
"""Responses made for one visitor. Streamlit compresses them itself."""


@dataclass
class _BufferedResponse:
    """A response of the wrapped application."""

    status: int = 0
    headers: MutableHeaders = field(default_factory=MutableHeaders)
    body: bytearray = field(default_factory=bytearray)

    async def receive_message(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = MutableHeaders(scope=message)
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


class CompressionMiddleware:
    """Sends static files in the best encoding that the browser accepts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._cache: LRUCache[tuple[str, ...], bytes] = LRUCache(MAX_CACHED_BYTES, getsizeof=len)
        self._tasks: dict[tuple[str, ...], asyncio.Task[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        if scope["type"] != "http" or scope["path"].startswith(DYNAMIC_PATHS):
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)
        encoding = best_encoding(request.get("accept-encoding", ""))
        # A range counts the bytes of the uncompressed file.
        if encoding is None or scope["method"] not in ("GET", "HEAD") or "range" in request:
            await self.app(scope, receive, _add_vary_header(send))
            return
        found = await self._request(_uncompressed(scope, "HEAD", encoding))
        not_modified = found.status == 304 and _etag_end(encoding) in request.get(
            "if-none-match", ""
        )
        if not not_modified and not (found.status == 200 and _is_compressible(found.headers)):
            await self.app(scope, receive, send)
            return
        body = b""
        etag = found.headers["etag"]
        if not not_modified:
            body = await self._compressed_body(scope, encoding, etag)
            found.headers["content-length"] = str(len(body))
            found.headers["content-encoding"] = encoding
        found.headers["etag"] = etag[:-1] + _etag_end(encoding)
        found.headers.add_vary_header("Accept-Encoding")
        start = {"type": "http.response.start", "status": found.status}
        await send({**start, "headers": found.headers.raw})
        await send(
            {"type": "http.response.body", "body": body if scope["method"] == "GET" else b""}
        )

    async def _compressed_body(self, scope: Scope, encoding: str, etag: str) -> bytes:
        # The path is part of the key: Starlette makes an ETag of the file's size and time, which
        # two files may share.
        key = (encoding, etag, scope["path"])
        if key in self._cache:
            return self._cache[key]
        if key not in self._tasks:
            compressing = self._compress(_uncompressed(scope, "GET", encoding), encoding)
            self._tasks[key] = asyncio.create_task(compressing)
            self._tasks[key].add_done_callback(lambda _: self._tasks.pop(key))
        # The task continues for other requests if this one is cancelled.
        body = await asyncio.shield(self._tasks[key])
        if len(body) <= MAX_CACHED_BYTES:
            self._cache[key] = body
        return body

    async def _compress(self, scope: Scope, encoding: str) -> bytes:
        response = await self._request(scope)
        return await asyncio.to_thread(ENCODERS[encoding], bytes(response.body))

    async def _request(self, scope: Scope) -> _BufferedResponse:
        response = _BufferedResponse()
        await self.app(scope, _wait_forever, response.receive_message)
        return response


async def _wait_forever() -> Message:
    """Receive nothing: the request has no body, and its client does not disconnect."""
    return await asyncio.Future()


def best_encoding(accept_encoding: str) -> str | None:
    """The best encoding that an Accept-Encoding header allows; None: uncompressed.

    ``q=0`` refuses an encoding, and ``*`` applies to all encodings that the header does not name.
    """
    accepted = {}
    for part in accept_encoding.lower().split(","):
        name, *parameters = (each.strip() for each in part.split(";"))
        accepted[name] = not any(_is_zero_quality(each) for each in parameters)
    return next((name for name in ENCODERS if accepted.get(name, accepted.get("*"))), None)


def _is_zero_quality(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and value.strip().strip("0") in ("", ".")


def _etag_end(encoding: str) -> str:
    """The end of a compressed file's ETag, which must differ from the uncompressed file's."""
    return f'-{encoding}"'


def _uncompressed(scope: Scope, method: str, encoding: str) -> Scope:
    """The same request for the uncompressed file, with the ETag of that file."""
    headers = MutableHeaders(raw=list(scope["headers"]))
    del headers["accept-encoding"]
    if "if-none-match" in headers:
        headers["if-none-match"] = headers["if-none-match"].replace(_etag_end(encoding), '"')
    # Without extensions, the application sends the bytes and not a path to read them from.
    return {**scope, "method": method, "headers": headers.raw, "extensions": {}}


def _is_compressible(headers: Headers) -> bool:
    shrinks = headers.get("content-type", "").startswith(COMPRESSIBLE_TYPES)
    size = int(headers.get("content-length", 0))
    return (
        "etag" in headers
        and shrinks
        and size >= MIN_FILE_BYTES
        and "content-encoding" not in headers
    )


def _add_vary_header(send: Send) -> Send:
    async def send_with_vary(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # A 304 has no Content-Type.
            if _is_compressible(headers) or message["status"] == 304:
                headers.add_vary_header("Accept-Encoding")
        await send(message)

    return send_with_vary
