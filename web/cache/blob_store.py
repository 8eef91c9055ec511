"""Weights that a page requests later; Streamlit's media store deletes files at each run's start."""

import hashlib

from starlette.requests import Request
from starlette.responses import Response

from viz.canvas import HeadCells
from web.cache.shared_cache import SharedStore

MAX_BYTES = 256 * 2**20
"""Both overviews of a hundred visitors, each with a sentence of 90 tokens."""

MAX_RANGE = 2**20
"""Most bytes of a response: one head on 512 tokens has half of it."""

URL_PATH = "api/weights/"

ROUTE_PATH = f"/{URL_PATH}{{name}}/{{start:int}}/{{stop:int}}"

_blobs = SharedStore(MAX_BYTES, lambda cells: getattr(cells, "nbytes", len(cells)))


def store(cells: bytes | HeadCells) -> str:
    """Store cells and return their URL; requests append ``/START/STOP``, in bytes."""
    content = cells if isinstance(cells, bytes) else cells.fingerprint()
    name = hashlib.sha256(content).hexdigest()
    _blobs.put(name, cells)
    return URL_PATH + name


async def get_range(request: Request) -> Response:
    """Respond with a range of a blob; 404 if it is not in the store, or the range too long."""
    start, stop = request.path_params["start"], request.path_params["stop"]
    cells: bytes | HeadCells = _blobs.get(request.path_params["name"]) or b""
    if not start < stop <= len(cells) or stop - start > MAX_RANGE:
        return Response(status_code=404)
    return Response(
        cells[start:stop],
        media_type="application/octet-stream",
        # The URL contains a hash of the content.
        headers={"cache-control": "private, max-age=86400, immutable"},
    )
