"""Gain of each optional patch and speed-up, switched on and off by turns in one server.

    python -m benchmarks.patches                         # all, as a Markdown table
    python -m benchmarks.patches event_loop icon_font    # some

Figures: ``lecture`` is the server's CPU time for one answer, when four students with Explore
open each type a new sentence of 16 tokens. ``network`` is the bytes of such an answer for another
machine. ``visit`` is the bytes of a first visit, with gzip and an empty browser cache. The table
has medians and ranges of ``--repeat`` pairs.
"""

import argparse
import asyncio
import gc
import json
import statistics
import sys
import time
import urllib.request
from asyncio import SelectorEventLoop
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from benchmarks.browser import CHROMIUM_FLAGS, Server, chromium, free_port
from benchmarks.crowd import act_together, arrive
from benchmarks.first_visit import CONDITIONS, own_address, visit
from benchmarks.line import Line
from benchmarks.peers.run import sentences
from benchmarks.protocol import Visitor

TOKENS = 16
N_STUDENTS = 4

FIGURES = {
    "event_loop": "lecture",
    "session_state_patches": "lecture",
    "gc_threshold": "lecture",
    "websocket_compression": "network",
    "icon_font": "visit",
    "small_plotly": "visit",
    "chart_component": "visit",
}
"""The figure that each patch improves."""


def originals() -> dict[str, list[tuple[Any, str, Any]]]:
    """Return how to switch off each patch: objects, attributes and original values."""
    from streamlit.runtime.state import SafeSessionState

    from web.server import icon_font, static_files
    from web.streamlit_patches import event_loop, websocket_compression
    from web.widgets import charts

    loop, deflate = event_loop.CoalescingEventLoop, websocket_compression._LargeMessageDeflate
    return {
        "event_loop": [
            (loop, "_write_to_self", SelectorEventLoop._write_to_self),
            (loop, "_process_self_data", SelectorEventLoop._process_self_data),
        ],
        "session_state_patches": [
            (SafeSessionState, "filtered_state", SafeSessionState.filtered_state)
        ],
        "gc_threshold": [],
        "websocket_compression": [(deflate, "encode", lambda self, frame: frame)],
        "icon_font": [(icon_font, "FONT_PATH", "/none")],
        "small_plotly": [(static_files, "PLOTLY", static_files.FULL_PLOTLY)],
        "chart_component": [(charts.components, "plotly_figure", streamlit_chart)],
    }


def streamlit_chart(payload: bytes, key: str, *, width: Any, **_options: Any) -> None:
    """A figure drawn by Streamlit's own component."""
    import streamlit as st

    st.plotly_chart(json.loads(payload)["figure"], key=key, width=width, theme=None)


def serve(arguments: list[str]) -> None:
    """Serve the application, with a route that switches a patch on or off."""
    off = originals()  # before the patches are installed
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    import app
    from web import settings
    from web.server import process_limits, serving

    on: list[tuple[Any, str, Any]] = []

    async def switch(request: Request) -> PlainTextResponse:
        name, is_off = request.path_params["name"], request.path_params["state"] == "off"
        asyncio.get_running_loop()._woken = False  # a wake-up may be pending in the event loop
        if name == "gc_threshold":
            gc.set_threshold(700 if is_off else process_limits.GC_THRESHOLD, 10, 10)
        if is_off:
            on[:] = [
                (each, attribute, getattr(each, attribute)) for each, attribute, _ in off[name]
            ]
        for target, attribute, value in off[name] if is_off else on:
            setattr(target, attribute, value)
        return PlainTextResponse("done")

    import streamlit as st

    application = st.App(
        Path(app.__file__).resolve().parent / "pages" / "router.py",
        lifespan=app.lifespan,
        routes=[Route("/benchmark/{name}/{state}", switch), *app.ROUTES],
        middleware=app.MIDDLEWARE,
    )
    options = settings.of_command_line(arguments)
    settings.use(options)
    serving.serve(application, options)


