"""Headlight's server: an ASGI application around the Streamlit pages.

Run it with ``python app.py`` (or ``streamlit run app.py``, which answers every click about 36 ms
later: its sockets wait to fill packets).
"""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from pages.shared import kept, scripts, sessions, settings, warm
from pages.shared.compressed import Compressed
from pages.shared.guard import Guard
from pages.shared.socket import Socket


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up beside the server: it answers from its first second; keep its memory in bounds."""
    if not settings.given():  # `streamlit run`, which knows its address by itself
        settings.use(settings.for_address(st.get_option("server.address")))
    warm.start()
    looking = asyncio.create_task(sessions.forget_expired())
    yield
    looking.cancel()


async def is_ready(request: Request) -> JSONResponse:
    """Tell load balancers and tests whether a first forward pass has run."""
    ready = warm.ready.is_set()
    return JSONResponse({"ready": ready}, status_code=200 if ready else 503)


ROUTES = [
    Route("/api/ready", is_ready),
    Route(kept.PART, kept.part),
    *scripts.ROUTES,
]
MIDDLEWARE = [Middleware(Guard), Middleware(Compressed)]

# `streamlit run` reads this file for an `st.App(...)` at its top level. The path is absolute: a
# deep link into a fresh server must find the router, wherever the server was started.
app = st.App(
    Path(__file__).resolve().parent / "pages" / "router.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=MIDDLEWARE,
)


def serve(application: st.App, host: str, port: int) -> None:
    """Serve on one process: sessions and captures live in its memory."""
    uvicorn.run(
        application,
        host=host,
        port=port,
        ws=Socket,
        ws_per_message_deflate=False,
        # As Streamlit limits them, which would have read the whole message by then.
        ws_max_size=int(st.get_option("server.maxWidgetStateSize") * 1e6),
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )


def main() -> None:
    """Read the command line, print the address, serve."""
    parser = argparse.ArgumentParser(description="Serve Headlight.")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 shows it to a classroom")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument(
        "--allow-any-model",
        action="store_true",
        help="folders, hub ids and downloads also where others can reach the server",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name that the server answers to, e.g. behind a proxy; may be given several times",
    )
    parser.add_argument(
        "--allow-metrics", action="store_true", help="/_stcore/metrics for more than this machine"
    )
    parser.add_argument(
        "--lessons", default="", metavar="FOLDER", help="lessons of your own, shown besides ours"
    )
    options = parser.parse_args()
    settings.use(
        settings.for_address(
            options.host,
            any_model=options.allow_any_model,
            metrics=options.allow_metrics,
            hosts=options.allow_host,
            lessons=options.lessons,
        )
    )
    print(f"Headlight: http://{options.host}:{options.port}", flush=True)
    serve(app, options.host, options.port)


if __name__ == "__main__":
    main()
