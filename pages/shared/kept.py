"""Weights that a page may still ask for: of a long sentence's heads each by itself.

Streamlit's own store of files drops one as soon as a run begins anew, until the same run gives it
again; a browser that asks in between is told that there is none.
"""

import hashlib
import threading
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from pages.shared import settings
from pages.shared.once import InUse

KEPT_BYTES = 256 * 2**20
"""Both overviews of a hundred visitors, each with another sentence of 90 tokens."""

AT = "/api/weights/"
"""Where they are asked for."""

PART = AT + "{name}/{start:int}/{stop:int}"
"""The same as a route."""

_lock = threading.Lock()


@cache
def _kept() -> InUse:
    # Made when it is first asked: by then the server's settings are known.
    return InUse(settings.of_memory(KEPT_BYTES), len)


def keep(cells: bytes) -> str:
    """Leave cells to be asked for: once for all who look at the same.

    Args:
        cells: Of every head, 16 bits each.

    Returns:
        Their address; behind it come the first byte that is asked for, and the last one's next.
    """
    name = hashlib.sha256(cells).hexdigest()
    with _lock:
        kept = _kept()
        if kept.get(name) is None and len(cells) <= kept.maxsize:
            kept[name] = cells
    return AT + name


def forget_idle() -> int:
    """Let go of what nobody has asked for in a while; returns how many that were."""
    with _lock:
        return len(_kept().expire())


async def part(request: Request) -> Response:
    """Answer with the bytes asked for; 404 where they were let go of, or never were."""
    start, stop = request.path_params["start"], request.path_params["stop"]
    with _lock:
        cells: bytes = _kept().get(request.path_params["name"], b"")
    if not start < stop <= len(cells):
        return Response(status_code=404)
    return Response(
        cells[start:stop],
        media_type="application/octet-stream",
        # Named by what it holds: never another's.
        headers={"cache-control": "private, max-age=86400, immutable"},
    )
