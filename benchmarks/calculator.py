"""Times the Calculator in a browser, from an edited number until every step is repainted.

    python -m benchmarks.calculator

Alternates with reruns of an empty page on the same server.
token, other dimensions and another step.
"""

import argparse
import statistics
import sys

from playwright.sync_api import Browser, Page

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.explore import FLOOR, open_page, submit
from benchmarks.peers.run import sentences
from model.calculator import PRESETS, Settings, from_projections, from_qkv, numbers

# True once the last matrix of the last step shows the new number.
LAST = """(() => {
    const steps = [...document.querySelectorAll(".st-key-steps *")].find((e) => e.shadowRoot);
    const last = "[data-matrix=context], [data-matrix=output]";
    const results = steps.shadowRoot.querySelectorAll(last);
    return [...results].at(-1).querySelector("td").textContent === arg.number;
})()"""

CASES = {
    "Q, K, V of 2 x 2": ("mode=own", "q", ("Q", 2, 2)),
    "Q, K, V of 8 x 8": ("8", "q", ("Q", 8, 8)),
    "X of 3 x 4, two heads, W^O": ("mode=own&form=x", "x", ("X", 3, 4)),
}


def first_output(name: str, value: str) -> str:
    """Expected first cell of the last matrix when the first number is ``value``."""
    if name.startswith("X"):
        cells = {n: [list(row) for row in c] for n, c in PRESETS["heads"].cells.items()}
        cells["X"][0][0] = value
        x, *w = (numbers(n, cells[n]) for n in ("X", "W_Q", "W_K", "W_V", "W_O"))
        output = from_projections(x, *w, 2, Settings()).output
    else:
        cells = {n: eight() if "8" in name else PRESETS["exercise"].cells[n] for n in "QKV"}
        cells["Q"] = [list(row) for row in cells["Q"]]
        cells["Q"][0][0] = value
        output = from_qkv(*(numbers(n, cells[n]) for n in "QKV")).output
    return f"{output[0, 0]:.4f}"


def eight() -> list[list[str]]:
    return [[f"{((3 * i + 5 * j) % 7) / 4:g}" for j in range(8)] for i in range(8)]


def address(query: str) -> str:
    if query != "8":
        return query
    cells = ";".join(",".join(row) for row in eight())
    return f"mode=own&q={cells}&k={cells}&v={cells}"


def edit(page: Page, grid: str, value: str, expected: str) -> float:
    box = page.locator(f".st-key-grids [data-grid={grid}] td input").first
    box.fill(value)
    return time_until(page, lambda: box.press("Enter"), LAST, {"number": expected})


def edited(browser: Browser, base: str, name: str, repeat: int) -> dict[str, float]:
    """Times of an edit until everything is repainted, and of a bare rerun."""
    query, grid, _ = CASES[name]
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, f"{base}/calculator?{address(query)}")
    page.locator(".st-key-steps td").first.wait_for()
    samples: dict[str, list[float]] = {"floor": [], "edit": []}
    texts = sentences(16)
    for turn in range(repeat + 2):
        value = f"{2 + turn / 8:g}"
        samples["floor"].append(submit(floor, next(texts), FLOOR))
        samples["edit"].append(edit(page, grid, value, first_output(name, value)))
    floor.close()
    page.close()
    return {name: statistics.median(ms[2:]) for name, ms in samples.items()}


def main(repeat: int = 15) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    print("| edited | bare rerun | edit to every step repainted |\n|---|---:|---:|")
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        for name in CASES:
            ms = edited(browser, base, name, repeat)
            ratio = ms["edit"] / ms["floor"]
            print(f"| {name} | {ms['floor']:.0f} ms | {ms['edit']:.0f} ms ({ratio:.2f}x) |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=15)
    main(parser.parse_args().repeat)
