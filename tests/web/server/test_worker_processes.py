"""Distribution of connections to workers, and their restart."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from web.server import serving
from web.server.worker_processes import COOKIE, WorkerCookieMiddleware, worker_in_cookie
from web.settings import Settings

ROOT = Path(__file__).parents[3]

PROGRAM = """
import os, socket, uvicorn
from web.server import serving
from web.server.worker_processes import ForkingBalancer, WorkerCookieMiddleware, listening_socket

async def answer(scope, receive, send):
    body = f"{os.getpid()} {scope['client'][0]}".encode()
    size = str(len(body)).encode()
    headers = [(b"content-type", b"text/html"), (b"content-length", size)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})

def work(number, handed):
    app = WorkerCookieMiddleware(answer, number)
    config = uvicorn.Config(app, loop="asyncio", lifespan="off", log_level="warning")
    uvicorn.Server(config).run(sockets=[handed])

listening = listening_socket("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
ForkingBalancer(listening, work, 3).run()
"""


@pytest.fixture(scope="module")
def balancer() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Port and process of a balancer with three workers, which respond with their process id."""
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        yield int(running.stdout.readline()), running
        running.terminate()


def ask(port: int, *parts: str) -> tuple[int, int]:
    """Send a request in parts; returns the worker's process id and number (-1 without a cookie)."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        for part in parts:
            connection.sendall(part.encode())
            time.sleep(0.05 if len(parts) > 1 else 0)
        answer = b""
        while more := connection.recv(4096):
            answer += more
    head, _, body = answer.decode().partition("\r\n\r\n")
    pid, client = body.split()
    assert client == "127.0.0.1"
    cookie = re.search(rf"{COOKIE}=(\d+)", head)
    return int(pid), int(cookie[1]) if cookie else -1


def request(cookie: str = "") -> str:
    return f"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{cookie}\r\n"


def of(number: int) -> str:
    return request(f"Cookie: a=b; {COOKIE}={number}; c=d\r\n")


def test_new_visitors_are_distributed_and_stay_with_their_worker(
    balancer: tuple[int, subprocess.Popen[str]],
) -> None:
    port, _ = balancer
    came = dict(reversed(ask(port, request())) for _ in range(6))
    assert sorted(came) == [0, 1, 2]
    assert len(set(came.values())) == 3
    for number, pid in came.items():
        for _ in range(3):
            # The cookie is not set again.
            assert ask(port, of(number)) == (pid, -1)
    assert ask(port, of(3 * 400 + 1))[0] == came[1]  # a cookie of a server with more workers
    first, second = of(2)[:50], of(2)[50:]
    assert COOKIE not in first
    assert ask(port, first, second) == (came[2], -1)


def test_another_worker_takes_over_from_a_dead_one(
    balancer: tuple[int, subprocess.Popen[str]],
) -> None:
    port, _ = balancer
    dead, _ = ask(port, of(1))
    os.kill(dead, signal.SIGKILL)
    deadline = time.monotonic() + 10
    by_another = 0
    while (answered := ask_despite_reset(port))[0] in (0, dead) or answered[1] != -1:
        by_another += answered[1] == 2
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert by_another  # with a new cookie, until the worker is restarted
    assert answered[0] != dead


def ask_despite_reset(port: int) -> tuple[int, int]:
    try:
        return ask(port, of(1))
    except (OSError, ValueError):  # the connection was with the dead worker
        return 0, -1


def test_terminating_the_balancer_terminates_all_workers(
    balancer: tuple[int, subprocess.Popen[str]],
) -> None:
    port, running = balancer
    pids = [ask(port, of(number))[0] for number in range(3)]
    running.terminate()
    assert running.wait(10) == 0
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("headers", "number"),
    [
        (f"Cookie: {COOKIE}=2", 2),
        (f"COOKIE: x=1;{COOKIE}=31; y", 31),
        (f"Accept: a\r\nCookie: x; {COOKIE}=0", 0),
        (f"Cookie: my{COOKIE}=2", None),
        (f"Cookie: my-{COOKIE}=2", None),
        (f"Cookie: {COOKIE}=-1", None),
        (f"Cookie: {COOKIE}=12345", None),
        (f"X: 1\r\n\r\nCookie: {COOKIE}=2", None),
        (f"X-Cookie: {COOKIE}=2", None),
    ],
)
def test_the_worker_number_is_read_from_the_cookie_header(headers: str, number: int | None) -> None:
    assert worker_in_cookie(f"GET / HTTP/1.1\r\n{headers}\r\n\r\n".encode()) == number


def test_pages_and_websockets_set_the_cookie_and_files_do_not() -> None:
    async def page(_request: object) -> PlainTextResponse:
        return PlainTextResponse("a page", media_type="text/html")

    async def script(_request: object) -> PlainTextResponse:
        return PlainTextResponse("a script", media_type="text/javascript")

    async def stream(socket: WebSocket) -> None:
        await socket.accept(subprotocol="streamlit")
        await socket.close()

    routes = [Route("/", page), Route("/a.js", script), WebSocketRoute("/stream", stream)]
    with TestClient(WorkerCookieMiddleware(Starlette(routes=routes), 7)) as browser:
        assert "set-cookie" not in browser.get("/a.js").headers
        with browser.websocket_connect("/stream", subprotocols=["streamlit"]) as connection:
            headers = dict(connection.extra_headers or ())
            assert headers[b"set-cookie"].startswith(f"{COOKIE}=7;".encode())
            assert connection.accepted_subprotocol == "streamlit"
        assert browser.get("/").headers["set-cookie"].startswith(f"{COOKIE}=7;")
        assert browser.cookies[COOKIE] == "7"
        assert "set-cookie" not in browser.get("/").headers


def test_a_port_in_use_is_reported_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.streamlit_patches.install", lambda plain: None)
    with socket.create_server(("127.0.0.1", 0)) as other:
        options = Settings(port=other.getsockname()[1], workers=2)
        with pytest.raises(SystemExit, match=f"port {options.port} .* in use.*--port"):
            serving.serve(Starlette(), options)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_several_processes_need_linux(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving.sys, "platform", platform)
    monkeypatch.setattr("web.streamlit_patches.install", lambda plain: None)
    with pytest.raises(SystemExit, match="--workers needs Linux"):
        serving.serve(Starlette(), Settings(workers=2))
