"""Times the product and its peers in a browser, from a new sentence to the repainted page.

    python -m benchmarks.peers.run --tokens 16 32 64 128 --repeat 3

Prints a Markdown table. The product shows the model on both sides, so one sentence repaints two
overviews. Each peer shows one.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Browser, TimeoutError

from benchmarks.browser import Server, chromium, free_port, time_until

HEADS = 12
LIMIT = 60.0
"""Seconds after which a sample counts as failed."""

FLOOR = "floor"

# Every word is a single WordPiece of BERT's uncased vocabulary. So a sentence of n words has n + 2
# tokens, including [CLS] and [SEP].
COMMON = (
    "the a old young river house garden window teacher child doctor road city winter "
    "summer morning night door water fire stone tree bird horse dog cat book letter "
    "song story music bread table chair ship train walks runs sees finds makes takes "
    "gives holds opens closes turns keeps and or but with under over near behind before "
    "after small large quiet bright dark green white cold warm slow quick never always"
)
WORDS = COMMON.split()

WARM_UP = "the old river behind the house"

# The peers draw in a frame of the page.
PAINTED = {
    FLOOR: """document.querySelector("[data-testid=stText]")?.textContent === arg.sentence""",
    # Heads are drawn in order, with one line for each weight: the last line is drawn last.
    "BertViz": """(() => {
        const view = document.querySelector("iframe")?.contentDocument;
        const id = `attn_background_${arg.layers - 1}_${arg.heads - 1}`;
        const last = view?.getElementById(id)?.parentNode;
        return view?.getElementById("sentence")?.textContent === arg.sentence
            && last?.querySelectorAll("line").length === arg.tokens ** 2;
    })()""",
    # One canvas for each head and one for the enlarged head, drawn in order: check the middle of
    # the last canvas.
    "CircuitsVis": """(() => {
        const view = document.querySelector("iframe")?.contentDocument;
        const canvases = view?.getElementsByTagName("canvas") ?? [];
        if (view?.getElementById("sentence")?.textContent !== arg.sentence) return false;
        if (canvases.length !== arg.layers * arg.heads + 1) return false;
        return [...canvases].slice(-2).every((canvas) => {
            const {width, height} = canvas;
            return canvas.getContext("2d").getImageData(width / 2, height / 2, 1, 1).data[3] > 0;
        });
    })()""",
}


@dataclass(frozen=True)
class System:
    """A page with one text box, and the condition under which it shows a sentence's attention."""

    name: str
    layers: int
    url: str
    painted: str


def peers(base: str) -> list[System]:
    """Return the peers and the empty page, for the model of 6 layers and that of 12."""
    return [
        System(name, layers, f"{base}/?view={name.lower()}&layers={layers}", painted)
        for layers in (6, 12)
        for name, painted in PAINTED.items()
    ]


def sentences(tokens: int) -> Iterator[str]:
    """Yield different sentences of ``n`` tokens, the same in every run."""
    draw = random.Random(tokens)
    while True:
        yield " ".join(draw.choices(WORDS, k=tokens - 2))


def sample(browser: Browser, system: System, tokens: int, sentence: str) -> float:
    """Return the milliseconds for a sentence after a short first one; infinity on a timeout."""
    page = browser.new_page(viewport={"width": 1280, "height": 960})
    page.set_default_timeout(LIMIT * 1000)
    page.goto(system.url)
    box = page.get_by_role("textbox").first

    def submit(tokens: int, sentence: str) -> float:
        box.fill(sentence)
        arg = {"sentence": sentence, "tokens": tokens, "layers": system.layers, "heads": HEADS}
        return time_until(page, lambda: box.press("Enter"), system.painted, arg, LIMIT)

    submit(len(WARM_UP.split()) + 2, WARM_UP)  # a page that cannot draw this is an error
    try:
        return submit(tokens, sentence)
    except TimeoutError:
        return math.inf


def measure(
    systems: Sequence[System], tokens: Sequence[int], repeat: int
) -> dict[tuple[int, int, str], float]:
    """Return the median milliseconds by (layers, tokens, name), measured by turns."""
    samples: dict[tuple[int, int, str], list[float]] = defaultdict(list)
    texts = {length: sentences(length) for length in tokens}
    for _, length, system in itertools.product(range(repeat), tokens, systems):
        # A new browser, so that a page that is still busy does not slow the next system.
        with chromium() as browser:
            elapsed = sample(browser, system, length, next(texts[length]))
        samples[system.layers, length, system.name].append(elapsed)
        print(
            f"{system.layers}x{HEADS} {length:4} {system.name:12} {elapsed:9.0f} ms",
            file=sys.stderr,
        )
    return {key: statistics.median(values) for key, values in samples.items()}


def table(medians: dict[tuple[int, int, str], float]) -> str:
    """Return the medians as a Markdown table, each with its ratio to the floor; inf: a timeout."""
    names = list(dict.fromkeys(name for _, _, name in medians))
    lines = [
        "| heads | tokens | " + " | ".join(names) + " |",
        "|---|---:|" + "---:|" * len(names),
    ]
    for layers, tokens in sorted({key[:2] for key in medians}):
        row = [medians.get((layers, tokens, name), math.nan) for name in names]
        floor = row[names.index(FLOOR)]
        cells = [f"{ms / 1000:.2f} s ({ms / floor:.0f}x)" for ms in row]
        lines.append(f"| {layers}x{HEADS} | {tokens} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] = ()) -> None:
    """Start both servers, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 32, 64, 128])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args(arguments)
    from benchmarks.explore import OVERVIEWS, random_bert_base

    ours, theirs = free_port(), free_port()
    base, peer_base = f"http://127.0.0.1:{ours}", f"http://127.0.0.1:{theirs}"
    command = [sys.executable, "-m"]
    with (
        TemporaryDirectory() as folder,
        Server([*command, "benchmarks.serve", str(ours)], f"{base}/api/ready"),
        Server([*command, "benchmarks.peers.serve", str(theirs)], f"{peer_base}/_stcore/health"),
    ):
        product = [
            System("Headlight", layers, f"{base}/?{urlencode({'left': m, 'right': m})}", OVERVIEWS)
            for layers, m in ((6, "minilm"), (12, random_bert_base(Path(folder)).name))
        ]
        systems = [*peers(peer_base), *product]
        print(table(measure(systems, options.tokens, options.repeat)))


if __name__ == "__main__":
    main(sys.argv[1:])
