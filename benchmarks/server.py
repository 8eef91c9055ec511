"""CPU time of the server for a run of Explore, compared with its captures, and its elements.

    python -m benchmarks.server

There is no browser: the client speaks Streamlit's protocol. Measures the CPU time of all threads of
the server, alternating with reruns of an empty page. ``--tree`` adds the server of another
checkout.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil

from benchmarks.browser import Server, free_port
from benchmarks.peers.run import sentences
from benchmarks.protocol import Visitor
from model import load_model
from web.server import warmup

BATCH = 10
"""Runs between two readings: the kernel counts CPU time in hundredths of a second."""


class Watched:
    """A started server, and a visitor of one of its pages."""

    def __init__(self, stack: ExitStack, tree: Path, argv: list[str], address: str) -> None:
        """Start the server and load the page.

        Args:
            stack: Closes the server and the visitor.
            tree: The checkout to run.
            argv: Arguments of Python; the port is appended.
            address: URL of the page.
        """
        port = free_port()
        command = ["env", "-C", str(tree), sys.executable, *argv, str(port)]
        server = stack.enter_context(Server(command, f"http://127.0.0.1:{port}/api/ready"))
        self.process, self.name = psutil.Process(server.process.pid), f"127.0.0.1:{port}"
        self.address = address
        time.sleep(5)  # the warm-up continues after the server is ready
        self.page = stack.enter_context(Visitor(self.name, address))

    def cost(self, run: Callable[[], float]) -> tuple[float, float]:
        """Milliseconds of CPU time per run, and milliseconds until it has finished."""
        before = self._cpu()
        waited = statistics.median(run() for _ in range(BATCH))
        return 1000 * (self._cpu() - before) / BATCH, 1000 * waited

    def _cpu(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def visit(self) -> float:
        """A first visit, after which the visitor leaves."""
        with Visitor(self.name, self.address) as visitor:
            return visitor.first


def elements(page: Visitor) -> int:
    """Number of elements and containers in the last run, including those sent as references."""
    return sum(message.WhichOneof("type") in ("delta", "ref_hash") for message in page.messages)


def captures(models: Sequence[str], texts: Iterator[str]) -> tuple[float, float]:
    """Milliseconds of CPU time, and of wall-clock time, for the captures of one sentence."""
    loaded = [load_model(name) for name in sorted(set(models))]
    cpu, wall = time.thread_time(), time.perf_counter()
    for _ in range(BATCH):
        text = next(texts)
        for model in loaded:
            model.attend(text)
    return (
        1000 * (time.thread_time() - cpu) / BATCH,
        1000 * (time.perf_counter() - wall) / BATCH,
    )


def main() -> None:
    """Print a Markdown table for each server."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 128])
    parser.add_argument("--tree", type=Path, action="append", default=[], help="another checkout")
    parser.add_argument(
        "--models", nargs=2, default=["scratch", "minilm"], metavar=("LEFT", "RIGHT")
    )
    options = parser.parse_args()
    warmup.use_one_thread()
    with ExitStack() as stack:
        trees = [Path.cwd(), *options.tree]
        address = "?left={}&right={}".format(*options.models)
        servers = {
            tree.name: Watched(stack, tree.resolve(), ["app.py", "--port"], address)
            for tree in trees
        }
        empty = Watched(stack, Path.cwd(), ["-m", "benchmarks.serve"], "floor")
        print("| tokens | run | of | CPU | to finished | elements |\n|---:|---|---|---:|---:|---:|")
        for length in options.tokens:
            _compare(servers, empty, length, options.models, options.repeat)


def _compare(
    servers: dict[str, Watched], empty: Watched, length: int, models: Sequence[str], repeat: int
) -> None:
    samples: dict[tuple[str, str], list[tuple[float, float]]] = {}
    counts: dict[tuple[str, str], int] = {}
    ours, bare, *others = (sentences(length) for _ in range(2 + len(servers)))

    def note(name: str, of: str, cost: tuple[float, float]) -> None:
        samples.setdefault((name, of), []).append(cost)

    for _ in range(repeat):
        note("captures alone", "", captures(models, ours))
        note("bare rerun", "", empty.cost(lambda: empty.page.type(next(bare))))
        for (name, server), new in zip(servers.items(), others, strict=True):
            note("new sentence", name, server.cost(lambda s=server, n=new: s.page.type(next(n))))
            counts["new sentence", name] = elements(server.page)
            note("the same again", name, server.cost(server.page.rerun))
            note("first visit", name, server.cost(server.visit))
    for (run, name), pairs in samples.items():
        cpu, waited = (statistics.median(each) for each in zip(*pairs, strict=True))
        count = counts.get((run, name), "")
        print(
            f"| {length} | {run} | {name} | {cpu:.1f} ms | {waited:.1f} ms | {count} |", flush=True
        )


if __name__ == "__main__":
    main()
