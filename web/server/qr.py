"""QR codes of links, as SVG path data for a page."""

import re
from typing import Any

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from web.server.request_guard import read_body

QR_URL = "api/qr"

MAX_BYTES = 1273
"""Capacity of QR version 25: 117 modules a side, each 5 px on a small screen. A phone at the
back of a room cannot read smaller modules."""


def qr_code(text: str) -> dict[str, Any] | None:
    """The QR code of a text as SVG path data; None if the text is longer than ``MAX_BYTES``.

    ``size``: width and height in modules with the quiet zone; ``path``: strokes of width 1.
    """
    if len(text.encode()) > MAX_BYTES:
        return None
    rows = [bytes(row) for row in segno.make_qr(text, error="L").matrix_iter()]
    path = "".join(
        f"M{dark.start()} {y}.5h{len(dark[0])}"
        for y, row in enumerate(rows)
        for dark in re.finditer(b"\x01+", row)
    )
    return {"size": len(rows), "path": path}


async def _post(request: Request) -> Response:
    """Respond with the QR code of the body. POST, because proxies log the URLs of GET requests."""
    text = await read_body(request, MAX_BYTES)
    if text is None:
        return PlainTextResponse("Too long", status_code=413)
    code = await run_in_threadpool(qr_code, text.decode("utf-8", "replace"))
    return JSONResponse(code, headers={"Cache-Control": "no-store"})


ROUTES = [Route(f"/{QR_URL}", _post, methods=["POST"])]
