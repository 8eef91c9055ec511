"""What stands before every request: who may ask for what, and what a browser may do with it.

Pages and sockets alike: the application is wrapped in it, Streamlit's own routes included.
"""

import re
import socket
from base64 import b64encode
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared import settings
from pages.shared.language import _

METRICS = "/_stcore/metrics"

STREAM = "/_stcore/stream"
"""The live connection of a page: one for each that is open."""

MOST_ADDRESS = 512 * 1024
"""Bytes of a link: two sentences of 20,000 characters, each of which takes twelve at most."""

MOST_REQUEST = 4 * MOST_ADDRESS
"""Bytes of a request before its body, that a link which is too long be answered in words."""

HOST = re.compile(r"(?P<name>[\w.-]+|\[[0-9a-f:.]+\])(:\d+)?")
"""A name or a number, and perhaps a port."""


class Guard:
    """The application behind it answers to its own names, and tells browsers to be careful."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse in words, or pass on; as ASGI asks for it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "")

        async def send_carefully(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_headers(host))
            await send(message)

        refused = _refusal(scope, host) or self._is_full(scope)
        if refused or not _is_stream(scope):
            await (refused or self.app)(scope, receive, send_carefully)
            return
        self.open += 1
        try:
            await self.app(scope, receive, send_carefully)
        finally:
            self.open -= 1

    def _is_full(self, scope: Scope) -> PlainTextResponse | None:
        if self.open < settings.now().sessions or not (_is_stream(scope) or _is_page(scope)):
            return None
        return PlainTextResponse(
            _(
                "This server is full: as many pages are open as it has room for. Please try again "
                "in a minute."
            ),
            status_code=503,
            headers={"Retry-After": "60"},
        )


def _is_stream(scope: Scope) -> bool:
    return bool(scope["type"] == "websocket" and scope["path"].endswith(STREAM))


def _is_page(scope: Scope) -> bool:
    """Whether somebody opens a page, rather than a page asks for its parts."""
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")


def _refusal(scope: Scope, host: str) -> PlainTextResponse | None:
    # Another site's script may have its own name looked up to this address, and would then read
    # what the server tells: the browser takes it for one site.
    if not answers_to(host):
        # In one language: there is no session that would have one.
        return PlainTextResponse("Unknown host (--allow-host)", status_code=400)
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_ADDRESS:
        return PlainTextResponse(
            _("This link is too long to be opened: shorten its text."), status_code=414
        )
    if scope["path"].endswith(METRICS) and not _may_read_metrics(scope):
        return PlainTextResponse("Not found", status_code=404)
    return None


def answers_to(host: str) -> bool:
    """Whether a request's Host names this server.

    A number cannot be looked up to mean another machine, so every number may stand there.
    """
    written = HOST.fullmatch(host.lower())
    if not written:
        return False
    name = written["name"].strip("[]").rstrip(".")
    if _is_number(name):
        return True
    own = ["localhost", settings.now().address.lower()]
    if not settings.is_loopback(settings.now().address):
        machine = socket.gethostname().lower()
        own += [machine, f"{machine}.local"]
    return any(fnmatchcase(name, allowed) for allowed in (*own, *settings.now().hosts))


def from_elsewhere(headers: Headers) -> bool:
    """Whether a page of another site asks. Who is no browser says nothing of a page."""
    page = headers.get("origin")
    return page is not None and urlsplit(page).netloc.lower() != headers.get("host", "").lower()


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _may_read_metrics(scope: Scope) -> bool:
    client = scope.get("client")
    return settings.now().metrics or bool(client and settings.is_loopback(client[0]))


def _headers(host: str) -> dict[str, str]:
    # Not every browser takes 'self' to mean its sockets too.
    sockets = f"ws://{host} wss://{host}" if host else ""
    return {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
        # The address holds what the visitor typed.
        "Referrer-Policy": "same-origin",
        "Content-Security-Policy": "; ".join(
            [
                "default-src 'self'",
                # Components come inline, and Streamlit imports them from blobs.
                f"script-src 'self' blob: {_inline_scripts()}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                f"connect-src 'self' {sockets}",
                "worker-src 'self' blob:",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                "frame-ancestors 'self'",
            ]
        ),
    }


@cache
def _inline_scripts() -> str:
    """The scripts that stand in Streamlit's own page, by their hashes."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    return " ".join(f"'sha256-{each}'" for each in hashes)
