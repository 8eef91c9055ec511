"""Benchmark of a full classroom with the real application: ``python -m benchmarks.classroom``.

One server process and the WebSockets of 300 students and a projector run on one machine.
"""

import argparse
import asyncio
import csv
import json
import random
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import Any

from websockets.asyncio.client import connect

from benchmarks.browser import Server, free_port

ANSWER_SECONDS = 5
"""Seconds in which all students answer."""

State = dict[str, Any]


class Api:
    """Requests to the rooms API, in threads."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.threads = ThreadPoolExecutor(32)

    async def call(
        self, path: str, token: str = "", body: object = None, method: str = "POST"
    ) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, self._call, path, token, body, method)

    def _call(self, path: str, token: str, body: object, method: str) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/rooms{path}",
            None if method == "GET" else json.dumps(body or {}).encode(),
            headers={"Authorization": f"Bearer {token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read().decode()
            return json.loads(text) if text.startswith("{") else text


class Client:
    """A browser's WebSocket; it records each state with its time."""

    def __init__(self, api: Api, code: str, token: str) -> None:
        self.api, self.code, self.token = api, code, token
        self.states: list[tuple[float, State]] = []
        self.received = asyncio.Event()
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        url = f"ws://127.0.0.1:{self.api.port}/api/rooms{self.code}/live"
        async with connect(url, compression=None, subprotocols=[self.token]) as socket:
            async for message in socket:
                self.states.append((time.perf_counter(), json.loads(message)))
                self.received.set()

    async def until(self, found: Callable[[State], bool], after: float = 0.0) -> float:
        """Wait for a state and return its time; ``after`` is the earliest one."""
        n_checked = 0
        while True:
            for when, state in self.states[n_checked:]:
                if when > after and found(state):
                    return when
            n_checked = len(self.states)
            self.received.clear()
            await self.received.wait()


class Room:
    """A room with the clients of its projector and its students."""

    def __init__(self, port: int) -> None:
        self.api = Api(port)
        self.students: list[Client] = []

    async def open(self) -> None:
        opened = await self.api.call("")
        self.code, self.teacher = f"/{opened['code']}", opened["teacher"]
        self.projector = Client(self.api, self.code, self.teacher)
        await self.projector.until(lambda state: "room" in state)

    async def join(self, n_students: int) -> list[float]:
        """Join all students together; return the seconds until each has the room's state."""
        began = time.perf_counter()

        async def one() -> float:
            token = (await self.api.call(f"{self.code}/join"))["student"]
            client = Client(self.api, self.code, token)
            self.students.append(client)
            return await client.until(lambda state: "room" in state) - began

        return await asyncio.gather(*(one() for _ in range(n_students)))

    async def show(self, change: int, view: str) -> list[float]:
        """Change the view; return the seconds until each student's client has it."""
        began = time.perf_counter()
        shown = self.api.call(f"{self.code}/view", self.teacher, {"address": view})
        received = [each.until(lambda s: s.get("change", 0) >= change) for each in self.students]
        _, *when = await asyncio.gather(shown, *received)
        return [each - began for each in when]

    async def ask(self) -> int:
        options = {"options": ["one", "two", "three", "four"], "right": [2]}
        body = {"kind": "choice", "prompt": "Which?", "view": "/?layer=3&head=1", **options}
        return (await self.api.call(f"{self.code}/questions", self.teacher, body))["id"]

    async def answer(
        self, question: int, students: Sequence[Client], seconds: float
    ) -> list[tuple[float, float]]:
        """Answer at random times; return when each answer was sent and acknowledged."""
        path = f"{self.code}/questions/{question}/answer"

        async def one(student: Client) -> tuple[float, float]:
            body = {"round": 1, "answer": random.randrange(4)}
            await asyncio.sleep(random.uniform(0, seconds))
            sent = time.perf_counter()
            await self.api.call(path, student.token, body)
            return sent, time.perf_counter()

        return await asyncio.gather(*map(one, students))

    async def n_stored(self) -> int:
        """Return the number of answers in the results."""
        table = await self.api.call(f"{self.code}/results.csv", self.teacher, method="GET")
        return sum(bool(line["answer"]) for line in csv.DictReader(table.splitlines()))


async def measure(port: int, n_students: int) -> None:
    """Measure one class and print a table."""
    room = Room(port)
    await room.open()
    row("joined, all at once", await room.join(n_students))
    seconds: list[float] = []
    for change in range(1, 6):
        seconds += await room.show(change, f"/layers?text=view+{change}")
    row("the teacher's view, 5 times", seconds)
    question, began = await room.ask(), time.perf_counter()
    times = await room.answer(question, room.students, ANSWER_SECONDS)
    row(f"{n_students} answers in {ANSWER_SECONDS} s", [b - a for a, b in times])
    lags = []
    for number, (sent, _) in enumerate(sorted(times, key=lambda each: each[1]), 1):
        counted = lambda s, n=number: (s.get("question") or {}).get("n_answers", 0) >= n  # noqa: E731
        shown = await room.projector.until(counted, began)
        lags.append(shown - sent)
    row("on the projector", lags)
    print(f"answers stored: {await room.n_stored()}", flush=True)
    for client in [room.projector, *room.students]:
        client.task.cancel()


def row(name: str, seconds: Iterable[float]) -> None:
    """Print the median, the 95th percentile and the maximum."""
    ordered = sorted(seconds)
    median, p95 = ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]
    print(f"| {name} | {median:.2f} | {p95:.2f} | {ordered[-1]:.2f} |", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table of seconds, and the number of stored answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--smoke", action="store_true", help="three students")
    options = parser.parse_args(arguments)
    n_students = 3 if options.smoke else options.students
    print(f"| {n_students} students | median, s | 95 % | slowest |\n|---|---:|---:|---:|")
    port = free_port()
    with TemporaryDirectory() as folder:
        argv = [sys.executable, "app.py", "--port", str(port), "--data", folder]
        with Server(argv, f"http://127.0.0.1:{port}/api/ready"):
            asyncio.run(measure(port, n_students))


if __name__ == "__main__":
    main(sys.argv[1:])
