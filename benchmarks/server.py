"""What a visitor costs the server: its CPU time for a run, and what of it are forward passes.

    python -m benchmarks.server

No browser: the server's own messages are asked for and read as a page's script does it, so that
nothing else is counted. CPU time of the server's process, all its threads; by turns with the bare
rerun of an empty page. ``--tree`` measures another checkout's server beside this one's, by turns.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil

from benchmarks.browser import Server, free_port
from benchmarks.peers.run import sentences
from benchmarks.protocol import Visitor
from model import load_model
from pages.shared import warm

BATCH = 10
"""Runs between two readings: the kernel counts CPU time in hundredths of a second."""


class Watched:
    """A server that was started, and a visitor of one of its pages."""

    def __init__(self, stack: ExitStack, tree: Path, argv: list[str], address: str) -> None:
        """Start it.

        Args:
            stack: Closes it.
            tree: The checkout that it is of.
            argv: Of Python; a port is put behind it.
            address: Of the page.
        """
        port = free_port()
        command = ["env", "-C", str(tree), sys.executable, *argv, str(port)]
        server = stack.enter_context(Server(command, f"http://127.0.0.1:{port}/api/ready"))
        self.process, self.name = psutil.Process(server.process.pid), f"127.0.0.1:{port}"
        self.address = address
        time.sleep(5)  # what the warm-up does behind the visitors' back
        self.page = stack.enter_context(Visitor(self.name, address))

    def cost(self, run: Callable[[], float]) -> tuple[float, float]:
        """Milliseconds of CPU a run, and from asked to finished."""
        before = self._cpu()
        waited = statistics.median(run() for _ in range(BATCH))
        return 1000 * (self._cpu() - before) / BATCH, 1000 * waited

    def _cpu(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def visit(self) -> float:
        """Somebody comes and leaves."""
        with Visitor(self.name, self.address) as visitor:
            return visitor.first


def forward(model: str, texts: Iterator[str]) -> tuple[float, float]:
    """Milliseconds of CPU, and by the clock, of one capture in this process."""
    loaded = load_model(model)
    cpu, wall = time.thread_time(), time.perf_counter()
    for _ in range(BATCH):
        loaded.attend(next(texts))
    return (
        1000 * (time.thread_time() - cpu) / BATCH,
        1000 * (time.perf_counter() - wall) / BATCH,
    )


def main() -> None:
    """Print a Markdown table for every server."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 128])
    parser.add_argument("--tree", type=Path, action="append", default=[], help="another checkout")
    parser.add_argument("--model", default="minilm")
    options = parser.parse_args()
    warm.one_thread()
    with ExitStack() as stack:
        trees = [Path.cwd(), *options.tree]
        address = f"?left={options.model}&right={options.model}"
        servers = {
            tree.name: Watched(stack, tree.resolve(), ["app.py", "--port"], address)
            for tree in trees
        }
        empty = Watched(stack, Path.cwd(), ["-m", "benchmarks.serve"], "floor")
        print("| tokens | run | of | CPU | to finished |\n|---:|---|---|---:|---:|")
        for length in options.tokens:
            _tell(servers, empty, length, options.model, options.repeat)


def _tell(
    servers: dict[str, Watched], empty: Watched, length: int, model: str, repeat: int
) -> None:
    samples: dict[tuple[str, str], list[tuple[float, float]]] = {}
    ours, bare, *others = (sentences(length) for _ in range(2 + len(servers)))

    def note(name: str, of: str, cost: tuple[float, float]) -> None:
        samples.setdefault((name, of), []).append(cost)

    for _ in range(repeat):
        note("a forward pass", "", forward(model, ours))
        note("bare rerun", "", empty.cost(lambda: empty.page.type(next(bare))))
        for (name, server), new in zip(servers.items(), others, strict=True):
            note("new sentence", name, server.cost(lambda s=server, n=new: s.page.type(next(n))))
            note("the same again", name, server.cost(server.page.rerun))
            note("first visit", name, server.cost(server.visit))
    for (run, name), pairs in samples.items():
        cpu, waited = (statistics.median(each) for each in zip(*pairs, strict=True))
        print(f"| {length} | {run} | {name} | {cpu:.1f} ms | {waited:.1f} ms |", flush=True)


if __name__ == "__main__":
    main()
