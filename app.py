"""Headlight's server: an ASGI application around the Streamlit pages.

Run it with ``python app.py`` (or ``streamlit run app.py``, which answers every click about 36 ms
later: its sockets wait to fill packets).
"""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Route

from pages.shared import warm


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up beside the server: it answers from its first second."""
    warm.start()
    yield


async def is_ready(request: Request) -> JSONResponse:
    """Tell load balancers and tests whether a first forward pass has run."""
    ready = warm.ready.is_set()
    return JSONResponse({"ready": ready}, status_code=200 if ready else 503)


async def plotly_js(request: Request) -> FileResponse:
    """Plotly itself, for charts that are saved as a page of their own."""
    file = files("plotly") / "package_data" / "plotly.min.js"
    return FileResponse(str(file), media_type="text/javascript")


ROUTES = [Route("/api/ready", is_ready), Route("/api/plotly.js", plotly_js)]

# `streamlit run` reads this file for an `st.App(...)` at its top level. The path is absolute: a
# deep link into a fresh server must find the router, wherever the server was started.
app = st.App(
    Path(__file__).resolve().parent / "pages" / "router.py", lifespan=lifespan, routes=ROUTES
)


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
