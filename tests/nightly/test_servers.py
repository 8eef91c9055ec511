"""Two server processes on one database: a killed one loses no answer."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from websockets.sync.client import ClientConnection, connect

from benchmarks.browser import free_port
from tests.rooms.conftest import storage_settings, where

__all__ = ["where"]

ROOT = Path(__file__).parents[2]


@contextmanager
def server(where: Path | str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    environment = {
        f"HEADLIGHT_{name.upper()}": value for name, value in storage_settings(where).items()
    }
    command = [sys.executable, "-m", "tests.nightly.rooms_site", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment})
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/up", timeout=20).close()
                break
            except URLError:
                assert process.poll() is None
                time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait(20)


def post(port: int, path: str, token: str = "", body: object = None) -> dict:
    headers = {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/rooms{path}",
        json.dumps(body or {}).encode(),
        headers=headers,
    )
    # The first question imports the models' queue.
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.loads(response.read() or "{}")


@contextmanager
def connection(port: int, code: str, token: str) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{port}/api/rooms{code}/live", subprotocols=[token]) as socket:
        yield socket


def wait_for_tally(socket: ClientConnection, tally: list) -> None:
    while (json.loads(socket.recv(timeout=20)).get("question") or {}).get("tally") != tally:
        pass


def test_a_killed_server_loses_no_answer(where: Path | str) -> None:
    one, other = free_port(), free_port()
    with server(where, other):
        with server(where, one) as process:
            opened = post(one, "")
            code, teacher = f"/{opened['code']}", opened["teacher"]
            students = [post(one, f"{code}/join")["student"] for _ in range(3)]
            question = {"kind": "choice", "prompt": "?", "view": "/"}
            number = post(one, f"{code}/questions", teacher, question)["id"]
            answer = f"{code}/questions/{number}/answer"
            for token in students:
                with connection(one, code, token) as student:
                    student.recv(timeout=20)
            for token in students[:2]:
                post(one, answer, token, {"round": 1, "answer": 1})
            process.kill()
            process.wait(20)
        with connection(other, code, teacher) as projector:
            wait_for_tally(projector, [[1, 2]])
            with server(where, one):
                assert post(one, f"{code}/join", students[0]) == {"student": students[0]}
                with connection(one, code, students[0]) as student:
                    assert json.loads(student.recv(timeout=20))["question"]["answered"] == 1
                post(one, answer, students[2], {"round": 1, "answer": 0})
                wait_for_tally(projector, [[0, 1], [1, 2]])
