"""Throughput and memory of two worker processes compared with one.

    python -m benchmarks.workers --visitors 24 --seconds 8 --repeat 3

Each visitor types a new sentence after each response. The client runs on the same machine; its CPU
time is printed too. Both numbers of processes are measured alternately. Memory is each process's
proportional share (PSS).
"""

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Sequence
from contextlib import ExitStack

import psutil

from benchmarks.browser import Server, free_port
from benchmarks.crowd import Student, act_periodically, arrive
from benchmarks.peers.run import WORDS


def family(process: psutil.Process) -> list[psutil.Process]:
    """A process and its children."""
    return [process, *process.children()]


def cpu(processes: Sequence[psutil.Process]) -> float:
    """Total CPU seconds of some processes."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def megabytes(processes: Sequence[psutil.Process]) -> list[int]:
    """Memory of each process; shared pages count in proportion."""
    return [round(process.memory_full_info().pss / 1e6) for process in processes]


async def load(port: int, n_visitors: int, seconds: float) -> list[float]:
    """Visitors who type after each response; return the response times."""
    students, seen = await arrive(port, "", n_visitors, 1)

    def type_new(student: Student) -> Awaitable[None]:
        return student.type(" ".join(random.choices(WORDS, k=14)))

    typed = await act_periodically(students, type_new, 0, seconds)
    for student in students:
        student.wire.close()
    assert not seen.errors + typed.errors, seen.errors + typed.errors
    return typed.seconds


def main(n_visitors: int = 24, seconds: float = 8.0, repeat: int = 3) -> None:
    """Measure and print."""
    with ExitStack() as running:
        ports = {1: free_port(), 2: free_port()}
        servers = {
            count: running.enter_context(
                Server(
                    [sys.executable, "app.py", f"--port={port}", f"--workers={count}"],
                    f"http://127.0.0.1:{port}/api/ready",
                )
            )
            for count, port in ports.items()
        }
        time.sleep(5)  # the warm-up continues after the server is ready
        families = {count: family(psutil.Process(s.process.pid)) for count, s in servers.items()}
        rates: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(repeat):
            for count, port in ports.items():
                before, own = cpu(families[count]), sum(os.times()[:2])
                waited = asyncio.run(load(port, n_visitors, seconds))
                used = cpu(families[count]) - before
                rates[count].append(len(waited) / seconds)
                print(
                    f"{count} processes: {rates[count][-1]:.1f} reruns a second, median "
                    f"{statistics.median(waited):.2f} s; {1000 * used / len(waited):.0f} ms of CPU "
                    f"each, the client {(sum(os.times()[:2]) - own) / seconds:.2f} cores"
                )
        ratios = [two / one for one, two in zip(rates[1], rates[2], strict=True)]
        print(f"two beside one: {', '.join(f'{ratio:.2f}' for ratio in ratios)} times as many")
        for count, processes in families.items():
            print(f"memory of {count}: {megabytes(processes)} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    main(options.visitors, options.seconds, options.repeat)
