"""Times the Model page in a browser, alternating with a bare rerun.

    python -m benchmarks.model

Measures a new sentence until the picture of the whole model is repainted, and each zoom from the
click until the picture is painted.
"""

import argparse
import statistics
import sys
from urllib.parse import urlencode

from playwright.sync_api import Browser

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.explore import FLOOR, by_turns, open_page, submit
from benchmarks.peers.run import sentences

ROOT = """[...document.querySelectorAll(".st-key-picture *")]
    .find((element) => element.shadowRoot)?.shadowRoot"""

PICTURE = f"""(() => {{
    const link = {ROOT}?.querySelector('li.token a');
    return link && new URL(link.href).searchParams.get("text") === arg.sentence;
}})()"""

ZOOMED = f"""Boolean({ROOT}?.querySelector(`[data-zoom="${{arg.zoom}}"]`))"""

STEPS = {"layer": "li.layer > .face", "head": "li.head > .face", "score": "li.key > .face"}
"""The box to select for each zoom, from the picture before it."""


def zooms(browser: Browser, base: str, model: str, repeat: int) -> dict[str, float]:
    """Median milliseconds of a bare rerun and of each zoom."""
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, f"{base}/model?{urlencode({'left': model})}")
    picture, texts = page.locator(".st-key-picture"), sentences(16)
    samples: dict[str, list[float]] = {"floor": [], **{zoom: [] for zoom in STEPS}}
    for turn in range(repeat + 1):
        samples["floor"].append(submit(floor, next(texts), FLOOR))
        for zoom, box in STEPS.items():
            boxes = picture.locator(box)
            boxes.first.wait_for()
            chosen = boxes.nth(turn % min(boxes.count(), 6))
            click = lambda chosen=chosen: chosen.click(position={"x": 6, "y": 6})  # noqa: E731
            samples[zoom].append(time_until(page, click, ZOOMED, {"zoom": zoom}))
        picture.locator("li.crumb a").first.click()
        picture.locator('[data-zoom="whole"]').wait_for(state="attached")
    floor.close()
    page.close()
    # The first sample includes compilation in the browser.
    return {name: statistics.median(ms[1:]) for name, ms in samples.items()}


def main(
    repeat: int = 7,
    lengths: tuple[int, ...] = (16, 64),
    models: tuple[str, ...] = ("minilm", "smollm2"),
) -> None:
    """Print the table."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        print("| model | what | bare rerun | ms | ratio |\n|---|---|---:|---:|---:|")
        for model in models:
            for length in lengths:
                page = open_page(browser, f"{base}/model?{urlencode({'left': model})}")
                page.locator(".st-key-picture li.token").first.wait_for()
                pages = {
                    "floor": (open_page(browser, f"{base}/floor"), FLOOR),
                    "picture": (page, PICTURE),
                }
                _row(
                    model,
                    f"sentence of {length} tokens",
                    "picture",
                    by_turns(pages, length, repeat),
                )
            for zoom, ms in (found := zooms(browser, base, model, repeat)).items():
                if zoom != "floor":
                    _row(model, f"zoom to a {zoom}", zoom, found | {zoom: ms})


def _row(model: str, what: str, name: str, ms: dict[str, float]) -> None:
    floor = ms["floor"]
    print(
        f"| {model} | {what} | {floor:.0f} | {ms[name]:.0f} | {ms[name] / floor:.1f} |", flush=True
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 64])
    options = parser.parse_args()
    main(options.repeat, tuple(options.tokens))
