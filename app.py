"""Headlight's server: an ASGI application around the Streamlit pages.

Run it with ``python app.py`` (or ``streamlit run app.py``, which answers every click about 36 ms
later: its sockets wait to fill packets).
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
import uvicorn
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from pages.classroom import api
from pages.classroom.desk import Desk
from pages.shared import (
    guard,
    kept,
    lookups,
    open_files,
    qr,
    runs,
    scripts,
    sent,
    sessions,
    settings,
    warm,
)
from pages.shared.compressed import Compressed
from pages.shared.front import Front
from pages.shared.reachable import reachable_addresses
from pages.shared.socket import Socket
from pages.shared.symbols import Symbols


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up beside the server: it answers from its first second; keep its memory in bounds."""
    if not settings.given():  # `streamlit run`, which knows its address by itself
        to = settings.for_address(st.get_option("server.address"))
        settings.use(open_files.bounded(to))
    lookups.look_up_less()
    runs.lose_nothing()
    sent.count_along()
    async with DESK.running():
        warm.start()
        looking = asyncio.create_task(sessions.forget_expired())
        yield
        looking.cancel()


async def is_ready(request: Request) -> JSONResponse:
    """Tell load balancers and tests whether a first forward pass has run."""
    ready = warm.ready.is_set()
    return JSONResponse({"ready": ready}, status_code=200 if ready else 503)


DESK = Desk()
ROUTES = [
    Route("/api/ready", is_ready),
    Route(kept.PART, kept.part),
    *scripts.ROUTES,
    *api.routes(DESK),
    *qr.ROUTES,
]
MIDDLEWARE = [
    Middleware(guard.Guard),
    Middleware(Symbols),
    Middleware(Compressed),
    Middleware(Front),
]

# `streamlit run` reads this file for an `st.App(...)` at its top level. The path is absolute: a
# deep link into a fresh server must find the router, wherever the server was started.
app = st.App(
    Path(__file__).resolve().parent / "pages" / "router.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=MIDDLEWARE,
)


def configuration(application: ASGIApp, **where: Any) -> uvicorn.Config:
    """How a process serves: sessions and captures live in its memory."""
    return uvicorn.Config(
        application,
        **where,
        ws=Socket,
        loop="pages.shared.loop:Loop",
        ws_per_message_deflate=False,
        # As Streamlit limits them, which would have read the whole message by then.
        ws_max_size=int(st.get_option("server.maxWidgetStateSize") * 1e6),
        h11_max_incomplete_event_size=guard.MOST_REQUEST,
        # Visitors have their own addresses behind a proxy too, and nobody can make one up.
        forwarded_allow_ips=list(settings.now().proxies),
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )


def serve(application: ASGIApp, host: str, port: int) -> None:
    """Serve on one process."""
    uvicorn.Server(configuration(application, host=host, port=port)).run()


def serve_by_several(application: ASGIApp, host: str, port: int, n_workers: int) -> None:
    """Serve on several processes, which share the memory of the models; see workers.py.

    Raises:
        SystemExit: Where a process cannot become two.
    """
    if not hasattr(os, "fork"):
        raise SystemExit("--workers needs Linux: this system has no fork.")
    from pages.shared import workers

    def work(number: int, dealt: workers.Dealt) -> None:
        config = configuration(workers.Numbered(application, number))
        uvicorn.Server(config).run(sockets=[dealt])

    with workers.listening_at(host, port) as listening:
        warm.everything()
        workers.Dealer(listening, work, n_workers).run()


def greeting(host: str, port: int) -> str:
    """What the start prints: where this machine finds the server, and where others do.

    In a terminal, the first address for others as a QR code too; a log has no use for it.
    """
    there = [f"http://{address}:{port}" for address in reachable_addresses()]
    if not there:
        return f"Headlight: http://{host}:{port}"
    lines = [f"Headlight: {there[0]}", *(f"       or: {other}" for other in there[1:])]
    if sys.stdout.isatty() and "utf" in (sys.stdout.encoding or "").lower():
        lines.append(qr.in_a_terminal(there[0]))
    return "\n".join(lines)


def main() -> None:
    """Read the command line, print the address, serve."""
    to = open_files.bounded(settings.of_command_line(sys.argv[1:]))
    settings.use(to)
    print(greeting(to.address, to.port), flush=True)
    if to.workers == 1:
        serve(app, to.address, to.port)
    else:
        serve_by_several(app, to.address, to.port, to.workers)


if __name__ == "__main__":
    main()
