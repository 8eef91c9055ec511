"""Fifty sessions that do everything at random, half of them gone without goodbye.

    python -m benchmarks.soak                     # 30 minutes, a server of its own
    python -m benchmarks.soak --minutes 6 --sessions 50 --seed 21

Over the real websocket protocol, no browser. Whoever has done enough leaves and another comes:
every other one closes its line in the middle of a run, without a word. What is wanted: no error
on either side, memory that is flat after warm-up, and in the end every session forgotten.
"""

import argparse
import random
import sys
import threading
import time
import urllib.request
from collections import Counter
from tempfile import TemporaryDirectory

import numpy as np
import psutil

from benchmarks.browser import Server, free_port
from benchmarks.peers.run import sentences
from benchmarks.protocol import Visitor

PAGES = (
    "?text={text}&layer={layer}&head={head}",
    "?text={text}&view=lines&layer={layer}",
    "layers?text={text}&layer={layer}",
    "heads?text={text}",
    "decoder?text={text}",
    "calculator?mode=own",
    "calculator?mode=practice",
    "positions?length={length}&d_model=64",
    "lessons",
    "about",
)
LENGTHS = (8, 16, 16, 16, 24, 64)
"""Tokens of a sentence."""

ACTS = 12
"""Of a visitor, in the mean."""

PAUSE = 2.0
"""Seconds between two acts of a visitor, in the mean: one process is not to be full."""


class Soak:
    """What happens to a server, and what is noted of it.

    Attributes:
        happened: Acts, visits and leaves, by name.
        errors: What went wrong, in words.
        seconds: Of each act, until it was answered.
    """

    def __init__(self, server: Server, port: int, seed: int) -> None:
        self.server, self.at = server, f"127.0.0.1:{port}"
        self.process, self.seed = psutil.Process(server.process.pid), seed
        self.happened: Counter[str] = Counter()
        self.errors: list[str] = []
        self.seconds: list[float] = []
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.texts = [sentences(length) for length in LENGTHS]

    def note(self, what: str, seconds: float | None = None) -> None:
        with self.lock:
            self.happened[what] += 1
            if seconds is not None:
                self.seconds.append(seconds)

    def somebody(self, number: int) -> None:
        """One place in the room: a visitor after another."""
        chance = random.Random(f"{self.seed} {number}")
        self.over.wait(chance.uniform(0, 10))  # they do not all come in one moment
        while not self.over.is_set():
            address = self.address(chance)
            try:
                self.visit(chance, address)
            except Exception as error:
                with self.lock:
                    self.errors.append(f"{address[:60]}: {type(error).__name__}: {error!s:.200}")
                self.over.wait(1)

    def visit(self, chance: random.Random, address: str) -> None:
        visitor = Visitor(self.at, address)
        self.note("visit", visitor.first)
        been = [address]
        for _ in range(chance.randint(1, 2 * ACTS)):
            self.over.wait(chance.expovariate(1 / PAUSE))
            if self.over.is_set():
                break
            act = chance.choice(["type", "type", "again", "go", "go", "back"])
            if act == "type" and visitor.types:
                seconds = visitor.type(self.text(chance))
            elif act == "go" or len(been) == 1:
                been.append(self.address(chance))
                seconds = visitor.go(been[-1])
            elif act == "back":
                been.pop()
                seconds = visitor.go(been[-1])
            else:
                seconds = visitor.rerun()
            self.note(act, seconds)
        if chance.random() < 0.5:
            visitor.vanish(self.address(chance))
            self.note("gone without goodbye")
        else:
            visitor.__exit__()
            self.note("goodbye")

    def text(self, chance: random.Random) -> str:
        with self.lock:
            return next(chance.choice(self.texts))

    def address(self, chance: random.Random) -> str:
        values = {"layer": chance.randrange(6), "head": chance.randrange(12)}
        text = self.text(chance).replace(" ", "+")
        return chance.choice(PAGES).format(text=text, length=chance.randint(8, 200), **values)

    def measured(self) -> tuple[float, int, int, int]:
        """Megabytes, threads, open files of the server, and its sessions with a line."""
        with urllib.request.urlopen(f"http://{self.at}/_stcore/metrics", timeout=30) as told:
            lines = told.read().decode().splitlines()
        n_sessions = next((line for line in lines if line.startswith("active_sessions ")), "0 0")
        held = self.process.memory_info().rss / 1e6
        n_active = int(float(n_sessions.split()[1]))
        return held, self.process.num_threads(), self.process.num_fds(), n_active


def run(soak: Soak, n_sessions: int, minutes: float, every: float) -> list[float]:
    """Let it go on for a time; returns the memory at each reading, in megabytes."""
    threads = [threading.Thread(target=soak.somebody, args=(n,)) for n in range(n_sessions)]
    for thread in threads:
        thread.start()
    began, held = time.monotonic(), []
    print("| minute | MB | threads | files | on line | acts | errors |\n" + "|---:" * 7 + "|")
    try:
        while time.monotonic() < began + 60 * minutes:
            time.sleep(every)
            megabytes, *rest = soak.measured()
            held.append(megabytes)
            told = [f"{(time.monotonic() - began) / 60:.1f}", f"{megabytes:.0f}", *map(str, rest)]
            told += [str(len(soak.seconds)), str(len(soak.errors))]
            print("| " + " | ".join(told) + " |", flush=True)
    finally:
        soak.over.set()
        for thread in threads:
            thread.join()
    return held


def growth(held: list[float], every: float) -> float:
    """Megabytes an hour over the second half: the warm-up is over by then."""
    half = held[len(held) // 2 :]
    if len(half) < 2:
        return float("nan")
    hours = np.arange(len(half)) * every / 3600
    return float(np.polyfit(hours, half, 1)[0])


def main() -> None:
    """Print a line every so often, and what came of it all; ends with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--every", type=float, default=20, help="seconds between two readings")
    parser.add_argument("--memory", type=int, default=0, help="MB that the server may fill")
    given = parser.parse_args()
    port = free_port()
    with TemporaryDirectory() as folder:
        argv = [sys.executable, "app.py", "--port", str(port), "--data", folder]
        if given.memory:  # caches that are full sooner
            argv += ["--memory", str(given.memory)]
        with Server(argv, f"http://127.0.0.1:{port}/api/ready") as server:
            time.sleep(20)  # its checkpoints are read behind the first visitors' back
            soak = Soak(server, port, given.seed)
            print(f"before anybody came: {soak.measured()[0]:.0f} MB", flush=True)
            held = run(soak, given.sessions, given.minutes, given.every)
            time.sleep(5)
            megabytes, n_threads, n_files, n_active = soak.measured()
            said = server.output()
    print("\n" + ", ".join(f"{name}: {n}" for name, n in sorted(soak.happened.items())))
    middle, nearly = np.percentile(soak.seconds, [50, 95])
    print(f"answered after {middle:.2f} s (median), {nearly:.2f} (95 %), {max(soak.seconds):.2f}")
    print(f"memory: {growth(held, given.every):+.0f} MB an hour over the second half")
    print(f"all gone: {megabytes:.0f} MB, {n_threads} threads, {n_files} files, {n_active} on line")
    print(f"errors: {len(soak.errors)}", *soak.errors[:20], sep="\n")
    if "Traceback" in said:
        print(f"the server's log:\n{said}")
    sys.exit(bool(soak.errors or n_active or "Traceback" in said))


if __name__ == "__main__":
    main()
