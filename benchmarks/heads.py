"""Times the Heads page: its statistics on one core, and its parts in a browser.

    python -m benchmarks.heads

Statistics: CPU time of all threads of the process without the model's forward pass; the median of
repeated runs. Pages: from a new sentence until everything is repainted, with the same model on both
sides, alternating with the Explore page and a bare rerun.
``python -m model.analysis.survey`` prints the time for a treebank.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.browser import Server, chromium, free_port
from benchmarks.capture import random_bert_base
from benchmarks.explore import beside_explore
from benchmarks.measures import captured, measure
from model import LoadedModel, load_model
from model.analysis.distances import query_stride, shared_heads
from model.analysis.headmap import head_map
from model.analysis.induction import attend_to_repeated
from model.analysis.intervention import Intervention, intervene, next_token_changes, next_tokens
from model.analysis.labels import labels
from model.analysis.measures import profile
from model.catalogue.models import load_causal
from pages.heads.map import MAX_COMPARED
from web.server import warmup

PANEL = """(() => {
    const chart = document.querySelector(".st-key-panel .js-plotly-plot");
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title?.subtitle?.text.startsWith(arg.sentence.slice(0, 40));
})()"""

MAP = """(() => {
    const chart = document.querySelector(".st-key-map .js-plotly-plot");
    return chart?.querySelectorAll(".scatterlayer .point").length > 100
        && chart.layout.title?.text.includes(arg.sentence.slice(0, 40));
})()"""

MOVED = """(() => {
    const chart = document.querySelector(".st-key-head_difference .js-plotly-plot");
    return chart?.querySelector(".heatmaplayer image")
        && chart.layout.title?.subtitle?.text.startsWith(arg.sentence.slice(0, 40));
})()"""

CHART = ".js-plotly-plot"

PARTS = {
    "what heads do": (CHART, PANEL, {"part": "labels"}),
    "map": (CHART, f"{PANEL} && {MAP}", {"part": "map"}),
    "grammar": (CHART, PANEL, {"part": "corpus"}),
    "a head off": (CHART, MOVED, {"part": "change", "off": "3-1", "layer": "5", "head": "11"}),
}


def on_one_core(model: LoadedModel, n_tokens: int) -> dict[str, Callable[[], object]]:
    """The page's computations for a sentence."""
    capture = captured(model, n_tokens)
    n_heads = capture.n_layers * capture.n_heads
    every = query_stride(n_heads**2, n_tokens, 2 * MAX_COMPARED)

    def whole() -> object:
        heads = shared_heads(capture.weights, range(n_tokens), every)
        return labels(profile(capture)), head_map(heads)

    off = Intervention(frozenset({(1, 2)}))
    return {
        "profile and labels": lambda: labels(profile(capture)),
        f"profile, labels and map (every {every}. row)": whole,
        "two forward passes, a head off in one": lambda: (
            intervene(model, capture.text),
            intervene(model, capture.text, change=off),
        ),
    }


def print_statistics(seconds: float) -> None:
    """Print the times of the statistics."""
    warmup.use_one_thread()
    print("| what | tokens | 6 x 12, ms | 12 x 12, ms |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        models = load_model("minilm"), random_bert_base(Path(folder))
        for n_tokens in (16, 128):
            small, large = (on_one_core(model, n_tokens) for model in models)
            for (name, first), (larger, second) in zip(small.items(), large.items(), strict=True):
                times = measure(first, seconds), measure(second, seconds)
                both = name if name == larger else f"{name}; {larger}"
                print(f"| {both} | {n_tokens} | {times[0]:.1f} | {times[1]:.1f} |", flush=True)


def print_decoder_times(seconds: float) -> None:
    """Print the times of computations for smollm2 only: once per model, and for each sentence."""
    model = load_causal("smollm2")
    print("\n| of smollm2 | tokens | ms |\n|---|---|---|")
    once = measure(lambda: profile(attend_to_repeated(model)), seconds)
    print(f"| once: random tokens, and what heads do on them | 101 | {once:.0f} |", flush=True)
    off = Intervention(frozenset({(1, 3)}))
    for n_tokens in (16, 128):
        text = captured(model, n_tokens).text
        runs = [intervene(model, text, change=each).hidden for each in (Intervention(), off)]
        parts = {
            **on_one_core(model, n_tokens),
            "what comes next, with a head off and without": lambda runs=runs: [
                next_tokens(model, run[-1:]) for run in runs
            ],
            "change of the prediction after each token": lambda runs=runs: next_token_changes(
                model, *runs
            ),
        }
        for name, part in parts.items():
            print(f"| {name} | {n_tokens} | {measure(part, seconds):.1f} |", flush=True)


def print_browser_times(repeat: int, lengths: tuple[int, ...]) -> None:
    """Print the times until the parts are painted."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with Server(argv, f"{base}/api/ready"), chromium() as browser:
        print(f"\n| tokens | bare rerun | Explore | {' | '.join(PARTS)} |")
        print(f"|---|---:|---:|{'---:|' * len(PARTS)}")
        for length in lengths:
            ms = beside_explore(browser, base, "heads", PARTS, length, repeat)
            explore = ms["explore"]
            cells = (f"{ms[name]:.0f} ms ({ms[name] / explore:.2f}x)" for name in PARTS)
            print(
                f"| {length} | {ms['floor']:.0f} ms | {explore:.0f} ms | {' | '.join(cells)} |",
                flush=True,
            )


def main(seconds: float = 1.0, repeat: int = 7, lengths: tuple[int, ...] = (16, 128)) -> None:
    """Print the tables."""
    print_statistics(seconds)
    print_decoder_times(seconds)
    print_browser_times(repeat, lengths)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="per cell of the first table")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 128])
    options = parser.parse_args()
    main(options.seconds, options.repeat, tuple(options.tokens))
