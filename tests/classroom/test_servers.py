"""Servers as processes: one that is killed loses no answer, and another knows them all."""

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
from tests.classroom.conftest import BOTH, kept_in

ROOT = Path(__file__).parents[2]


@contextmanager
def server(where: Path | str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    kept = {f"HEADLIGHT_{name.upper()}": value for name, value in kept_in(where).items()}
    command = [sys.executable, "-m", "tests.classroom.site", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **kept})
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


def ask(port: int, path: str, token: str = "", said: object = None) -> dict:
    headers = {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/rooms{path}",
        json.dumps(said).encode(),
        headers=headers,
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or "{}")


@contextmanager
def line(port: int, code: str, token: str) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{port}/api/rooms{code}/live") as wire:
        wire.send(json.dumps({"token": token}))
        yield wire


def until(wire: ClientConnection, tally: list) -> None:
    while (json.loads(wire.recv(timeout=20)).get("question") or {}).get("tally") != tally:
        pass


@BOTH
def test_a_killed_server_loses_no_answer(where: Path | str) -> None:
    one, other = free_port(), free_port()
    with server(where, other):
        with server(where, one) as process:
            opened = ask(one, "")
            code, teacher = f"/{opened['code']}", opened["teacher"]
            students = [ask(one, f"{code}/join")["student"] for _ in range(3)]
            view = {"kind": "choice", "prompt": "?", "view": "/"}
            number = ask(one, f"{code}/questions", teacher, view)["id"]
            answer = f"{code}/questions/{number}/answer"
            for student in students[:2]:
                ask(one, answer, student, {"round": 1, "answer": 1})
            process.kill()
            process.wait(20)
        with line(other, code, teacher) as projector:
            until(projector, [[1, 2]])
            with server(where, one):
                assert ask(one, f"{code}/join", students[0]) == {"student": students[0]}
                with line(one, code, students[0]) as hers:
                    assert json.loads(hers.recv(timeout=20))["question"]["answered"] == 1
                ask(one, answer, students[2], {"round": 1, "answer": 0})
                until(projector, [[0, 1], [1, 2]])
