"""Store of the attention weights that a page requests later, one head at a time.

Streamlit's media file store deletes a file when a run starts, until that run adds the file again. A
browser's request in between would get a 404.
"""

import hashlib

from starlette.requests import Request
from starlette.responses import Response

from web.cache.shared_cache import SharedStore

MAX_BYTES = 256 * 2**20
"""Both overviews of a hundred visitors, each with a sentence of 90 tokens."""

URL_PATH = "api/weights/"

ROUTE_PATH = f"/{URL_PATH}{{name}}/{{start:int}}/{{stop:int}}"

_blobs = SharedStore(MAX_BYTES, len)


def store(cells: bytes) -> str:
    """Store a blob and return its URL; requests append ``/START/STOP``, in bytes."""
    name = hashlib.sha256(cells).hexdigest()
    _blobs.put(name, cells)
    return URL_PATH + name


async def get_range(request: Request) -> Response:
    """Respond with a range of a blob; 404 if the blob is not in the store."""
    start, stop = request.path_params["start"], request.path_params["stop"]
    cells: bytes = _blobs.get(request.path_params["name"]) or b""
    if not start < stop <= len(cells):
        return Response(status_code=404)
    return Response(
        cells[start:stop],
        media_type="application/octet-stream",
        # The URL contains a hash of the content.
        headers={"cache-control": "private, max-age=86400, immutable"},
    )
