"""Middleware that serves Streamlit's index.html with our title, style sheet, colours and logo.

Streamlit applies them late: the page would be white in dark mode, and the layout would shift.
"""

import os
from functools import cache
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASSETS = Path(__file__).parents[1] / "assets"
INDEX = Path(st.__file__).parent / "static" / "index.html"
INDEX_TAG = FileResponse(INDEX, stat_result=os.stat(INDEX)).headers["etag"]


class IndexPageMiddleware:
    """Sends the changed page in place of Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        replacement: Response | None = None

        async def send_other(message: Message) -> None:
            nonlocal replacement
            if message["type"] == "http.response.start" and _is_index_page(message):
                cache_control = MutableHeaders(scope=message)["cache-control"]
                replacement = tagged(scope, page(), "text/html", cache_control)
            if replacement is None:
                await send(message)

        await self.app(scope, receive, send_other)
        if replacement is not None:
            await replacement(scope, receive, send)


def _is_index_page(start: Message) -> bool:
    """Whether a response is index.html, at any URL: another file has another ETag."""
    return start["status"] == 200 and MutableHeaders(scope=start).get("etag") == INDEX_TAG


def tagged(scope: Scope, body: bytes, media_type: str, cache_control: str) -> Response:
    """Respond with a body, or with 304 if the browser has it."""
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": cache_control}
    if Headers(scope=scope).get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


@cache
def page() -> bytes:
    """The changed page, in UTF-8; a ValueError if Streamlit's lacks a text to replace."""
    text = INDEX.read_text(encoding="utf-8")
    light, dark = (st.get_option(f"theme.{base}.backgroundColor") for base in ("light", "dark"))
    background = (
        f"<style>html{{background:{light}}}"
        f"@media(prefers-color-scheme:dark){{html{{background:{dark}}}}}</style>"
    )
    script = f"<script>{(ASSETS / 'early.js').read_text('utf-8')}</script>"
    # After the head with Streamlit's styles: of two rules of equal specificity, the last one wins.
    style = f"<style>{(ASSETS / 'page.css').read_text('utf-8')}</style>"
    # Shown until Streamlit draws. Inline: on a slow connection, a file would wait for a hundred
    # scripts.
    logo = (ASSETS / "logo.svg").read_text("utf-8")
    centred = f'<div style="width:12rem;margin:35vh auto">{logo}</div>'
    root = '<div id="root">'
    for old, new in (
        ("<title>Streamlit</title>", "<title>Headlight</title>"),
        ("</head>", f"{background}{script}</head>"),
        (f"{root}</div>", f"{style}{root}{centred}</div>"),
    ):
        if text.count(old) != 1:
            raise ValueError(f"{INDEX.name} holds {old!r} {text.count(old)} times")
        text = text.replace(old, new)
    return text.encode()
