"""Times the Layers page in a browser, alternating with the Explore page and a bare rerun.

    python -m benchmarks.layers

Measures a new sentence until everything is repainted, with the same model on both sides, and
another layer from the click on its thumbnail until both heatmaps are repainted.
"""

import argparse
import statistics
import sys

from playwright.sync_api import Browser

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.explore import FLOOR, beside_explore, open_page, submit
from benchmarks.peers.run import sentences

LAYERS = """["left", "right"].every((side) => {
    const inside = [...document.querySelectorAll(`.st-key-layers_${side} *`)];
    const root = inside.find((element) => element.shadowRoot)?.shadowRoot;
    const chart = document.querySelector(`.st-key-layer_${side} .js-plotly-plot`);
    return root?.querySelector("canvas.grid")?.dataset.sentence === arg.sentence
        && chart?.querySelector(".heatmaplayer image")
        && chart.layout.title?.subtitle.text.startsWith(arg.sentence.slice(0, 40));
})"""

DIFFERENCE = """(() => {
    const chart = document.querySelector(".st-key-difference .js-plotly-plot");
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title?.subtitle.text.startsWith(arg.sentence.slice(0, 40));
})()"""

STREAM = """["left", "right"].every((side) => {
    const chart = document.querySelector(`.st-key-stream_${side} .js-plotly-plot`);
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title?.subtitle.text.startsWith(arg.sentence.slice(0, 40));
})"""

LAYER = """["left", "right"].every((side) => {
    const chart = document.querySelector(`.st-key-layer_${side} .js-plotly-plot`);
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title.text.includes(`L${arg.layer},`);
})"""

RIGHT = ".st-key-layer_right .heatmaplayer image"
LENGTHS = ".st-key-stream_right .heatmaplayer image"
MINUS = ".st-key-difference .heatmaplayer image"

PAINTED = {
    "layers": (RIGHT, LAYERS, {"kind": "mean"}),
    "rollout": (RIGHT, LAYERS, {"kind": "rollout"}),
    "values": (RIGHT, LAYERS, {"kind": "norm"}),
    "difference": (MINUS, DIFFERENCE, {"part": "difference", "against": "model", "kind": "mean"}),
    "stream": (LENGTHS, STREAM, {"part": "stream"}),
}


def another_layer(browser: Browser, base: str, repeat: int) -> dict[str, float]:
    """Times from a click on a thumbnail to both heatmaps, and of a bare rerun."""
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, f"{base}/layers")
    page.locator(".st-key-layer_right .heatmaplayer image").wait_for()
    grid = page.locator(".st-key-layers_right canvas.grid")
    samples: dict[str, list[float]] = {"floor": [], "layer": []}
    texts = sentences(16)
    for turn in range(repeat + 1):
        layer = (turn + 1) % 3
        box = grid.bounding_box()
        assert box is not None
        step = (box["width"] - 30) / 6
        x, y = box["x"] + 30 + (layer + 0.5) * step, box["y"] + 18 + step / 2

        def click(x: float = x, y: float = y) -> None:
            page.mouse.click(x, y)

        samples["layer"].append(time_until(page, click, LAYER, {"layer": layer}))
        samples["floor"].append(submit(floor, next(texts), FLOOR))
    floor.close()
    page.close()
    return {name: statistics.median(ms[1:]) for name, ms in samples.items()}


def main(repeat: int = 7, lengths: tuple[int, ...] = (16, 128, 256, 510)) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        print(
            "| tokens | bare rerun | Explore | mean | rollout | value-weighted | difference "
            "| residual stream |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for length in lengths:
            ms = beside_explore(browser, base, "layers", PAINTED, length, repeat)
            explore = ms["explore"]
            cells = (f"{ms[name]:.0f} ms ({ms[name] / explore:.2f}x)" for name in PAINTED)
            print(
                f"| {length} | {ms['floor']:.0f} ms | {explore:.0f} ms | {' | '.join(cells)} |",
                flush=True,
            )
        ms = another_layer(browser, base, repeat)
        print(
            f"\nAnother layer: {ms['layer']:.0f} ms ({ms['layer'] / ms['floor']:.1f}x of a bare "
            f"rerun of {ms['floor']:.0f} ms)"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 128, 256, 510])
    options = parser.parse_args()
    main(options.repeat, tuple(options.tokens))
