"""uvicorn servers of the application, in one process or in several."""

import sys
from typing import Any

import streamlit as st
import uvicorn
from starlette.types import ASGIApp

from web import streamlit_patches
from web.server import qr, request_guard, warmup
from web.server.network_addresses import reachable_addresses
from web.settings import Settings


def greeting(host: str, port: int) -> str:
    """The addresses of the server, for this machine or for others.

    In a terminal, the first address for others is also printed as a QR code.
    """
    urls = [f"http://{address}:{port}" for address in reachable_addresses()]
    if not urls:
        return f"Headlight: http://{host}:{port}"
    lines = [f"Headlight: {urls[0]}", *(f"       or: {url}" for url in urls[1:])]
    if sys.stdout.isatty() and "utf" in (sys.stdout.encoding or "").lower():
        lines.append(qr.terminal_text(urls[0]))
    return "\n".join(lines)


def serve(application: ASGIApp, options: Settings) -> None:
    """Serve until the process is stopped.

    Args:
        application: What to serve.
        options: Address, port, number of processes and trusted proxies.

    Raises:
        SystemExit: If the address is in use, or if several processes are requested on a system
            other than Linux.
    """
    streamlit_patches.install(plain=options.plain)
    if options.workers == 1:
        config = uvicorn_config(application, options, host=options.address, port=options.port)
        uvicorn.Server(config).run()
        return
    if sys.platform != "linux":  # macOS can fork, but its system libraries fail in the new process
        raise SystemExit("--workers needs Linux.")
    from web.server import worker_processes

    def serve_handed(number: int, handed: worker_processes.HandedSocket) -> None:
        numbered = worker_processes.WorkerCookieMiddleware(application, number)
        uvicorn.Server(uvicorn_config(numbered, options)).run(sockets=[handed])

    try:
        listening = worker_processes.listening_socket(options.address, options.port)
    except OSError as error:
        raise SystemExit(
            f"Headlight cannot use port {options.port} of {options.address}: {error.strerror}. "
            "Choose another one with --port."
        ) from None
    with listening:
        warmup.load_all_models()
        worker_processes.ForkingBalancer(listening, serve_handed, options.workers).run()


def uvicorn_config(application: ASGIApp, options: Settings, **address: Any) -> uvicorn.Config:
    """uvicorn's settings for one process.

    :mod:`web.streamlit_patches` replaces its ``auto`` event loop and WebSocket protocol.
    """
    return uvicorn.Config(
        application,
        **address,
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
