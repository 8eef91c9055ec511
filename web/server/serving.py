"""uvicorn server of the application."""

import streamlit as st
import uvicorn
from starlette.types import ASGIApp

from web.server import request_guard
from web.server.network_addresses import reachable_host
from web.settings import Settings


def greeting(host: str, port: int) -> str:
    """The address of the server, for other devices if they reach it."""
    return f"Headlight: http://{reachable_host() or host}:{port}"


def serve(application: ASGIApp, options: Settings) -> None:
    """Serve until the process is stopped."""
    uvicorn.Server(uvicorn_config(application, options)).run()


def uvicorn_config(application: ASGIApp, options: Settings) -> uvicorn.Config:
    """uvicorn's settings."""
    return uvicorn.Config(
        application,
        host=options.address,
        port=options.port,
        http="h11",  # its size of headers is limited below, its time by a patch
        ws_per_message_deflate=False,
        # Streamlit has the same limit, but checks it after it has read the whole message.
        ws_max_size=int(st.get_option("server.maxWidgetStateSize") * 1e6),
        h11_max_incomplete_event_size=request_guard.MAX_HEADER_BYTES,
        # Only these proxies may state a visitor's address.
        forwarded_allow_ips=list(options.proxies),
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )
