"""Middleware around all routes that checks hosts, limits and permissions, and adds headers."""

import re
import socket
from base64 import b64encode
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web import settings
from web.language import _
from web.server import index_page

STREAMLIT = "/_stcore/"
"""Start of the paths of Streamlit's endpoints, also below the path of a page."""

STREAM = f"{STREAMLIT}stream"
"""Path of the WebSocket; each open page has one."""

LIVE = "/live"
"""End of the path of a room's WebSocket; an open page in a room has one."""

MEMBER_SOCKETS = 10
"""Open pages of one member of a room, so that one student cannot use up a school's connections."""

ENDPOINTS = {"health", "host-config", "metrics", "stream"}
"""Streamlit's endpoints that a page needs. The others store files of a visitor in memory, or run
pages for programs."""

API = "/api/"
"""Start of the paths that accept data, which limit its size. All others can only be read."""

READING = ("GET", "HEAD")

MAX_URL_BYTES = 512 * 1024
"""Enough for two sentences of 20,000 characters of at most twelve bytes."""

MAX_HEADER_BYTES = 4 * MAX_URL_BYTES
"""Limit for request line and headers; larger, so that a long URL gets a response in words."""

HOST = re.compile(r"(?P<name>[\w.-]+|\[[0-9a-f:.]+\])(:\d+)?")
"""A host name or an IP address, with an optional port."""


class RequestGuardMiddleware:
    """Refuses what the settings do not allow.

    ``open`` counts open WebSockets by network, ``members`` those to rooms by token.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.open = {STREAM: Counter[str](), LIVE: Counter[str]()}
        self.members = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request or WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "")
        below = _below_base_path(scope["path"])

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_headers(host))
                if headers.get("location", "").startswith("/"):  # the root may be below a path
                    up = "../" * (scope["path"].count("/") - 1)
                    headers["location"] = up + headers["location"][1:]
            await send(message)

        if not below:  # the page's addresses are relative
            url = f"{scope['path']}/?{scope['query_string'].decode('latin-1')}"
            await RedirectResponse(url)(scope, receive, send_with_headers)
            return
        scope = {**scope, "path": below}
        refusal = _refusal(scope, host) or self._refuse_if_full(scope)
        end = _socket_of(scope)
        if refusal or not end:
            await (refusal or self.app)(scope, receive, send_with_headers)
            return
        own = settings.network(client_address(scope))
        token = _token(scope)
        self.open[end][own] += 1
        self.members[token] += 1
        try:
            await self.app(scope, receive, send_with_headers)
        finally:
            self.open[end] -= Counter((own,))  # this also deletes a count of 0
            self.members -= Counter((token,))

    def _refuse_if_full(self, scope: Scope) -> PlainTextResponse | None:
        end = _socket_of(scope) or (STREAM if _is_page(scope) else "")
        if not end:
            return None
        own = self.open[end][settings.network(client_address(scope))]
        if self.open[end].total() >= settings.now().sessions:
            text = _("This server is full. Try again in a minute.")
        elif own >= settings.now().address_sessions or (
            end == LIVE and self.members[_token(scope)] >= MEMBER_SOCKETS
        ):
            text = _("Too many pages are open from your network. Try again in a minute.")
        else:
            return None
        return PlainTextResponse(text, status_code=503, headers={"Retry-After": "60"})


def _below_base_path(path: str) -> str:
    """A path as from a proxy that strips the base path: empty at the base path itself."""
    base = settings.now().base_path
    return path.removeprefix(base) if f"{path}/".startswith(f"{base}/") else path


def _socket_of(scope: Scope) -> str:
    """The end of a WebSocket's path: STREAM or LIVE; "" for anything else."""
    ends = (STREAM, LIVE) if scope["type"] == "websocket" else ()
    return next((end for end in ends if scope["path"].endswith(end)), "")


def _token(scope: Scope) -> str:
    """The token of a room's member, which a browser sends as the subprotocol."""
    return Headers(scope=scope).get("sec-websocket-protocol", "")


def _is_page(scope: Scope) -> bool:
    """Whether a browser opens a page; its other requests do not accept HTML."""
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")


def _refusal(scope: Scope, host: str) -> Response | None:
    # DNS rebinding: another site could resolve its own name to this address. The browser would then
    # let its scripts read the responses.
    if not is_own_host(host):
        return PlainTextResponse(_("Unknown host (--allow-host)"), status_code=400)
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_URL_BYTES:
        return PlainTextResponse(_("This link is too long. Shorten its text."), status_code=414)
    if _socket_of(scope) == STREAM and is_cross_origin(Headers(scope=scope)):
        return Response(status_code=403)
    if re.search(r"/\d{19,}(/|$)", scope["path"]):  # a number of more than 64 bits
        return PlainTextResponse("Not found", status_code=404)
    endpoint = scope["path"].partition(STREAMLIT)[2]
    if (endpoint and endpoint not in ENDPOINTS) or (
        endpoint == "metrics" and not settings.is_loopback(client_address(scope))
    ):
        return PlainTextResponse("Not found", status_code=404)
    return _refuse_data(scope)


def _refuse_data(scope: Scope) -> Response | None:
    if scope["type"] != "http" or scope["path"].startswith(API):
        return None
    headers = Headers(scope=scope)
    if scope["method"] not in READING:
        return Response(status_code=405, headers={"Allow": ", ".join(READING)})
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        return Response(status_code=413)
    return None


def is_own_host(host: str) -> bool:
    """Whether a Host header names this server; any IP address, which DNS cannot redirect, does."""
    parsed = HOST.fullmatch(host.lower())
    if not parsed:
        return False
    name = parsed["name"].strip("[]").rstrip(".")
    if settings.ip(name):
        return True
    own = ["localhost", settings.now().address]
    if not settings.is_loopback(settings.now().address):
        machine = socket.gethostname()
        own += [machine, f"{machine}.local"]
    return any(fnmatchcase(name, host.lower()) for host in (*own, *settings.now().hosts))


def is_cross_origin(headers: Headers) -> bool:
    """Whether a page of another site sends the request. Other clients send no Origin header."""
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def client_address(scope: Scope) -> str:
    """The visitor's IP address, as a trusted proxy states it; "" if it is unknown."""
    client = scope.get("client")
    return str(client[0]) if client else ""


async def read_body(request: Request, max_bytes: int) -> bytes | None:
    """Read the body of a request; return None, and read no further, if it is larger."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > max_bytes:
            return None
    return bytes(body)


def _headers(host: str) -> dict[str, str]:
    # In some browsers, 'self' does not include WebSockets.
    sockets = f"ws://{host} wss://{host}" if host else ""
    return {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
        # The URL contains the visitor's text.
        "Referrer-Policy": "same-origin",
        # Streamlit imports the inline scripts of components from blobs.
        "Content-Security-Policy": (
            f"default-src 'self'; script-src 'self' blob: {_inline_scripts()}; "
            "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
            f"connect-src 'self' {sockets}; worker-src 'self' blob:; object-src 'none'; "
            "base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
        ),
    }


@cache
def _inline_scripts() -> str:
    """Hashes of the inline scripts of index.html."""
    scripts = re.findall(r"<script>(.*?)</script>", index_page.page().decode(), re.DOTALL)
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    return " ".join(f"'sha256-{each}'" for each in hashes)
