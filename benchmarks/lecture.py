"""Load test of a lecture hall: ``python -m benchmarks.lecture``.

Three hundred students have Explore open, without a browser: they use the WebSocket only. With
``--heavy 6``, one visitor types beside six sessions that switch all heads of a decoder off.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from urllib.parse import quote

import psutil
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks.browser import Server, free_port
from benchmarks.peers.run import sentences
from benchmarks.protocol import LIMIT, Page, is_refusal
from web.view_state.field import write_pairs

TOKENS = 16
QUEUE = 400
"""Length of the queue, as a server for a lecture hall would set it."""

EVERY_HEAD = write_pairs([(layer, head) for layer in range(30) for head in range(9)])
HEAVY = f"heads?part=change&left=smollm2&right=smollm2&off={EVERY_HEAD}&text="
"""Address of a view that takes seconds, without its text."""


class Student:
    """A visitor with an open page."""

    def __init__(self, port: int, address: str = "") -> None:
        self.port, self.page = port, Page(address)
        self.received: list[bytes] = []
        self.n_clicks = 0

    async def arrive(self) -> None:
        """Connect and load the page."""
        url = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        self.socket = await connect(
            url, subprotocols=["streamlit"], compression=None, max_size=None, open_timeout=LIMIT
        )
        await self._say(self.page.rerun())

    async def type(self, sentence: str) -> None:
        """Type a new sentence; the response must contain it."""
        await self._say(self.page.type(sentence))
        if not any(sentence.encode() in message for message in self.received):
            raise RuntimeError(f"answered, but not to {sentence!r}")

    async def click(self) -> None:
        """Click a random head; the server selects a similar one on the other side."""
        self.n_clicks += 1
        side = random.choice(["left", "right"])
        fields = {"linked": False, "side": side, "paired": True}
        fields[side] = random.choices(range(4), k=2)
        edit = {"number": self.n_clicks, "fields": fields}
        await self._say(self.page.act("state_capture", "edited", edit))

    async def _say(self, message: bytes) -> None:
        """Send a message and wait for the end of its run; an error on the page is an error."""
        async with asyncio.timeout(LIMIT):
            await self.socket.send(message)
            self.received = [await self.socket.recv(decode=False)]
            while not self.page.receive(self.received[-1]):
                self.received.append(await self.socket.recv(decode=False))
        if refused := [str(each) for each in self.page.messages if is_refusal(each)]:
            raise RuntimeError(refused[0])


@dataclass
class Seen:
    """Response times of a crowd in seconds, and its errors."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def time(self, what: Awaitable[None]) -> None:
        began = time.perf_counter()
        try:
            await what
        except (RuntimeError, OSError, TimeoutError, WebSocketException) as error:
            self.errors.append(repr(error))
        else:
            self.seconds.append(time.perf_counter() - began)


Act = Callable[[Student], Awaitable[None]]
Servers = dict[int, psutil.Process]  # by port


async def act_periodically(
    students: Iterable[Student], act: Act, every: float, seconds: float
) -> Seen:
    """All students act every so many seconds, each with its own phase; a late one acts at once."""
    seen, end = Seen(), time.perf_counter() + seconds

    async def one(student: Student) -> None:
        planned = time.perf_counter() + random.uniform(0, every)
        while max(planned, time.perf_counter()) < end:
            await asyncio.sleep(max(0.0, planned - time.perf_counter()))
            await seen.time(act(student))
            planned += every

    await asyncio.gather(*map(one, students))
    return seen


async def act_together(students: Iterable[Student], act: Act) -> Seen:
    seen = Seen()
    await asyncio.gather(*(seen.time(act(student)) for student in students))
    return seen


async def arrive(students: Sequence[Student], seconds: float) -> Seen:
    """Make first visits, spread evenly over some seconds."""
    seen = Seen()

    async def one(student: Student, after: float) -> None:
        await asyncio.sleep(after)
        await seen.time(student.arrive())

    pause = seconds / len(students)
    await asyncio.gather(*(one(student, pause * i) for i, student in enumerate(students)))
    return seen


async def row(servers: Servers, what: str, crowd: Awaitable[Seen]) -> None:
    """Print response times and CPU time of a crowd."""
    began, before = time.perf_counter(), cpu(servers)
    seen = await crowd
    seconds, n = time.perf_counter() - began, max(1, len(seen.seconds))
    ordered = sorted(seen.seconds) or [float("nan")]
    middle, nearly = ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]
    print(
        f"| {what} | {1000 * middle:.0f} | {1000 * nearly:.0f} "
        f"| {1000 * ordered[-1]:.0f} | {len(seen.errors)} | {len(seen.seconds) / seconds:.1f} "
        f"| {1000 * (cpu(servers) - before) / n:.1f} |",
        flush=True,
    )
    for error in seen.errors[:3]:
        print(error[:300], file=sys.stderr)


def cpu(servers: Servers) -> float:
    return sum(sum(each.cpu_times()[:2]) for each in servers.values())


async def lecture(servers: Servers, n_students: int, seconds: float) -> None:
    """The activities of a lecture, in sequence."""
    ports = [*servers] * n_students
    texts, students = sentences(TOKENS), [Student(port) for port in ports[:n_students]]
    await row(servers, f"{n_students} first visits", arrive(students, min(10, seconds)))
    same = next(texts)
    together = act_together(students, lambda student: student.type(same))
    await row(servers, "one sentence, all at once", together)
    typed = act_periodically(students, lambda student: student.type(next(texts)), 6, seconds)
    await row(servers, "a sentence every 6 s", typed)
    await row(servers, "a click every 3 s", act_periodically(students, Student.click, 3, seconds))
    await asyncio.gather(*(student.socket.close() for student in students))


async def beside(servers: Servers, n_heavy: int, seconds: float) -> None:
    """One visitor's sentences, alone and beside heavy sessions."""
    port = next(iter(servers))  # heavy sessions and the visitor share one process
    texts, long, visitor = sentences(TOKENS), sentences(360), Student(port)
    await visitor.arrive()
    for what, count in (("a visitor alone", 0), (f"beside {n_heavy} heavy sessions", n_heavy)):
        heavy = [Student(port, HEAVY + quote(next(long))) for _ in range(count)]
        sessions = asyncio.create_task(act_together(heavy, Student.arrive))
        typed = act_periodically([visitor], lambda one: one.type(next(texts)), 0.5, seconds)
        await row(servers, what, typed)
        sessions.cancel()


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table of milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=20, help="of each repeated action")
    parser.add_argument("--heavy", type=int, help="one visitor beside so many heavy sessions")
    parser.add_argument("--processes", type=int, default=1, help="they share the students")
    parser.add_argument("--smoke", action="store_true", help="three students, half a second")
    options = parser.parse_args(arguments)
    n_students, seconds = (3, 0.5) if options.smoke else (options.students, options.seconds)
    print(
        "| | median, ms | 95 % | slowest | errors | answers a second | CPU of each, ms |\n"
        "|---|---:|---:|---:|---:|---:|---:|"
    )
    servers: Servers = {}
    with ExitStack() as running:
        for port in [free_port() for _ in range(options.processes)]:
            command = [sys.executable, "app.py", "--port", str(port), f"--queue={QUEUE}"]
            made = running.enter_context(Server(command, f"http://127.0.0.1:{port}/api/ready"))
            servers[port] = psutil.Process(made.process.pid)
        activity = beside if options.heavy else lecture
        asyncio.run(activity(servers, options.heavy or n_students, seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
