"""Time the part Masks of the Decoder page in a browser: a click to everything repainted.

    python -m benchmarks.decoder

Another mask, and a cell drawn, each to the head under the mask painted and the count below it;
beside the bare rerun of an empty page of the same server, by turns.
"""

import argparse
import statistics
import sys

from playwright.sync_api import Browser, Page

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.explore import FLOOR, open_page, submit
from benchmarks.peers.run import sentences

HEAD = """(() => {
    const chart = document.querySelector(".st-key-after .js-plotly-plot");
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title.text.includes(`, ${arg.mask}`)
        && document.querySelector(".st-key-mask_counts")?.textContent.includes(arg.count);
})()"""

VIEWS = ("weight", "layers", "reach", "cost", "forms")


def masked(browser: Browser, base: str, view: str, repeat: int) -> dict[str, float]:
    """Another mask, and a cell drawn, with one of the views below; and the bare rerun."""
    floor, page = open_page(browser, f"{base}/floor"), _open(browser, base, view)
    samples: dict[str, list[float]] = {"floor": [], "mask": [], "cell": []}
    texts = sentences(16)
    for turn in range(repeat + 2):
        samples["floor"].append(submit(floor, next(texts), FLOOR))
        name, count = (("Causal", 136), ("Window", 74))[turn % 2]
        button = page.get_by_role("radio", name=name, exact=True)
        shown = {"mask": name.lower(), "count": f"{count} of 256"}
        samples["mask"].append(time_until(page, button.click, HEAD, shown))
        _rest(page)
        page.locator(".st-key-mask_grid canvas").focus()
        drawn = {"mask": "drawn", "count": f"{count - 1} of 256"}
        samples["cell"].append(time_until(page, lambda: _hide_a_cell(page), HEAD, drawn))
        _rest(page)
    floor.close()
    page.close()
    return {name: statistics.median(ms[2:]) for name, ms in samples.items()}


def _open(browser: Browser, base: str, view: str) -> Page:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{base}/decoder?part=masks&mask=none&below={view}")
    page.locator(".st-key-after .heatmaplayer image").first.wait_for()
    _rest(page)
    return page


def _hide_a_cell(page: Page) -> None:
    """The first one, [CLS] to itself, with the keyboard."""
    page.keyboard.press("Enter")


def _rest(page: Page) -> None:
    page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")


def main(repeat: int = 7) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    print("| below | bare rerun | another mask | a cell drawn |\n|---|---:|---:|---:|")
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        for view in VIEWS:
            ms = masked(browser, base, view, repeat)
            cells = (f"{ms[name]:.0f} ms ({ms[name] / ms['floor']:.1f}x)" for name in ms)
            print(f"| {view} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    main(parser.parse_args().repeat)
