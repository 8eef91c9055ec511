"""Bytes and seconds of a first visit and of a new sentence, on fast and slow connections.

    python -m benchmarks.first_visit
    python -m benchmarks.first_visit --beside ../another/checkout

An empty browser cache each time; with ``--beside``, by turns with the server of another checkout.
"""

import argparse
import socket
import statistics
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser

from benchmarks.browser import CHROMIUM_FLAGS, Server, chromium, free_port
from benchmarks.explore import GRID, HEATMAPS, OVERVIEWS, VIEWPORT, submit
from benchmarks.line import Line
from benchmarks.peers.run import sentences
from benchmarks.tab import Tab

ROOT = Path(__file__).parents[1]

HEATMAP = ".st-key-heatmap_right .heatmaplayer image"

SEEN = {
    "overview": f"""({GRID})("right")?.querySelector("canvas.grid[data-sentence]")""",
    "colours": f"""document.querySelector(".st-key-heatmap_right canvas.preview, {HEATMAP}")""",
    "heatmap": f"""document.querySelector("{HEATMAP}")""",
}


class Conditions(NamedTuple):
    """Connection and device of a visitor."""

    name: str
    # Browsers accept Brotli only from localhost and over https; a classroom uses neither.
    localhost: bool
    mbit: float | None
    ms: float
    slower_cpu: int


CONDITIONS = (
    Conditions("localhost", True, None, 0, 1),
    Conditions("20 Mbit/s, 20 ms", False, 20, 20, 1),
    Conditions("20 Mbit/s, 20 ms, as over https", True, 20, 20, 1),
    Conditions("5 Mbit/s, 50 ms, a CPU 4 x slower", False, 5, 50, 4),
    Conditions("5 Mbit/s, 50 ms, a CPU 4 x slower, as over https", True, 5, 50, 4),
)


class Visit(NamedTuple):
    """Seconds until each view was painted, the layout shift, and bytes by kind."""

    paint: float
    overview: float
    colours: float
    heatmap: float
    moved: float
    requests: int
    kinds: Counter[str]


def visit(browser: Browser, server: int, conditions: Conditions) -> Visit:
    """Open Explore with an empty cache."""
    port = free_port()
    # Not from localhost, so that the transferred bytes are those of a classroom.
    to = ("127.0.0.1" if conditions.mbit is None else own_address(), server)
    with (
        Line(port, to, conditions.mbit, conditions.ms) as line,
        Tab(browser, VIEWPORT, conditions.slower_cpu) as tab,
    ):
        host = "localhost" if conditions.localhost else own_address()
        marks = tab.visit(f"http://{host}:{port}/", SEEN)
        tab.rest(1.5)  # requests after the first heatmap belong to the visit
        kinds = Counter(tab.sizes)
        kinds["Live"] = line.received - kinds.total()
        first = {"paint": tab.first_paint(), "moved": tab.moved()}
    return Visit(**marks, **first, requests=len(tab.requests), kinds=kinds)


def new_sentence(browser: Browser, server: int, length: int, repeat: int) -> tuple[float, float]:
    """Bytes until both overviews are painted, and in total; medians."""
    port = free_port()
    both, short, whole = "?left=minilm&right=minilm", [], []
    with Line(port, (own_address(), server), 20, 20) as line:
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(f"http://{own_address()}:{port}/{both}")
        page.locator(HEATMAP).wait_for(timeout=120_000)
        texts = sentences(length)
        for _ in range(repeat):
            page.wait_for_timeout(1500)
            before, text = line.received, next(texts)
            submit(page, text, OVERVIEWS)
            short.append(line.received - before)
            page.wait_for_function(f"(arg) => {HEATMAPS}", arg={"sentence": text})
            page.wait_for_timeout(1500)
            whole.append(line.received - before)
        page.close()
    return statistics.median(short), statistics.median(whole)


def own_address() -> str:
    """An address of this machine that is not the loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent
        return str(probe.getsockname()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 64, 128])
    parser.add_argument(
        "--only", nargs="+", default=["visit", "sentence"], metavar="PART", help="visit, sentence"
    )
    parser.add_argument("--beside", type=Path, help="a checkout whose server is measured by turns")
    options = parser.parse_args()
    checkouts = {"this": ROOT, **({"beside": options.beside} if options.beside else {})}
    flags = [*CHROMIUM_FLAGS[:-1], f"{CHROMIUM_FLAGS[-1]}, EXCLUDE {own_address()}"]
    with ExitStack() as running:
        servers = {}
        for name, folder in checkouts.items():
            servers[name] = port = free_port()
            argv = [sys.executable, str(folder / "app.py"), "--host", "0.0.0.0"]
            ready = f"http://127.0.0.1:{port}/api/ready"
            running.enter_context(Server([*argv, "--port", str(port)], ready))
        browser = running.enter_context(chromium(flags))
        for port in servers.values():  # work that a server does once
            visit(browser, port, CONDITIONS[0])
            visit(browser, port, CONDITIONS[1])
        if "visit" in options.only:
            _print_visits(browser, servers, options.repeat)
        if "sentence" in options.only:
            print("\n| new sentence, tokens | server | kB to both overviews | kB in all |")
            print("|---:|---|---:|---:|")
            for length in options.tokens:
                for name, port in servers.items():
                    short, whole = new_sentence(browser, port, length, options.repeat)
                    print(f"| {length} | {name} | {short / 1e3:.0f} | {whole / 1e3:.0f} |")


def _print_visits(browser: Browser, servers: dict[str, int], repeat: int) -> None:
    columns = (
        "paint",
        "overview",
        "colours",
        "heatmap",
        "MB",
        "scripts",
        "fonts",
        "live",
        "requests",
        "moved",
    )
    print(f"| visitor | server | {' | '.join(columns)} |\n|---|---{'|---:' * len(columns)}|")
    for conditions in CONDITIONS:
        found: dict[str, list[Visit]] = {name: [] for name in servers}
        for _ in range(repeat):
            for name, port in servers.items():
                found[name].append(visit(browser, port, conditions))
        for name, visits in found.items():
            print(f"| {conditions.name} | {name} | {_cells(visits)} |", flush=True)


def _cells(visits: list[Visit]) -> str:
    kinds = visits[-1].kinds
    amounts = (kinds.total(), kinds["Script"], kinds["Font"], kinds["Live"])
    return " | ".join(
        [
            f"{statistics.median(each.paint for each in visits):.1f} s",
            f"{statistics.median(each.overview for each in visits):.1f} s",
            f"{statistics.median(each.colours for each in visits):.1f} s",
            f"{statistics.median(each.heatmap for each in visits):.1f} s",
            *(f"{amount / 1e6:.2f}" for amount in amounts),
            str(visits[-1].requests),
            f"{max(each.moved for each in visits):.2f}",
        ]
    )


if __name__ == "__main__":
    main()
