"""Bytes and seconds of a first visit, on fast and slow connections, with an empty browser cache.

    python -m benchmarks.first_visit

Chromium throttles the connection and the CPU. It counts compressed bytes.
"""

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser

from benchmarks.browser import Server, chromium, free_port
from benchmarks.explore import VIEWPORT

ROOT = Path(__file__).parents[1]
COLUMN = ".headlight-view [data-side=right]"
SEEN = {
    "overviews": f"""document.querySelector("{COLUMN} canvas.grid[data-sentence]")""",
    "heatmaps": f"""document.querySelector("{COLUMN} .map[data-head]")""",
}

# Records when each view is first painted, in milliseconds since the navigation.
CLOCK = """
window.marks = {};
const seen = { VIEWS };
const look = () => {
  for (const [name, there] of Object.entries(seen))
    if (!(name in marks) && there()) {
      marks[name] = 0;
      requestAnimationFrame(() => (marks[name] = performance.now()));
    }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
""".replace("VIEWS", ", ".join(f"{name}: () => Boolean({it})" for name, it in SEEN.items()))


class Conditions(NamedTuple):
    """Connection and device of a visitor; None: not throttled."""

    name: str
    mbit: float | None
    ms: float
    slower_cpu: int


CONDITIONS = (
    Conditions("localhost", None, 0, 1),
    Conditions("20 Mbit/s, 20 ms", 20, 20, 1),
    Conditions("5 Mbit/s, 50 ms, a CPU 4 x slower", 5, 50, 4),
)


def visit(browser: Browser, port: int, conditions: Conditions) -> dict[str, float]:
    """Open Explore in a new context; return seconds, MB and requests."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    cdp, sizes = context.new_cdp_session(page), Counter[str]()

    def count(kind: str, n_bytes: int) -> None:
        sizes[kind] += n_bytes
        sizes["requests"] += kind == "http"

    cdp.on("Network.loadingFinished", lambda e: count("http", int(e["encodedDataLength"])))
    received = "Network.webSocketFrameReceived"  # its payload is Base64
    cdp.on(received, lambda e: count("live", 3 * len(e["response"]["payloadData"]) // 4))
    cdp.send("Network.enable")
    if conditions.mbit is not None:
        rate = conditions.mbit * 1e6 / 8
        throttle = {"latency": conditions.ms, "downloadThroughput": rate, "uploadThroughput": rate}
        cdp.send("Network.emulateNetworkConditions", {"offline": False, **throttle})
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": conditions.slower_cpu})
    page.add_init_script(CLOCK)
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_function("() => marks.overviews && marks.heatmaps", timeout=120_000)
    page.wait_for_timeout(1500)  # requests after the first heatmap belong to the visit
    paint = 'performance.getEntriesByName("first-contentful-paint")[0].startTime'
    marks = page.evaluate(f"({{ paint: {paint}, ...marks }})")
    context.close()
    seconds = {name: ms / 1000 for name, ms in marks.items()}
    return {**seconds, "MB": (sizes["http"] + sizes["live"]) / 1e6, "requests": sizes["requests"]}


def main(arguments: Sequence[str] = ()) -> None:
    """Print a Markdown table of medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="one visit")
    options = parser.parse_args(arguments)
    port = free_port()
    argv = [sys.executable, str(ROOT / "app.py"), "--port", str(port)]
    with Server(argv, f"http://127.0.0.1:{port}/api/ready"), chromium() as browser:
        visit(browser, port, CONDITIONS[0])  # work that a server does once
        if options.smoke:
            return
        print("| visitor | first paint | overviews | heatmaps | MB | requests |")
        print("|---|---:|---:|---:|---:|---:|")
        for conditions in CONDITIONS:
            visits = [visit(browser, port, conditions) for _ in range(options.repeat)]
            medians = {key: statistics.median(v[key] for v in visits) for key in visits[0]}
            print(
                "| {} | {paint:.1f} s | {overviews:.1f} s | {heatmaps:.1f} s | {MB:.2f} "
                "| {requests:.0f} |".format(conditions.name, **medians),
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
