"""Soak test: fifty sessions with random actions, half of which disconnect without closing.

    python -m benchmarks.soak                     # 30 minutes, with its own server
    python -m benchmarks.soak --minutes 6 --sessions 50 --seed 21

It uses the WebSocket protocol without a browser: every part of every page, new sentences, clicks on
heads, steps back. Visitors leave after some actions and others arrive. Every other one resets its
connection during a run. The test passes if there are no errors, if memory is stable after the
warm-up, and if all sessions are removed at the end.

The server's budget is 2,000 MB instead of 4,800, so that its caches are full after the warm-up.
Otherwise they would grow for hours, which would look like a leak.

Memory in use is also measured with empty caches, after a first short round and at the end: growth
between the two is a leak.
"""

import argparse
import random
import sys
import threading
import time
from collections import Counter
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import numpy as np

from benchmarks.browser import Server, free_port
from benchmarks.holding import HEAD, Reading, Watched, rows, slopes
from benchmarks.peers.run import sentences
from benchmarks.protocol import Visitor
from pages.about.url import KINDS as STACKS
from pages.calculator.url import MODES
from pages.decoder.url import PARTS as OF_DECODER
from pages.heads.url import PARTS as OF_HEADS
from pages.layers.url import PARTS as OF_LAYERS
from pages.positions.url import KINDS as OF_POSITIONS

PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("view", ("heatmap", "lines")),
    "layers": ("part", OF_LAYERS),
    "heads": ("part", OF_HEADS),
    "decoder": ("part", OF_DECODER),
    "calculator": ("mode", MODES),
    "positions": ("kind", OF_POSITIONS),
    "lessons": ("step", ("0", "1", "2", "3")),
    "classroom": ("", ("",)),
    "about": ("kind", STACKS),
}
"""Pages, with the parameter of their part and its values."""

LENGTHS = (8, 16, 16, 16, 24, 64)
"""Tokens of a sentence."""

ACTS = 12
"""Mean number of actions of a visitor."""

PAUSE = 2.0
"""Mean seconds between two actions of a visitor, so that one process is not saturated."""

WRITTEN = 4
"""Generated tokens of a decoder: few, because the test is about memory and not speed."""

BUSY = "hourglass_disabled"
"""Icon of the message that the wait was too long, which is not an error."""


class Soak:
    """Actions on a server, and their results.

    Attributes:
        happened: Number of actions, visits and leaves, by name.
        errors: Error messages.
        seconds: Response time of each action.
    """

    def __init__(self, server: Watched, seed: int) -> None:
        self.server, self.seed = server, seed
        self.happened: Counter[str] = Counter()
        self.errors: list[str] = []
        self.seconds: list[float] = []
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.texts = [sentences(length) for length in LENGTHS]

    def note(self, what: str, visitor: Visitor, address: str, seconds: float) -> None:
        """Record an action, and an error on the page."""
        elements = [message.delta.new_element for message in visitor.messages]
        with self.lock:
            self.happened[what] += 1
            self.happened["too busy"] += sum(BUSY in each.alert.icon for each in elements)
            self.seconds.append(seconds)
            self.errors += [
                f"{address[:80]}: {what}: {each.exception.message[:300]}"
                for each in elements
                if each.HasField("exception")
            ]

    def visitors_in_turn(self, number: int) -> None:
        """Visitors one after another."""
        chance = random.Random(f"{self.seed} {number}")
        self.over.wait(chance.uniform(0, 10))  # they do not all arrive together
        while not self.over.is_set():
            been = [self.address(chance)]
            try:
                self.visit(chance, been)
            except Exception as error:
                with self.lock:
                    self.errors.append(f"{been[-1][:80]}: {type(error).__name__}: {error!s:.300}")
                self.over.wait(1)

    def visit(self, chance: random.Random, been: list[str]) -> None:
        """A visit with some actions; record the visited URLs."""
        visitor = Visitor(self.server.at, been[0])
        self.note("visit", visitor, been[0], visitor.first)
        for _ in range(chance.randint(1, 2 * ACTS)):
            self.over.wait(chance.expovariate(1 / PAUSE))
            if self.over.is_set():
                break
            act = chance.choice(["type", "type", "click", "click", "again", "go", "go", "back"])
            heads = [key for key in visitor.components if key.startswith("overview_")]
            if act == "type" and visitor.types:
                seconds = visitor.type(self.text(chance))
            elif act == "click" and heads and been[-1].startswith("?"):
                cell = {"layer": chance.randrange(6), "head": chance.randrange(4)}
                seconds = visitor.act(chance.choice(heads), "picked", cell)
            elif act == "go" or len(been) == 1:
                act = "go"
                been.append(self.address(chance))
                seconds = visitor.go(been[-1])
            elif act == "back":
                been.pop()
                seconds = visitor.go(been[-1])
            else:
                act = "again"
                seconds = visitor.rerun()
            self.note(act, visitor, been[-1], seconds)
        without = chance.random() < 0.5
        if without:
            visitor.disconnect_during_run(self.address(chance))
        else:
            visitor.__exit__()
        with self.lock:
            self.happened["gone without goodbye" if without else "goodbye"] += 1

    def text(self, chance: random.Random) -> str:
        """A new sentence."""
        with self.lock:
            return next(chance.choice(self.texts))

    def address(self, chance: random.Random) -> str:
        """A URL of any part of any page."""
        page = chance.choice(list(PAGES))
        name, parts = PAGES[page]
        parameters = {name: chance.choice(parts), "text": self.text(chance), "tokens": WRITTEN}
        parameters |= {"layer": chance.randrange(6), "head": chance.randrange(4)}
        if page == "positions":
            parameters |= {"length": chance.randint(8, 200), "d_model": 64}
        if page == "about":
            del parameters["layer"], parameters["head"]
        return f"{page}?{urlencode(parameters)}"


