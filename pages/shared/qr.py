"""A link as a QR code: as data, which a page draws without any markup, and in a terminal."""

import io
import re
from dataclasses import asdict, dataclass

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

QR_URL = "/api/qr"

MAX_BYTES = 1273
"""What version 25 holds: 117 modules a side, 5 px each at the height of a small screen. A phone at
the back of a room reads no finer ones."""


@dataclass(frozen=True)
class Qr:
    """A code to be drawn.

    Attributes:
        size: Modules a side, the quiet zone included.
        path: Of an SVG path element: the dark modules as strokes of width 1, in modules.
    """

    size: int
    path: str


def qr_code(text: str) -> Qr | None:
    """The code of a text; None if it would be too fine to read."""
    code = _code(text)
    if code is None:
        return None
    rows = [bytes(row) for row in code.matrix_iter()]
    path = "".join(
        f"M{dark.start()} {y}.5h{len(dark[0])}"
        for y, row in enumerate(rows)
        for dark in re.finditer(b"\x01+", row)
    )
    return Qr(len(rows), path)


def in_a_terminal(text: str) -> str:
    """The code in block letters, two modules high; nothing if it would be too fine."""
    code = _code(text)
    drawn = io.StringIO()
    if code is not None:
        code.terminal(drawn, compact=True)
    return drawn.getvalue()


def _code(text: str) -> segno.QRCode | None:
    if len(text.encode()) > MAX_BYTES:
        return None
    return segno.make_qr(text, error="L")


async def _answer(request: Request) -> Response:
    """The code of what is sent. Not a GET: a link holds what was typed, and proxies note links."""
    text = b""
    async for part in request.stream():
        text += part
        if len(text) > MAX_BYTES:
            return PlainTextResponse("Too long", status_code=413)
    code = await run_in_threadpool(qr_code, text.decode("utf-8", "replace"))
    return JSONResponse(code and asdict(code), headers={"Cache-Control": "no-store"})


ROUTES = [Route(QR_URL, _answer, methods=["POST"])]
