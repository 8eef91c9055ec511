"""Streamlit's own page, dressed before any script runs: our title, stylesheet, ground and logo.

What a page of the app says about its looks is drawn by a script that comes late: until then the
page was white in the dark, and when it came, everything moved.
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


class Front:
    """The application behind it, with our page in place of Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send our page in place of Streamlit's, anything else as it is; as ASGI asks for it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        ours: Response | None = None

        async def send_ours(message: Message) -> None:
            nonlocal ours
            if message["type"] == "http.response.start" and _is_streamlits(message):
                ours = _answer(scope, message)
            if ours is None:
                await send(message)

        await self.app(scope, receive, send_ours)
        if ours is not None:
            await ours(scope, receive, send)


def _is_streamlits(start: Message) -> bool:
    """Whether this is the page, whatever its address: another file has another tag."""
    tag = MutableHeaders(scope=start).get("etag")
    return start["status"] == 200 and tag is not None and tag == _tag()


def _answer(scope: Scope, start: Message) -> Response:
    body = page()
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": MutableHeaders(scope=start)["cache-control"]}
    if Headers(scope=scope).get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if scope["method"] == "HEAD":
        headers["Content-Length"] = str(len(body))
        return Response(media_type="text/html", headers=headers)
    return Response(body, media_type="text/html", headers=headers)


@cache
def _tag() -> str:
    return FileResponse(INDEX, stat_result=os.stat(INDEX)).headers["etag"]


@cache
def page() -> bytes:
    """The page as it is sent, in UTF-8.

    Raises:
        ValueError: Streamlit's page has no place for what we put into it: it is of another make.
    """
    text = INDEX.read_text(encoding="utf-8")
    light, dark = (st.get_option(f"theme.{base}.backgroundColor") for base in ("light", "dark"))
    ground = (
        f"<style>html{{background:{light}}}"
        f"@media(prefers-color-scheme:dark){{html{{background:{dark}}}}}</style>"
    )
    # Behind the head, where Streamlit's own styles are: of two rules as strong, the last one holds.
    style = f"<style>{(ASSETS / 'page.css').read_text('utf-8')}</style>"
    # Until Streamlit's first word takes its place. In the page itself: on a slow line, a hundred
    # scripts are before whatever else is asked for.
    logo = (ASSETS / "logo.svg").read_text("utf-8")
    centred = f'<div style="width:12rem;margin:35vh auto">{logo}</div>'
    root = '<div id="root">'
    for there, put in (
        ("<title>Streamlit</title>", "<title>Headlight</title>"),
        ("</head>", f"{ground}</head>"),
        (f"{root}</div>", f"{style}{root}{centred}</div>"),
    ):
        if text.count(there) != 1:
            raise ValueError(f"{INDEX.name} holds {there!r} {text.count(there)} times")
        text = text.replace(there, put)
    return text.encode()
