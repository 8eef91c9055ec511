"""Times the Positions page in a browser, from a new size until the heatmap is repainted.

    python -m benchmarks.positions

Alternates with reruns of an empty page on the same server.
"""

import argparse
import statistics
import sys

from playwright.sync_api import Browser

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.explore import FLOOR, open_page, submit
from benchmarks.peers.run import sentences

PAINTED = """(() => {
    const chart = document.querySelector(".st-key-sinusoids .js-plotly-plot");
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title.subtitle.text.includes(`× ${arg.d_model} `);
})()"""


def resized(
    browser: Browser, base: str, length: int, d_model: int, repeat: int
) -> dict[str, float]:
    """Times from a new d_model until its heatmap is painted, and of a bare rerun."""
    floor = open_page(browser, f"{base}/floor")
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{base}/positions?kind=sinusoidal&length={length}&d_model={d_model}")
    page.locator(".st-key-sinusoids .heatmaplayer image").wait_for()
    box = page.get_by_role("spinbutton", name="d_model")
    samples: dict[str, list[float]] = {"floor": [], "heat map": []}
    texts = sentences(16)
    for turn in range(repeat + 2):
        wanted = d_model - 2 * (1 + turn % 2)
        samples["floor"].append(submit(floor, next(texts), FLOOR))
        box.fill(str(wanted))
        ms = time_until(page, lambda: box.press("Enter"), PAINTED, {"d_model": wanted})
        samples["heat map"].append(ms)
        page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")
    floor.close()
    page.close()
    return {name: statistics.median(ms[2:]) for name, ms in samples.items()}


def main(repeat: int = 9) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    print("| positions x dimensions | bare rerun | new size to heat map |\n|---|---:|---:|")
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        for length, d_model in ((200, 128), (512, 768), (5000, 1024)):
            ms = resized(browser, base, length, d_model, repeat)
            ratio = ms["heat map"] / ms["floor"]
            shown = f"{length:,} x {d_model:,}"
            print(f"| {shown} | {ms['floor']:.0f} ms | {ms['heat map']:.0f} ms ({ratio:.1f}x) |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=9)
    main(parser.parse_args().repeat)