class SwitchedServer:
    """The server of :func:`serve`."""

    def __init__(self, stack: ExitStack) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "benchmarks.patches", "--serve", f"--port={self.port}"]
        options = ["--host=0.0.0.0", "--queue=400", "--allow-host=lab.example"]
        ready = f"http://127.0.0.1:{self.port}/api/ready"
        server = stack.enter_context(Server([*command, *options], ready, patience=300))
        self.process = psutil.Process(server.process.pid)

    def switch(self, name: str, state: str) -> None:
        """Switch a patch ``on`` or ``off``."""
        url = f"http://127.0.0.1:{self.port}/benchmark/{name}/{state}"
        with urllib.request.urlopen(url, timeout=60) as response:
            assert response.status == 200

    def cpu(self) -> float:
        """Seconds of CPU time so far."""
        times = self.process.cpu_times()
        return float(times.user + times.system)


Measure = Callable[[], float]


def lecture(server: SwitchedServer, stack: ExitStack) -> Measure:
    """Measures milliseconds of CPU time per answer."""
    texts, runner = sentences(TOKENS), stack.enter_context(asyncio.Runner())
    students, seen = runner.run(arrive(server.port, "", N_STUDENTS, 4))
    assert not seen.errors, seen.errors

    def type_new(student: Any) -> Awaitable[None]:
        return student.type(next(texts))

    def measure() -> float:
        before = server.cpu()
        seen = runner.run(act_together(students, type_new))
        assert not seen.errors, seen.errors
        return 1000 * (server.cpu() - before) / N_STUDENTS

    return measure


def network(server: SwitchedServer, stack: ExitStack) -> Measure:
    """Measures kilobytes of an answer for another machine."""
    port, texts = free_port(), sentences(TOKENS)
    line = stack.enter_context(Line(port, (own_address(), server.port), None, 0))
    visitor = stack.enter_context(Visitor(f"127.0.0.1:{port}", compression="deflate"))

    def measure() -> float:
        before = line.received
        visitor.type(next(texts))
        time.sleep(0.3)
        return (line.received - before) / 1000

    return measure


def first_visit(server: SwitchedServer, stack: ExitStack) -> Measure:
    """Measures kilobytes of a first visit."""
    flags = [*CHROMIUM_FLAGS[:-1], f"{CHROMIUM_FLAGS[-1]}, EXCLUDE {own_address()}"]
    browser = stack.enter_context(chromium(flags))

    def measure() -> float:
        return visit(browser, server.port, CONDITIONS[1]).kinds.total() / 1000

    return measure


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("patches", nargs="*", help="all unless given")
    parser.add_argument("--repeat", type=int, default=7, help="pairs")
    options = parser.parse_args()
    kinds = {"lecture": (lecture, "ms"), "network": (network, "kB"), "visit": (first_visit, "kB")}
    print("| switched | figure | on | off | gain |\n|---|---|---:|---:|---:|")
    with ExitStack() as running:
        server = SwitchedServer(running)
        time.sleep(10)  # the warm-up continues after the server is ready
        for figure, (start, unit) in kinds.items():
            names = [each for each in options.patches or FIGURES if FIGURES[each] == figure]
            with ExitStack() as stack:
                measure = start(server, stack) if names else float
                for _ in range(2 * bool(names)):
                    measure()
                for name in names:
                    compare(server, name, figure, unit, measure, options.repeat)


def compare(
    server: SwitchedServer, name: str, figure: str, unit: str, measure: Measure, repeat: int
) -> None:
    """Print the row of one patch."""
    samples: dict[str, list[float]] = {"on": [], "off": []}
    for _ in range(repeat):
        samples["on"].append(measure())
        server.switch(name, "off")
        samples["off"].append(measure())
        server.switch(name, "on")
    gain = 1 - statistics.median(samples["on"]) / statistics.median(samples["off"])
    cells = (
        f"{statistics.median(each):.1f} {unit} ({min(each):.1f} to {max(each):.1f})"
        for each in samples.values()
    )
    print(f"| {name} | {figure} | {' | '.join(cells)} | {100 * gain:.0f} % |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2:])
    else:
        main()
