"""Connections dealt out to processes: who gets which, and what happens when one dies."""

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

from pages.shared.workers import COOKIE, Numbered, number_of

ROOT = Path(__file__).parents[2]

PROGRAM = """
import os, socket, uvicorn
from pages.shared.workers import Dealer, Numbered, listening_at

async def answer(scope, receive, send):
    body = f"{os.getpid()} {scope['client'][0]}".encode()
    size = str(len(body)).encode()
    headers = [(b"content-type", b"text/html"), (b"content-length", size)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})

def work(number, dealt):
    app = Numbered(answer, number)
    config = uvicorn.Config(app, loop="asyncio", lifespan="off", log_level="warning")
    uvicorn.Server(config).run(sockets=[dealt])

listening = listening_at("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
Dealer(listening, work, 3).run()
"""


@pytest.fixture(scope="module")
def dealer() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Three processes that say who they are: the port, and who deals."""
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        yield int(running.stdout.readline()), running
        running.terminate()


def asked(port: int, *parts: str) -> tuple[int, int]:
    """A request, in parts: which process answered, and by which number it calls itself."""
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
    told = re.search(rf"{COOKIE}=(\d+)", head)
    return int(pid), int(told[1]) if told else -1


def request(cookie: str = "") -> str:
    return f"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{cookie}\r\n"


def of(number: int) -> str:
    return request(f"Cookie: a=b; {COOKIE}={number}; c=d\r\n")


def test_newcomers_are_shared_out_and_stay_where_they_came(
    dealer: tuple[int, subprocess.Popen[str]],
) -> None:
    port, _ = dealer
    came = dict(reversed(asked(port, request())) for _ in range(6))
    assert sorted(came) == [0, 1, 2]
    assert len(set(came.values())) == 3
    for number, pid in came.items():
        for _ in range(3):
            # It knows its number by then, and is not told again.
            assert asked(port, of(number)) == (pid, -1)
    assert asked(port, of(3 * 400 + 1))[0] == came[1]  # of a time with more processes
    first, second = of(2)[:50], of(2)[50:]
    assert COOKIE not in first
    assert asked(port, first, second) == (came[2], -1)


def test_who_was_with_a_process_that_died_is_taken_up_by_another(
    dealer: tuple[int, subprocess.Popen[str]],
) -> None:
    port, _ = dealer
    dead, _ = asked(port, of(1))
    os.kill(dead, signal.SIGKILL)
    deadline = time.monotonic() + 10
    by_another = 0
    while (answered := asked_again(port))[0] in (0, dead) or answered[1] != -1:
        by_another += answered[1] == 2
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert by_another  # and was told to stay there, until the first was there again
    assert answered[0] != dead


def asked_again(port: int) -> tuple[int, int]:
    try:
        return asked(port, of(1))
    except (OSError, ValueError):  # it was on its way to the one that died
        return 0, -1


def test_whoever_ends_the_first_ends_all(dealer: tuple[int, subprocess.Popen[str]]) -> None:
    port, running = dealer
    pids = [asked(port, of(number))[0] for number in range(3)]
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
def test_a_number_is_read_from_the_cookie_alone(headers: str, number: int | None) -> None:
    assert number_of(f"GET / HTTP/1.1\r\n{headers}\r\n\r\n".encode()) == number


def test_pages_and_their_connections_tell_the_number_and_files_do_not() -> None:
    async def page(asked: object) -> PlainTextResponse:
        return PlainTextResponse("a page", media_type="text/html")

    async def script(asked: object) -> PlainTextResponse:
        return PlainTextResponse("a script", media_type="text/javascript")

    async def stream(socket: WebSocket) -> None:
        await socket.accept(subprotocol="streamlit")
        await socket.close()

    routes = [Route("/", page), Route("/a.js", script), WebSocketRoute("/stream", stream)]
    with TestClient(Numbered(Starlette(routes=routes), 7)) as browser:
        assert "set-cookie" not in browser.get("/a.js").headers
        with browser.websocket_connect("/stream", subprotocols=["streamlit"]) as connection:
            told = dict(connection.extra_headers or ())
            assert told[b"set-cookie"].startswith(f"{COOKIE}=7;".encode())
            assert connection.accepted_subprotocol == "streamlit"
        assert browser.get("/").headers["set-cookie"].startswith(f"{COOKIE}=7;")
        assert browser.cookies[COOKIE] == "7"
        assert "set-cookie" not in browser.get("/").headers
