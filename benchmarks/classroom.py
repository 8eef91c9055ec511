"""A full classroom against the real application: ``python -m benchmarks.classroom``.

One server process and its clients on one machine: 300 students' live lines and a projector's. What
a browser does with a message is not in these times; of the pages that follow a view, what the
server does until the last of the page is sent is.
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

SECONDS = 5
"""In which everybody answers."""

WARM = 20
"""Seconds from ready until the last of the models is loaded."""

AGAIN = (0.2, 1.0)
"""Seconds after which a browser whose line broke tries again, at random between the two."""


class Api:
    """Requests as browsers make them, from threads."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.threads = ThreadPoolExecutor(32)

    async def ask(
        self, path: str, token: str = "", said: object = None, method: str = "POST"
    ) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, self._ask, path, token, said, method)

    def _ask(self, path: str, token: str, said: object, method: str) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/rooms{path}",
            None if method == "GET" else json.dumps(said).encode(),
            headers={"Authorization": f"Bearer {token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read().decode()
            return json.loads(text) if text.startswith("{") else text


class Screen:
    """A browser's line: when it first saw what, and it comes back by itself."""

    def __init__(self, api: Api, code: str, token: str) -> None:
        self.api, self.code, self.token = api, code, token
        self.seen: list[tuple[float, dict[str, Any]]] = []
        self.heard = asyncio.Event()
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        at = f"ws://127.0.0.1:{self.api.port}/api/rooms{self.code}/live"
        while True:
            try:
                async with connect(at, compression=None) as wire:
                    await wire.send(json.dumps({"token": self.token}))
                    async for message in wire:
                        self.seen.append((time.perf_counter(), json.loads(message)))
                        self.heard.set()
            except (OSError, ConnectionClosed, InvalidStatus, TimeoutError):
                pass
            await asyncio.sleep(random.uniform(*AGAIN))

    async def until(self, found: Callable[[dict[str, Any]], bool], after: float = 0.0) -> float:
        """When it first saw such a state, later than a moment."""
        looked = 0
        while True:
            for when, state in self.seen[looked:]:
                if when > after and found(state):
                    return when
            looked = len(self.seen)
            self.heard.clear()
            await self.heard.wait()


def spread(seconds: Iterable[float]) -> str:
    """The median, the 95th percentile and the slowest."""
    ordered = sorted(seconds)
    middle, nearly = ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]
    return f"{middle:.2f} | {nearly:.2f} | {ordered[-1]:.2f}"


def n_answers(state: dict[str, Any]) -> int:
    return (state.get("question") or {}).get("n_answers", 0)


class Lesson:
    """A room, its projector and its students."""

    def __init__(self, port: int) -> None:
        self.api = Api(port)
        self.students: list[Screen] = []

    async def open(self) -> None:
        opened = await self.api.ask("")
        self.code, self.teacher = f"/{opened['code']}", opened["teacher"]
        self.projector = Screen(self.api, self.code, self.teacher)
        await self.projector.until(lambda state: "room" in state)

    async def join(self, n_students: int) -> list[float]:
        """All at once; seconds until each has the room before them."""
        began = time.perf_counter()

        async def one() -> float:
            token = (await self.api.ask(f"{self.code}/join"))["student"]
            screen = Screen(self.api, self.code, token)
            self.students.append(screen)
            return await screen.until(lambda state: "room" in state) - began

        return await asyncio.gather(*(one() for _ in range(n_students)))

    async def show(self, change: int, view: str) -> list[float]:
        """Another view; seconds until each line has it."""
        began = time.perf_counter()
        shown = self.api.ask(f"{self.code}/view", self.teacher, {"address": view})
        got = [each.until(lambda state: state.get("change", 0) >= change) for each in self.students]
        _, *when = await asyncio.gather(shown, *got)
        return [each - began for each in when]

    async def ask(self) -> int:
        options = {"options": ["one", "two", "three", "four"], "right": [2]}
        asked = {"kind": "choice", "prompt": "Which?", "view": "/", **options}
        return (await self.api.ask(f"{self.code}/questions", self.teacher, asked))["id"]

    async def answer(
        self, question: int, students: Sequence[Screen], seconds: float
    ) -> list[tuple[float, float]]:
        """Everybody answers at random; when each was sent, and when it was acknowledged.

        An answer that does not get through is kept, and sent again.
        """
        path = f"{self.code}/questions/{question}/answer"

        async def one(student: Screen) -> tuple[float, float]:
            await asyncio.sleep(random.uniform(0, seconds))
            sent = time.perf_counter()
            said = {"round": 1, "answer": random.randrange(4)}
            while True:
                try:
                    kept = await self.api.ask(path, student.token, said)
                    assert kept == {"answer": said["answer"]}
                    return sent, time.perf_counter()
                except (urllib.error.URLError, OSError):
                    await asyncio.sleep(random.uniform(*AGAIN))

        return await asyncio.gather(*map(one, students))

    async def on_projector(self, times: list[tuple[float, float]], from_: float) -> list[float]:
        """Seconds from sent to counted on the projector, of each answer by its turn."""
        lags = []
        for number, (sent, _) in enumerate(sorted(times, key=lambda each: each[1]), 1):
            enough = self.projector.until(lambda state, n=number: n_answers(state) >= n, from_)
            lags.append(await enough - sent)
        return lags

    async def kept(self, question: int) -> int:
        """Answers in the results."""
        told = await self.api.ask(f"{self.code}/summary", self.teacher, method="GET")
        found = next(each for each in told["questions"] if each["id"] == question)
        return sum(n for _, n in found["rounds"][0])


