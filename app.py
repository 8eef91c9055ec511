"""Headlight's ASGI application and command line.

Run it with ``python app.py``. ``streamlit run app.py`` works too.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette_compress import CompressMiddleware
from streamlit import config

from rooms.api.app import RoomsApp, Site
from web import settings, streamlit_patches
from web.cache import blob_store
from web.server import (
    capture_upload,
    process_limits,
    qr,
    serving,
    session_cleanup,
    static_files,
    warmup,
)
from web.server.cached_files import CachedFilesMiddleware
from web.server.icon_font import IconFontMiddleware
from web.server.index_page import IndexPageMiddleware
from web.server.request_guard import RequestGuardMiddleware
from web.server.request_language import RequestLanguageMiddleware


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up in a thread beside the server, and free memory until it stops."""
    if not settings.given():  # started by `streamlit run`
        settings.use(settings.for_address(st.get_option("server.address")))
    process_limits.raise_file_limit()
    streamlit_patches.install()
    async with ROOMS.running():
        warmup.start()
        cleanup = asyncio.create_task(session_cleanup.run())
        yield
        cleanup.cancel()


def site() -> Site:
    """Return what rooms need of pages and lessons, which import torch."""
    from lessons.course import room_plan
    from pages.urls import parameters_of

    return Site(parameters_of, room_plan)


ROOMS = RoomsApp(site)
ROUTES = [
    *warmup.ROUTES,
    Route(blob_store.ROUTE_PATH, blob_store.get_range),
    *static_files.ROUTES,
    *ROOMS.routes,
    *qr.ROUTES,
    *capture_upload.ROUTES,
]
MIDDLEWARE = [
    Middleware(RequestLanguageMiddleware),
    Middleware(RequestGuardMiddleware),
    Middleware(IconFontMiddleware),
    Middleware(CachedFilesMiddleware),
    Middleware(CompressMiddleware, zstd_level=9, brotli_quality=5, gzip_level=6),
    Middleware(IndexPageMiddleware),
]

HERE = Path(__file__).resolve()

# The first `st.App` of a process determines where .streamlit/config.toml is. Without this one,
# Headlight finds its settings and theme only if it starts in its own folder.
st.App(HERE)

# Streamlit's option counts as --base-path, which our middleware removes from every request.
os.environ.setdefault("HEADLIGHT_BASE_PATH", st.get_option("server.baseUrlPath"))
config.set_option("server.baseUrlPath", "")

# `streamlit run` looks for an `st.App(...)` at the top level of this file. The path is absolute: a
# deep link as the first request must find the router from any working directory.
app = st.App(
    HERE.parent / "pages" / "router.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=MIDDLEWARE,
)


def main() -> None:
    """Read the command line, print the address, and serve."""
    options = settings.of_command_line(sys.argv[1:])
    settings.use(options)
    print(serving.greeting(options.address, options.port), flush=True)
    serving.serve(app, options)


if __name__ == "__main__":
    main()