def run(soak: Soak, n_sessions: int, minutes: float, every: float, row: float) -> list[Reading]:
    """Run for some minutes, print a row at intervals, and return all readings."""
    threads = [threading.Thread(target=soak.visitors_in_turn, args=(n,)) for n in range(n_sessions)]
    for thread in threads:
        thread.start()
    soak.server.began, readings, n_printed = time.monotonic(), list[Reading](), 0
    print(f"{HEAD} acts | errors |\n" + "|---:" * 10 + "|")
    try:
        while time.monotonic() < soak.server.began + 60 * minutes:
            time.sleep(every)
            readings.append(soak.server.reading())
            for line in rows(readings, row)[n_printed:-1]:
                print(f"{line} {len(soak.seconds):,} | {len(soak.errors)} |", flush=True)
                n_printed += 1
    finally:
        soak.over.set()
        for thread in threads:
            thread.join()
    for line in rows(readings, row)[n_printed:]:
        print(f"{line} {len(soak.seconds):,} | {len(soak.errors)} |", flush=True)
    return readings


def print_results(soak: Soak) -> None:
    """Print the results of the visitors."""
    print("\n" + ", ".join(f"{name}: {n:,}" for name, n in sorted(soak.happened.items())))
    middle, nearly = np.percentile(soak.seconds, [50, 95])
    print(f"answered after {middle:.2f} s (median), {nearly:.2f} (95 %), {max(soak.seconds):.2f}")
    print(f"errors: {len(soak.errors)}", *soak.errors[:20], sep="\n")


def left(before: dict[str, int], after: dict[str, int], n_acts: int) -> str:
    """Memory in use with empty caches before and after the actions, as text."""
    return (
        f"emptied: {before['bytes'] / 1e6:.2f} MB and {before['blocks']:,} blocks of Python's; "
        f"after {n_acts:,} acts more {(after['bytes'] - before['bytes']) / 1e6:+.2f} MB and "
        f"{after['blocks'] - before['blocks']:+,} blocks"
    )


def main() -> None:
    """Print rows at intervals and a summary; exit with 1 after an error."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--first", type=float, default=3, help="minutes of the round before it")
    parser.add_argument("--warm-up", type=float, default=10, help="minutes that no slope is of")
    parser.add_argument("--row", type=float, default=5, help="minutes of a row")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--every", type=float, default=10, help="seconds between two readings")
    parser.add_argument("--memory", type=int, default=2_000, help="MB that the server may fill")
    given = parser.parse_args()
    port = free_port()
    with TemporaryDirectory() as folder:
        argv = [sys.executable, "-m", "benchmarks.holding", str(port), "--data", folder]
        argv += ["--memory", str(given.memory)]
        with Server(argv, f"http://127.0.0.1:{port}/api/ready") as server:
            time.sleep(20)  # the warm-up still loads checkpoints
            watched = Watched(server.process.pid, f"127.0.0.1:{port}")
            print(f"before anybody came: {watched.reading().megabytes:.0f} MB", flush=True)
            first, soak = Soak(watched, given.seed + 1), Soak(watched, given.seed)
            print(f"{given.first:g} minutes, in which everything is read that stays:")
            run(first, given.sessions, given.first, given.every, given.row)
            time.sleep(5)
            before = watched.emptied()
            print(f"\n{given.minutes:g} minutes:")
            readings = run(soak, given.sessions, given.minutes, given.every, given.row)
            time.sleep(5)
            last, after = watched.reading(), watched.emptied()
            log = server.output(10_000_000)
    print_results(soak)
    print(left(before, after, len(soak.seconds)))
    print(slopes(readings, given.warm_up))
    print(
        f"all gone: {last.megabytes:.0f} MB, {last.threads} threads, {last.files} files, "
        f"{last.on_line} on line"
    )
    if has_errors := any(sign in log for sign in ("Traceback", "Exception")):
        print(f"the server's log, its end:\n{log[-4000:]}")
    sys.exit(bool(first.errors or soak.errors or last.on_line or has_errors))


if __name__ == "__main__":
    main()
