"""Benchmark of a full classroom with the real application: ``python -m benchmarks.classroom``.

One server process and its clients run on one machine: the WebSockets of 300 students and of a
projector. The times of a page include the server's work until its last byte, and no work of a
browser.
"""

import argparse
import asyncio
import json
import random
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.browser import Server, free_port
from benchmarks.peers.run import sentences
from benchmarks.protocol import Visitor

ANSWER_SECONDS = 5
"""Seconds in which all students answer."""

LESSON = "twenty-common-errors"
"""The lesson with the most steps."""

WARM_UP = 20
"""Seconds from readiness until the last model is loaded."""

RETRY_DELAY = (0.2, 1.0)
"""Shortest and longest delay of a reconnect, in seconds."""


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
            None if method == "GET" else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read().decode()
            return json.loads(text) if text.startswith("{") else text


class Client:
    """A browser's WebSocket, which reconnects; it records each state with its time."""

    def __init__(self, api: Api, code: str, token: str) -> None:
        self.api, self.code, self.token = api, code, token
        self.states: list[tuple[float, dict[str, Any]]] = []
        self.received = asyncio.Event()
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        url = f"ws://127.0.0.1:{self.api.port}/api/rooms{self.code}/live"
        while True:
            try:
                async with connect(url, compression=None) as socket:
                    await socket.send(json.dumps({"token": self.token}))
                    async for message in socket:
                        self.states.append((time.perf_counter(), json.loads(message)))
                        self.received.set()
            except (OSError, ConnectionClosed, InvalidStatus, TimeoutError):
                pass
            await asyncio.sleep(random.uniform(*RETRY_DELAY))

    async def until(self, found: Callable[[dict[str, Any]], bool], after: float = 0.0) -> float:
        """Wait for a state and return its time; ``after`` is the earliest one."""
        n_checked = 0
        while True:
            for when, state in self.states[n_checked:]:
                if when > after and found(state):
                    return when
            n_checked = len(self.states)
            self.received.clear()
            await self.received.wait()


def summarize(seconds: Iterable[float]) -> str:
    """Format the median, the 95th percentile and the maximum."""
    ordered = sorted(seconds)
    median, p95 = ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]
    return f"{median:.2f} | {p95:.2f} | {ordered[-1]:.2f}"


def n_answers(state: dict[str, Any]) -> int:
    return (state.get("question") or {}).get("n_answers", 0)


def n_first_answers(state: dict[str, Any]) -> int:
    return state["work"][0]["answered"] if state.get("work") else 0


def question_id(state: dict[str, Any]) -> int | None:
    return (state.get("question") or {}).get("id")


class Lesson:
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
        received = [
            each.until(lambda state: state.get("change", 0) >= change) for each in self.students
        ]
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
            answer = random.randrange(4)
            body = {"round": 1, "answer": answer}
            return await self.send(path, student, body, seconds, {"answer": answer})

        return await asyncio.gather(*map(one, students))

    async def send(
        self, path: str, student: Client, body: object, seconds: float, reply: object
    ) -> tuple[float, float]:
        """Send at a random time, again until the server acknowledges it; return both times."""
        await asyncio.sleep(random.uniform(0, seconds))
        sent = time.perf_counter()
        while True:
            try:
                assert await self.api.call(path, student.token, body) == reply
                return sent, time.perf_counter()
            except (urllib.error.URLError, OSError):
                await asyncio.sleep(random.uniform(*RETRY_DELAY))

    async def on_projector(
        self,
        times: list[tuple[float, float]],
        count: Callable[[dict[str, Any]], int],
        from_: float,
    ) -> list[float]:
        """Return the seconds from sending each answer until the projector counts it."""
        lags = []
        for number, (sent, _) in enumerate(sorted(times, key=lambda each: each[1]), 1):
            shown = await self.projector.until(lambda state, n=number: count(state) >= n, from_)
            lags.append(shown - sent)
        return lags

    async def work(
        self, step: int, students: Sequence[Client], seconds: float
    ) -> list[tuple[float, float]]:
        """Answer a step of a lesson at random times; return when each was sent and stored."""
        body = {"lesson": LESSON, "step": step, "answer": "dog", "right": False}
        sends = (self.send(f"{self.code}/work", each, body, seconds, "") for each in students)
        return await asyncio.gather(*sends)

    async def pause(self, message: str | None) -> list[float]:
        """Start or end a pause; return the seconds until each student's client has it."""
        began = time.perf_counter()
        body = {"message": message}
        received = [
            each.until(lambda state: state.get("paused", "") == message, began)
            for each in self.students
        ]
        await self.api.call(f"{self.code}/pause", self.teacher, body)
        return [each - began for each in await asyncio.gather(*received)]

    async def n_stored(self, question: int) -> int:
        """Return the number of answers in the results."""
        summary = await self.api.call(f"{self.code}/summary", self.teacher, method="GET")
        found = next(each for each in summary["questions"] if each["id"] == question)
        return sum(n for _, n in found["rounds"][0])


