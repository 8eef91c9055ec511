"""Load test of a lecture hall: ``python -m benchmarks.lecture``.

Three hundred students have Explore open, and for comparison an empty page (``floor``). The client
runs on the same machine; its CPU time is listed separately. A response time ends with the run. It
includes no work of a browser and no scripts: students use the WebSocket only.
"""

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import partial

import psutil

from benchmarks.browser import Server, free_port
from benchmarks.crowd import Seen, Student, act_periodically, act_together, arrive
from benchmarks.peers.run import sentences

TOKENS = 16
WARM = 12
"""Seconds from ready until all models are loaded."""

QUEUE = 400
"""Length of the queue, as a server for a lecture hall would set it."""

FLOOR, EXPLORE = "floor", ""
"""The pages' addresses."""


@dataclass
class Hall:
    """A server, and the page that its students have open."""

    name: str
    port: int
    address: str
    process: psutil.Process

    async def row(self, what: str, crowd: Awaitable[Seen]) -> Seen:
        """Print response times and CPU time of a crowd."""
        began, before, own = time.perf_counter(), cpu(self.process), sum(os.times()[:2])
        seen = await crowd
        seconds, n = time.perf_counter() - began, max(1, len(seen.seconds))
        used, ours = cpu(self.process) - before, sum(os.times()[:2]) - own
        ordered = sorted(seen.seconds) or [float("nan")]
        middle, nearly = ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]
        print(
            f"| {self.name} | {what} | {1000 * middle:.0f} | {1000 * nearly:.0f} "
            f"| {1000 * ordered[-1]:.0f} | {len(seen.errors)} | {len(seen.seconds) / seconds:.1f} "
            f"| {1000 * used / n:.1f} | {used / seconds:.2f} | {ours / seconds:.2f} |",
            flush=True,
        )
        for error in seen.errors[:3]:
            print(error[:300], file=sys.stderr)
        return seen


async def lecture(hall: Hall, n_students: int, seconds: float) -> None:
    """The activities of a lecture, in sequence."""
    texts, empty = sentences(TOKENS), megabytes(hall.process)
    students: list[Student] = []

    async def visit_first() -> Seen:
        came, seen = await arrive(hall.port, hall.address, n_students, 10)
        students.extend(came)
        return seen

    def type_new(student: Student) -> Awaitable[None]:
        return student.type(next(texts))

    def click(student: Student) -> Awaitable[None]:
        side = random.choice(["left", "right"])
        return student.click(side, random.randrange(4), random.randrange(4))

    await hall.row(f"{n_students} first visits in 10 s", visit_first())
    for _ in range(2):
        await asyncio.sleep(2)
        same = next(texts)
        await hall.row("one sentence, all at once", act_together(students, partial(type_it, same)))
    for some in (1, 24):
        await hall.row(
            f"{some} who type without a pause", act_periodically(students[:some], type_new, 0, 10)
        )
    for some in (n_students // 6, n_students // 3, n_students):
        crowd = act_periodically(students[:some], type_new, 6, seconds)
        await hall.row(f"{some} type a sentence every 6 s", crowd)
    if hall.address != FLOOR:
        # Students with a refusal on their page have no heads to click.
        there = [student for student in students if not student.refused]
        for some in (n_students // 6, len(there)):
            crowd = act_periodically(there[:some], click, 3, seconds)
            await hall.row(f"{some} click a head every 3 s", crowd)
    sent = sum(map(len, students[0].wire.received)) / 1000
    print(f"{hall.name}: {empty} MB, then {megabytes(hall.process)}; last answer {sent:.0f} kB")
    for student in students:
        student.wire.close()


def type_it(sentence: str, student: Student) -> Awaitable[None]:
    return student.type(sentence)


def cpu(process: psutil.Process) -> float:
    """Seconds of CPU time that a process has used."""
    return sum(process.cpu_times()[:2])


def megabytes(process: psutil.Process) -> int:
    """Resident memory of a process."""
    return round(process.memory_info().rss / 1e6)


def measure(page: str, n_students: int, seconds: float) -> None:
    """Start a server and measure its hall."""
    port = free_port()
    argv = ["-m", "benchmarks.serve"] if page == FLOOR else ["app.py", "--port"]
    command = [sys.executable, *argv, str(port), f"--queue={QUEUE}"]
    with Server(command, f"http://127.0.0.1:{port}/api/ready") as server:
        time.sleep(WARM)
        hall = Hall(page or "Explore", port, page, psutil.Process(server.process.pid))
        asyncio.run(lecture(hall, n_students, seconds))


def main(n_students: int = 300, seconds: float = 20) -> None:
    """Print a table of milliseconds."""
    print(
        "| | | median, ms | 95 % | slowest | errors | answers a second | CPU of each, ms "
        "| cores: server | client |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    for page in (FLOOR, EXPLORE):
        measure(page, n_students, seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=20, help="of what is done again and again")
    options = parser.parse_args()
    main(options.students, options.seconds)
