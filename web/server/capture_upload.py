"""Upload of files of weights; Streamlit's own would keep any number in memory with a page."""

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from model.errors import HeadlightError, TranslatableError
from web import settings
from web.inference.forward_queue import BusyError, busy, turns_of
from web.language import in_words
from web.server.request_guard import client_address, is_cross_origin, read_body

UPLOAD_URL = "api/captures"

MAX_BYTES = 32 * 2**20
"""Most bytes of a file."""

TIMEOUT = 20.0
"""Seconds in which a file must arrive and be read; later the connection may be closed."""

_places = asyncio.Semaphore(2)
"""Files in memory at a time; others wait before they are received."""


async def _post(request: Request) -> Response:
    """Respond with ``model``, the name for the file in the body named ``?name=``, or ``error``."""
    if is_cross_origin(request.headers):
        return Response(status_code=403)
    error: TranslatableError
    try:
        async with asyncio.timeout(TIMEOUT), _places:
            name, network = request.query_params.get("name", ""), client_address(request.scope)
            data = await read_body(request, MAX_BYTES)
            if data is None:
                raise HeadlightError(
                    "The file has more than {most} MB. Save fewer heads.", most=MAX_BYTES // 2**20
                )
            model = await run_in_threadpool(_add, data, name, network)
            return JSONResponse({"model": model}, headers={"Cache-Control": "no-store"})
    except TimeoutError:
        error = busy()
    except (HeadlightError, BusyError) as refused:
        error = refused
    status = 503 if isinstance(error, BusyError) else 400
    return JSONResponse({"error": in_words(error)}, status)


def _add(data: bytes, name: str, address: str) -> str:
    from web.cache import uploaded_captures  # imports torch, which the first page must not wait for

    with turns_of(settings.network(address)):
        return uploaded_captures.add(data, name)


ROUTES = [Route(f"/{UPLOAD_URL}", _post, methods=["POST"])]
