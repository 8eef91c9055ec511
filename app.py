"""Headlight's server: an ASGI application around the Streamlit pages.

Run it with ``python app.py`` (or ``streamlit run app.py``, which answers every click about 36 ms
later: its sockets wait to fill packets).
"""

import argparse
import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

ready = threading.Event()


def warm_up() -> None:
    """Do what the first visitor would wait for: heavy imports, weights, a first forward pass.

    Afterwards everything alive is moved out of the garbage collector's sight: it would walk all
    of torch again and again.
    """
    from pages.common import store  # noqa: PLC0415 - the point is to import it here
    from pages.common.link import DEFAULT_TEXT, PARAMETERS
    from viz import attention_heatmap

    for side in ("left", "right"):
        capture = store.capture(PARAMETERS[side].default, DEFAULT_TEXT, None)
        attention_heatmap(capture.weights[0, 0], capture.tokens).to_json()
    gc.collect()
    gc.freeze()
    ready.set()


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up beside the server: it answers from its first second."""
    warming = asyncio.create_task(asyncio.to_thread(warm_up))
    yield
    warming.cancel()


async def is_ready(request: Request) -> JSONResponse:
    """Tell load balancers and tests whether a first forward pass has run."""
    return JSONResponse({"ready": ready.is_set()}, status_code=200 if ready.is_set() else 503)


ROUTER = Path(__file__).parent / "pages" / "router.py"


def make_app(script: Path = ROUTER) -> st.App:
    """The ASGI application around a Streamlit script."""
    # An absolute path: a deep link into a fresh server must find the router, wherever the server
    # was started.
    return st.App(script.resolve(), lifespan=lifespan, routes=[Route("/api/ready", is_ready)])


app = make_app()


def serve(application: st.App, host: str, port: int) -> None:
    """Serve on one process: sessions and captures live in its memory."""
    uvicorn.run(
        application,
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )


def main() -> None:
    """Read the command line, print the address, serve."""
    parser = argparse.ArgumentParser(description="Serve Headlight.")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 shows it to a classroom")
    parser.add_argument("--port", type=int, default=8501)
    options = parser.parse_args()
    print(f"Headlight: http://{options.host}:{options.port}", flush=True)
    serve(app, options.host, options.port)


if __name__ == "__main__":
    main()
