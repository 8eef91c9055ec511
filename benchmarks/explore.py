"""Times Explore in a browser, by turns with a bare rerun of an empty page of the same server.

    python -m benchmarks.explore

Prints Markdown tables: a new sentence and a clicked head.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import torch
from playwright.sync_api import Browser, Page
from transformers import BertConfig, BertModel

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.peers.run import sentences
from model import LoadedModel, load_model
from model.catalogue.pretrained.hub import embedded_folder

VIEWPORT = {"width": 1440, "height": 900}

FLOOR = """document.querySelector("[data-testid=stText]")?.textContent === arg.sentence"""

OVERVIEWS = """[...document.querySelectorAll(".headlight-view canvas.grid")]
    .filter(({ dataset }) => dataset.sentence === arg.sentence).length === 2"""

HEATMAPS = """[...document.querySelectorAll(".headlight-view .map")]
    .filter(({ dataset }) => dataset.sentence === arg.sentence).length === 2"""

SELECTED = """[...document.querySelectorAll(".headlight-view .map")]
    .filter(({ dataset }) => dataset.head === arg.head).length === 2"""


def open_page(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(url)
    page.get_by_role("textbox").first.wait_for()
    return page


def open_explore(browser: Browser, base: str, model: str = "minilm") -> Page:
    page = open_page(browser, f"{base}/?{urlencode({'left': model, 'right': model, 'linked': 1})}")
    page.locator("[data-side=right] .heatmaplayer image").wait_for(timeout=60_000)
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
    """Times until both sides are repainted after a new sentence, by turns with bare reruns."""
    floor, page = open_page(browser, f"{base}/floor"), open_explore(browser, base, model)
    for length in lengths:
        texts = sentences(length)
        samples: dict[str, list[float]] = {"floor": [], "overviews": [], "everything": []}
        for _ in range(repeat + 1):
            samples["floor"].append(submit(floor, next(texts), FLOOR))
            samples["overviews"].append(submit(page, next(texts), OVERVIEWS))
            samples["everything"].append(submit(page, next(texts), f"{OVERVIEWS} && {HEATMAPS}"))
        # The first sample includes compilation in the browser.
        yield length, {name: statistics.median(ms[1:] or ms) for name, ms in samples.items()}
    floor.close()
    page.close()


def selected_head(browser: Browser, base: str, repeat: int) -> dict[str, float]:
    """Times from a click on a head to both heatmaps; and a bare rerun."""
    floor, page = open_page(browser, f"{base}/floor"), open_explore(browser, base)
    grid = page.locator("[data-side=right] canvas.grid")
    samples: dict[str, list[float]] = {"floor": [], "heatmaps": []}
    texts = sentences(16)
    for turn in range(repeat + 1):
        page.mouse.move(700, 10)
        layer, head = turn % 6, (5 * turn + 2) % 12
        box = grid.bounding_box()
        assert box is not None
        # Margins as in capture_view/fold.js; cells need not be square.
        wide, high = (box["width"] - 30) / 12, (box["height"] - 18) / 6
        x, y = box["x"] + 30 + (head + 0.5) * wide, box["y"] + 18 + (layer + 0.5) * high
        arg = {"head": f"L{layer}·H{head}"}
        click = lambda x=x, y=y: page.mouse.click(x, y)  # noqa: E731
        samples["heatmaps"].append(time_until(page, click, SELECTED, arg))
        samples["floor"].append(submit(floor, next(texts), FLOOR))
    floor.close()
    page.close()
    return {name: statistics.median(ms[1:] or ms) for name, ms in samples.items()}


def main(arguments: Sequence[str] = ()) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 32, 64, 128, 256, 510])
    parser.add_argument("--smoke", action="store_true", help="one sentence and one head")
    options = parser.parse_args(arguments)
    repeat, tokens = (0, [16]) if options.smoke else (options.repeat, options.tokens)
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with (
        TemporaryDirectory() as folder,
        Server(argv, f"{base}/api/ready"),
        chromium() as browser,
    ):
        print("| both sides | tokens | bare rerun | overviews | and heatmaps |")
        print("|---|---:|---:|---:|---:|")
        models = {"6x12": "minilm"}
        if not options.smoke:
            models["12x12"] = random_bert_base(Path(folder)).name
        for shown, name in models.items():
            for length, ms in new_sentence(browser, base, name, tokens, repeat):
                print(f"| {shown} | {length} | {_cells(ms)} |", flush=True)
        print("\n| bare rerun | click to both heatmaps |\n|---:|---:|")
        print(f"| {_cells(selected_head(browser, base, repeat))} |", flush=True)


def _cells(ms: dict[str, float]) -> str:
    """Milliseconds, and their ratio to the bare rerun."""
    floor = ms["floor"]
    others = (f"{v:.0f} ms ({v / floor:.2f}x)" for name, v in ms.items() if name != "floor")
    return " | ".join((f"{floor:.0f} ms", *others))


if __name__ == "__main__":
    main(sys.argv[1:])
