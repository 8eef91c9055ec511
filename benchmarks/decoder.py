"""Times the Decoder page in a browser, from a click or key until everything is repainted.

    python -m benchmarks.decoder

Translate: a step, a new text, another head. Masks: another mask, and an edited cell, until the head
under the mask and the counts below it are painted. Alternates with reruns of an empty page on the
same server.
"""

import argparse
import statistics
import sys
from itertools import product

from playwright.sync_api import Browser, Locator, Page

from benchmarks.browser import Server, chromium, free_port, time_until
from benchmarks.explore import FLOOR, VIEWPORT, open_page, submit
from benchmarks.peers.run import sentences

HEAD = """(() => {
    const chart = document.querySelector(".st-key-after .js-plotly-plot");
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title.text.includes(`, ${arg.mask}`)
        && document.querySelector(".st-key-mask_counts")?.textContent.includes(arg.count);
})()"""

_WRITING = """[...document.querySelectorAll(".st-key-decoding *")]
    .find((element) => element.shadowRoot)?.shadowRoot"""

STEP = f"({_WRITING})?.querySelector('output').textContent !== arg.before"

WRITTEN = f"({_WRITING})?.querySelector('svg').ariaLabel !== arg.before"

_CHART = """document.querySelector(".st-key-stack_heatmap .js-plotly-plot")"""

TRANSLATED = f"""{WRITTEN} && {_CHART}?.querySelector(".heatmaplayer image")
    && {_CHART}.layout.title.subtitle.text.endsWith(arg.sentence)"""

ANOTHER_HEAD = f"""{_CHART}?.querySelector(".heatmaplayer image")
    && {_CHART}.layout.title.text.includes(arg.head)"""

NOUNS = ("flower", "house", "cat", "dog", "apple", "horse", "table")
ADJECTIVES = ("red", "white", "small", "black")

TEXTS = {
    "phrases": [
        f"the {adjective} {noun} is not blue" for noun, adjective in product(NOUNS, ADJECTIVES)
    ],
    "dates": [f"{month} {day}, 2019" for month, day in product(("May", "June"), range(4, 28))],
}

VIEWS = ("weight", "layers", "reach", "cost", "forms")


def translated(browser: Browser, base: str, model: str, repeat: int) -> dict[str, float]:
    """Times of a step, of a new text until translation and heatmap, of another head, and a rerun.

    Raises:
        RuntimeError: If a step sent a request.
    """
    floor, page = open_page(browser, f"{base}/floor"), browser.new_page(viewport=VIEWPORT)
    sent: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda frame: sent.append(len(frame))),
    )
    page.goto(f"{base}/decoder?model={model}&text={TEXTS[model][-1]}&layer=1&head=0")
    page.locator(".st-key-stack_heatmap .heatmaplayer image").first.wait_for()
    _rest(page)
    samples: dict[str, list[float]] = {}

    def note(name: str, ms: float) -> None:
        samples.setdefault(name, []).append(ms)
        _rest(page)

    texts, bare = iter(TEXTS[model]), sentences(16)
    for turn in range(repeat + 2):
        note("floor", submit(floor, next(bare), FLOOR))
        n_sent = len(sent)
        before = {"before": page.locator(".decoding output").text_content()}
        note("step", _press(page, page.get_by_role("slider"), "ArrowLeft", STEP, before))
        if len(sent) != n_sent:
            raise RuntimeError("a step sent a request to the server")
        note("writing", _type(page, next(texts), WRITTEN))
        note("text", _type(page, next(texts), TRANSLATED))
        key, head = (("ArrowRight", "L1·H1"), ("ArrowLeft", "L1·H0"))[turn % 2]
        grid = page.locator(".st-key-stack_heads canvas.grid")
        note("head", _press(page, grid, key, ANOTHER_HEAD, {"head": head}))
    floor.close()
    page.close()
    return {name: statistics.median(ms[2:]) for name, ms in samples.items()}


def _type(page: Page, text: str, painted: str) -> float:
    before = page.locator(".decoding svg").get_attribute("aria-label")
    box = page.get_by_role("textbox").first
    box.fill(text)
    return time_until(
        page, lambda: box.press("Enter"), painted, {"sentence": text, "before": before}
    )


def _press(page: Page, where: Locator, key: str, painted: str, arg: dict[str, str | None]) -> float:
    where.focus()
    return time_until(page, lambda: page.keyboard.press(key), painted, arg)


def masked(browser: Browser, base: str, view: str, repeat: int) -> dict[str, float]:
    """Times of another mask and of an edited cell, with one of the lower views, and a rerun."""
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
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(f"{base}/decoder?part=masks&mask=none&below={view}")
    page.locator(".st-key-after .heatmaplayer image").first.wait_for()
    _rest(page)
    return page


def _hide_a_cell(page: Page) -> None:
    """Hide the first cell, [CLS] to itself, with the keyboard."""
    page.keyboard.press("Enter")


def _rest(page: Page) -> None:
    page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")


def main(repeat: int = 7) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        print("| Translate | bare rerun | a step | a new text: its writing | all of it | a head |")
        print("|---|---:|---:|---:|---:|---:|")
        for model in TEXTS:
            _print(model, translated(browser, base, model, repeat))
        print("\n| Masks, below | bare rerun | another mask | a cell drawn |\n|---|---:|---:|---:|")
        for view in VIEWS:
            _print(view, masked(browser, base, view, repeat))


def _print(name: str, ms: dict[str, float]) -> None:
    floor = ms.pop("floor")
    cells = (f"{value:.0f} ms ({value / floor:.1f}x)" for value in ms.values())
    print(f"| {name} | {floor:.0f} ms | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    main(parser.parse_args().repeat)
