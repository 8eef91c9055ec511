"""HTTP servers in this process, for a replica without Ray."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.pages.conftest import use_one_thread

__all__ = ["use_one_thread"]

Answered = Callable[[bytes], tuple[int, bytes]]


@contextmanager
def answering(answered: Answered) -> Iterator[str]:
    """URL of a server that responds to every POST with ``answered``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"  # connections end with the server

        def do_POST(self) -> None:
            status, body = answered(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


@pytest.fixture
def machine() -> Iterator[Callable[[Answered], str]]:
    """Start servers with :func:`answering`."""
    with ExitStack() as running:
        yield lambda answered: running.enter_context(answering(answered))