async def follow_views(
    lesson: Lesson, n_pages: int, pages: Sequence[str], change: Callable[[], int]
) -> list[float]:
    """Return the seconds from each change of the view until the last byte of each page."""
    texts, seconds, loop = sentences(16), [], asyncio.get_running_loop()
    threads = ThreadPoolExecutor(n_pages)
    visit = partial(loop.run_in_executor, threads, Visitor, f"127.0.0.1:{lesson.api.port}")
    visitors = await asyncio.gather(*(visit() for _ in range(n_pages)))
    for page in [*pages, *pages]:
        address, number = f"{page}?text={next(texts).replace(' ', '+')}", change()

        async def follow(
            student: Client, visitor: Visitor, address: str = address, number: int = number
        ) -> float:
            await student.until(lambda state: state.get("change", 0) >= number)
            await loop.run_in_executor(threads, visitor.go, address)
            return time.perf_counter()

        pairs = zip(lesson.students, visitors, strict=False)
        following = [asyncio.create_task(follow(*pair)) for pair in pairs]
        await asyncio.sleep(1)
        began = time.perf_counter()
        await lesson.show(number, f"/{address}")
        seconds += [await each - began for each in following]
    for visitor in visitors:
        visitor.__exit__()
    return seconds


def megabytes(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / 1e6


async def kill_server(
    lesson: Lesson, restart: Callable[[], Awaitable[None]], question: int
) -> list[float]:
    """Kill the server while students answer; return the seconds until each has the question."""
    half = len(lesson.students) // 2
    await lesson.answer(question, lesson.students[:half], 1)
    # Some of the other answers fail, because the server is killed.
    rest = asyncio.ensure_future(lesson.answer(question, lesson.students[half:], 4))
    await asyncio.sleep(0.5)
    began = time.perf_counter()
    await restart()
    print(f"the server answers {time.perf_counter() - began:.2f} s after a kill", flush=True)
    back = [
        each.until(lambda state: question_id(state) == question, began + 0.1)
        for each in lesson.students
    ]
    seconds = [when - began for when in await asyncio.gather(*back)]
    await rest
    return seconds


async def measure(
    servers: Callable[[str], Server], port: int, n_students: int, pages: list[int]
) -> None:
    """Measure one lesson and print a table."""
    loop = asyncio.get_running_loop()
    with ExitStack() as running:
        server = await loop.run_in_executor(None, running.enter_context, servers("/api/ready"))
        lesson, changes = Lesson(port), count(1)
        await asyncio.sleep(WARM_UP)
        empty = megabytes(server)
        await lesson.open()
        row("joined, all at once", summarize(await lesson.join(n_students)))
        await asyncio.sleep(2)
        joined = megabytes(server)
        seconds = []
        for number in range(20):
            change = next(changes)
            seconds += await lesson.show(change, f"/layers?text=view+{number}")
            await asyncio.sleep(0.5)
        row("the teacher's view, 20 times", summarize(seconds))

        question, began = await lesson.ask(), time.perf_counter()
        times = await lesson.answer(question, lesson.students, ANSWER_SECONDS)
        row(f"{n_students} answers in {ANSWER_SECONDS} s", summarize(b - a for a, b in times))
        row("on the projector", summarize(await lesson.on_projector(times, n_answers, began)))
        print(f"answers stored: {await lesson.n_stored(question)}", flush=True)

        body = {"lesson": LESSON, "step": None}
        await lesson.api.call(f"{lesson.code}/plan", lesson.teacher, body)
        row("a pause on every device", summarize(await lesson.pause("Look!")))
        await lesson.pause(None)
        began = time.perf_counter()
        times = await lesson.work(1, lesson.students, ANSWER_SECONDS)
        name = f"{n_students} answers to a step in {ANSWER_SECONDS} s"
        row(name, summarize(b - a for a, b in times))
        lags = await lesson.on_projector(times, n_first_answers, began)
        row("counted on the projector", summarize(lags))
        await lesson.api.call(f"{lesson.code}/plan", lesson.teacher, {"lesson": None})

        for n_pages in pages:
            seconds = await follow_views(lesson, n_pages, ["layers", ""], lambda: next(changes))
            row(f"{n_pages} pages that follow", summarize(seconds))
        held = (empty, joined, megabytes(server))
        print("memory: {:.0f} MB empty, {:.0f} with all in, {:.0f} then".format(*held), flush=True)

        async def restart() -> None:
            nonlocal server
            server.process.kill()
            server.process.wait()
            # Students reconnect while the server loads its models.
            server = servers("/_stcore/health")
            await loop.run_in_executor(None, running.enter_context, server)

        question = await lesson.ask()
        seconds = await kill_server(lesson, restart, question)
        row("back after a kill among answers", summarize(seconds))
        print(f"answers stored: {await lesson.n_stored(question)}", flush=True)
        for client in [lesson.projector, *lesson.students]:
            client.task.cancel()


def row(name: str, seconds: str) -> None:
    print(f"| {name} | {seconds} |", flush=True)


def main(n_students: int = 300, pages: Sequence[int] = (10, 30)) -> None:
    """Print a table of seconds, and the number of stored answers."""
    print(f"| {n_students} students | median, s | 95 % | slowest |\n|---|---:|---:|---:|")
    port = free_port()
    with TemporaryDirectory() as folder:
        argv = [sys.executable, "app.py", "--port", str(port), "--data", folder]

        def servers(up: str) -> Server:
            return Server(argv, f"http://127.0.0.1:{port}{up}")

        asyncio.run(measure(servers, port, n_students, list(pages)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--pages", type=int, nargs="*", default=[10, 30], help="that follow")
    given = parser.parse_args()
    main(given.students, given.pages)