async def followed(
    lesson: Lesson, n_pages: int, pages: Sequence[str], change: Callable[[], int]
) -> list[float]:
    """Seconds from the teacher's change until each of some pages has come, twice each of them."""
    texts, seconds, loop = sentences(16), [], asyncio.get_running_loop()
    threads = ThreadPoolExecutor(n_pages)
    visit = partial(loop.run_in_executor, threads, Visitor, f"127.0.0.1:{lesson.api.port}")
    visitors = await asyncio.gather(*(visit() for _ in range(n_pages)))
    for page in [*pages, *pages]:
        address, number = f"{page}?text={next(texts).replace(' ', '+')}", change()

        async def follow(
            student: Screen, visitor: Visitor, address: str = address, number: int = number
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


async def killed(lesson: Lesson, restart: Callable[[], Awaitable[None]]) -> tuple[list[float], int]:
    """Seconds from a kill until each student is back, and the answers kept in the end."""
    question = await lesson.ask()
    half = len(lesson.students) // 2
    await lesson.answer(question, lesson.students[:half], 1)
    # The others are about to: some of their answers meet a server that is gone.
    rest = asyncio.create_task(lesson.answer(question, lesson.students[half:], 4))
    await asyncio.sleep(0.5)
    began = time.perf_counter()
    await restart()
    print(f"the server answers {time.perf_counter() - began:.2f} s after a kill", flush=True)
    back = [
        each.until(lambda state: (state.get("question") or {}).get("id") == question, began + 0.1)
        for each in lesson.students
    ]
    seconds = [when - began for when in await asyncio.gather(*back)]
    await rest
    return seconds, await lesson.kept(question)


async def measure(servers: Callable[[str], Server], port: int, n_students: int, pages: list[int]):
    """One lesson with everything in it, line by line."""
    loop = asyncio.get_running_loop()
    with ExitStack() as running:
        server = await loop.run_in_executor(None, running.enter_context, servers("/api/ready"))
        lesson, changes = Lesson(port), count(1)
        await asyncio.sleep(WARM)
        empty = megabytes(server)
        await lesson.open()
        row("joined, all at once", spread(await lesson.join(n_students)))
        await asyncio.sleep(2)
        joined = megabytes(server)
        seconds = []
        for number in range(20):
            change = next(changes)
            seconds += await lesson.show(change, f"/layers?text=view+{number}")
            await asyncio.sleep(0.5)
        row("the teacher's view, 20 times", spread(seconds))

        question, began = await lesson.ask(), time.perf_counter()
        times = await lesson.answer(question, lesson.students, SECONDS)
        row(f"{n_students} answers in {SECONDS} s: kept", spread(b - a for a, b in times))
        row("on the projector", spread(await lesson.on_projector(times, began)))
        print(f"answers kept: {await lesson.kept(question)}", flush=True)

        for n_pages in pages:
            seconds = await followed(lesson, n_pages, ["layers", ""], lambda: next(changes))
            row(f"{n_pages} pages that follow", spread(seconds))
        held = (empty, joined, megabytes(server))
        print("memory: {:.0f} MB empty, {:.0f} with all in, {:.0f} then".format(*held), flush=True)

        async def restart() -> None:
            server.process.kill()
            server.process.wait()
            # Students come back while it still loads its models.
            early = servers("/_stcore/health")
            await loop.run_in_executor(None, running.enter_context, early)

        seconds, kept = await killed(lesson, restart)
        row("back after a kill", spread(seconds))
        print(f"answers kept: {kept}", flush=True)
        for screen in [lesson.projector, *lesson.students]:
            screen.task.cancel()


def row(what: str, told: str) -> None:
    print(f"| {what} | {told} |", flush=True)


def main(n_students: int = 300, pages: Sequence[int] = (10, 30)) -> None:
    """Print a table of seconds, and beside it what was kept."""
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
