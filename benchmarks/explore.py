"""Times the Explore page in a browser, each figure compared with a bare rerun of the same server.

    python -m benchmarks.explore

Prints Markdown tables: a new sentence, a selected head, first visits, and the server's memory while
hundreds of sentences are typed.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import psutil
import torch
from playwright.sync_api import Browser, Page
from transformers import BertConfig, BertModel

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.peers.run import sentences
from model import LoadedModel, load_model
from model.catalogue.names import checkpoint_names
from model.catalogue.pretrained.hub import embedded_folder

VIEWPORT = {"width": 1440, "height": 900}

# Canvas components are in shadow roots.
GRID = """(side) => {
    const inside = [...document.querySelectorAll(`.st-key-overview_${side} *`)];
    return inside.find((element) => element.shadowRoot)?.shadowRoot;
}"""

FLOOR = """document.querySelector("[data-testid=stText]")?.textContent === arg.sentence"""

OVERVIEWS = f"""["left", "right"].every((side) =>
    ({GRID})(side)?.querySelector("canvas.grid")?.dataset.sentence === arg.sentence)"""

HEATMAPS = """["left", "right"].every((side) => {
    const chart = document.querySelector(`.st-key-heatmap_${side} .js-plotly-plot`);
    const painted = chart?.querySelector(".heatmaplayer image");
    return painted && chart.layout.title?.subtitle.text.startsWith(arg.sentence.slice(0, 40));
})"""

LENS = f"""(() => {{
    const lens = ({GRID})("right")?.querySelector(".lens");
    return lens?.matches(":popover-open")
        && lens.querySelector(".title").textContent.endsWith(arg.head);
}})()"""

SELECTED = """["left", "right"].every((side) => {
    const chart = document.querySelector(`.st-key-heatmap_${side} .js-plotly-plot`);
    const painted = chart?.querySelector(".heatmaplayer image");
    return painted && chart.layout.title.text.includes(arg.head);
})"""


EXACT = f"""{SELECTED} && ["left", "right"].every((side) =>
    document.querySelector(`.st-key-heatmap_${{side}} [role=figure]`).ariaBusy === "false")"""

STEPPED = f"""(() => {{
    const chart = document.querySelector(".st-key-heatmap_left .js-plotly-plot");
    const painted = chart?.querySelector(".heatmaplayer image");
    return ({GRID})("left")?.querySelector("canvas.grid")?.dataset.model === arg.model
        && painted && chart.layout.title.text.includes(arg.model + " ·");
}})()"""

NAMES = checkpoint_names()


def open_page(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(url)
    page.get_by_role("textbox").first.wait_for()
    return page


def submit(page: Page, sentence: str, painted: str) -> float:
    box = page.get_by_role("textbox").first
    box.fill(sentence)
    return time_until(page, lambda: box.press("Enter"), painted, {"sentence": sentence})


def random_bert_base(folder: Path) -> LoadedModel:
    """A model of BERT-base's size with random weights and MiniLM's tokenizer, for timings only."""
    torch.manual_seed(0)
    BertModel(BertConfig()).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((embedded_folder() / name).read_bytes())
    return load_model(str(folder))


def new_sentence(
    browser: Browser, base: str, model: str, lengths: list[int], repeat: int
) -> Iterator[tuple[int, dict[str, float]]]:
    """Times until both sides are repainted after a new sentence, alternating with bare reruns."""
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, f"{base}/?{urlencode({'left': model, 'right': model})}")
    page.locator(".st-key-heatmap_right .heatmaplayer image").wait_for()
    for length in lengths:
        texts = sentences(length)
        samples: dict[str, list[float]] = {"floor": [], "overviews": [], "everything": []}
        for _ in range(repeat + 1):
            samples["floor"].append(submit(floor, next(texts), FLOOR))
            samples["overviews"].append(submit(page, next(texts), OVERVIEWS))
            everything = f"{OVERVIEWS} && {HEATMAPS}"
            samples["everything"].append(submit(page, next(texts), everything))
        # The first sample includes compilation in the browser.
        yield length, {name: statistics.median(ms[1:]) for name, ms in samples.items()}
    floor.close()
    page.close()


def selected_head(browser: Browser, base: str, repeat: int) -> dict[str, float]:
    """Times from a click on a head to lens, heatmaps and exact heatmaps; and a bare rerun."""
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, base)
    page.locator(".st-key-heatmap_right .heatmaplayer image").wait_for()
    grid = page.locator(".st-key-overview_right canvas.grid")
    samples: dict[str, list[float]] = {"floor": [], "lens": [], "heatmaps": [], "exact": []}
    texts = sentences(16)
    aims = {"lens": LENS, "heatmaps": SELECTED, "exact": EXACT}
    for turn in range(3 * (repeat + 1)):
        page.mouse.move(700, 10)
        layer, head = turn % 6, (5 * turn + 2) % 12
        box = grid.bounding_box()
        assert box is not None
        step = (box["width"] - 30) / 12
        x, y = box["x"] + 30 + (head + 0.5) * step, box["y"] + 18 + (layer + 0.5) * step
        name = list(aims)[turn % 3]

        def click(x: float = x, y: float = y) -> None:
            page.mouse.click(x, y)

        ms = time_until(page, click, aims[name], {"head": f"L{layer}·H{head}"})
        samples[name].append(ms)
        page.wait_for_function(f"(arg) => {EXACT}", arg={"head": f"L{layer}·H{head}"})
        samples["floor"].append(submit(floor, next(texts), FLOOR))
    floor.close()
    page.close()
    return {name: statistics.median(ms[1:]) for name, ms in samples.items()}


def training_step(browser: Browser, base: str, repeat: int) -> dict[str, float]:
    """Times from another checkpoint to its overview and its heatmap; and a bare rerun."""
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, base)
    page.locator(".st-key-heatmap_right .heatmaplayer image").wait_for()
    page.get_by_role("button", name="Watch it learn").click()
    stops = page.locator(".st-key-training_left rect.stop")
    stops.first.wait_for()
    last = len(NAMES) - 1
    samples: dict[str, list[float]] = {"floor": [], "step": []}
    texts = sentences(16)
    for turn in range(last + repeat):  # all checkpoints once, then cached ones
        index = (last - 1 - turn) % len(NAMES)

        def click(index: int = index) -> None:
            stops.nth(index).click()

        samples["step"].append(time_until(page, click, STEPPED, {"model": NAMES[index]}))
        samples["floor"].append(submit(floor, next(texts), FLOOR))
    floor.close()
    page.close()
    return {name: statistics.median(ms[last:]) for name, ms in samples.items()}


def memory(browser: Browser, server: Server, base: str, count: int) -> list[tuple[int, float]]:
    """Resident megabytes of the server after several numbers of 128-token sentences."""
    page = open_page(browser, base)
    page.locator(".st-key-heatmap_right .heatmaplayer image").wait_for()
    process = psutil.Process(server.process.pid)
    texts = sentences(128)
    readings = [(0, process.memory_info().rss / 1e6)]
    for typed in range(1, count + 1):
        submit(page, next(texts), OVERVIEWS)
        if typed % max(count // 10, 1) == 0:
            readings.append((typed, process.memory_info().rss / 1e6))
    page.close()
    return readings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 32, 64, 128, 256, 510])
    parser.add_argument("--sentences", type=int, default=500, help="typed for the memory figure")
    parser.add_argument(
        "--only", nargs="+", default=["sentence", "head", "step", "memory"], metavar="PART"
    )
    options = parser.parse_args()
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with (
        TemporaryDirectory() as folder,
        Server(argv, f"{base}/api/ready") as server,
        chromium() as browser,
    ):
        if "sentence" in options.only:
            print("| both sides | tokens | bare rerun | overviews | and heatmaps |")
            print("|---|---:|---:|---:|---:|")
            for name in ("minilm", random_bert_base(Path(folder)).name):
                shown = "6x12" if name == "minilm" else "12x12"
                lengths, repeat = options.tokens, options.repeat
                for length, ms in new_sentence(browser, base, name, lengths, repeat):
                    print(f"| {shown} | {length} | {_cells(ms)} |", flush=True)
        if "head" in options.only:
            print("\n| bare rerun | click to lens | click to both heatmaps | and exact |")
            print("|---:|---:|---:|---:|")
            print(f"| {_cells(selected_head(browser, base, options.repeat))} |", flush=True)
        if "step" in options.only:
            print("\n| bare rerun | training step to overview and heatmap |\n|---:|---:|")
            print(f"| {_cells(training_step(browser, base, options.repeat))} |", flush=True)
        if "memory" in options.only:
            print("\n| sentences typed | resident MB |\n|---:|---:|")
            for typed, megabytes in memory(browser, server, base, options.sentences):
                print(f"| {typed} | {megabytes:.0f} |", flush=True)


def _cells(ms: dict[str, float]) -> str:
    """Milliseconds, and their ratio to the bare rerun."""
    floor = ms["floor"]
    others = (
        f"{value:.0f} ms ({value / floor:.2f}x)" for name, value in ms.items() if name != "floor"
    )
    return " | ".join((f"{floor:.0f} ms", *others))


if __name__ == "__main__":
    main()
