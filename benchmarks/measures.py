"""Times of the Layers page's numbers: statistics, rollout, flow, and distances of heads.

Run ``python -m benchmarks.measures``. Measures CPU time of all threads of the process, which
excludes other work of the machine, without the model's forward pass. Prints medians of repeated
runs.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.capture import random_bert_base
from model import AttentionCapture, LoadedModel, load_model
from model.analysis.depth import MAX_FLOW_TOKENS, flow, rollout, value_norms
from model.analysis.distances import jensen_shannon
from model.analysis.measures import profile
from web.server import warmup

LENGTHS = (16, 128)
MEMORY_LENGTHS = (128, 256, 512)
SENTENCE = "the animal did not cross the street because it was too tired , "
"""Each word is one token. Real attention is uneven, and the time of flow depends on that."""


def measure(run: Callable[[], object], seconds: float) -> float:
    """Median milliseconds of at least 3 runs."""
    run()
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < 3:
        start = time.process_time()
        run()
        samples.append(1000 * (time.process_time() - start))
    return median(samples)


def captured(model: LoadedModel, n_tokens: int) -> AttentionCapture:
    n_words = n_tokens - model.tokenizer.num_special_tokens_to_add(False)
    words = (SENTENCE * n_tokens).split()[:n_words]
    capture = model.attend(" ".join(words))
    assert len(capture.tokens) == n_tokens
    return capture


def statistics(model: LoadedModel, n_tokens: int) -> dict[str, Callable[[], object]]:
    """Measures that have no length limit."""
    capture = captured(model, n_tokens)
    output_weights = model.output_weights()
    heads = capture.weights.reshape(-1, n_tokens, n_tokens)  # (L, H, T, T) -> (L * H, T, T)
    return {
        "profile: every measure of every head": lambda: profile(capture),
        "rollout": lambda: rollout(capture.weights),
        "value norms": lambda: value_norms(capture, output_weights),
        "Jensen-Shannon, two layers' heads": lambda: jensen_shannon(*capture.weights[:2]),
        "Jensen-Shannon, all heads from all": lambda: jensen_shannon(heads, heads),
    }


def flows(model: LoadedModel) -> dict[str, Callable[[], object]]:
    """Flow at its limit, from one layer and from every layer."""
    weights = captured(model, MAX_FLOW_TOKENS).weights
    return {
        "flow from the last layer": lambda: flow(weights, len(weights) - 1),
        "flow from every layer": lambda: [flow(weights, layer) for layer in range(len(weights))],
    }


def main(seconds: float = 1.0) -> None:
    """Print two Markdown tables: times, and the memory of a capture."""
    warmup.use_one_thread()
    print("| what | tokens | 6 x 12, ms | 12 x 12, ms |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        models = load_model("minilm"), random_bert_base(Path(folder))
        cases = [(n_tokens, [statistics(m, n_tokens) for m in models]) for n_tokens in LENGTHS]
        cases.append((MAX_FLOW_TOKENS, [flows(model) for model in models]))
        for n_tokens, (small, large) in cases:
            for name in small:
                times = [measure(runs[name], seconds) for runs in (small, large)]
                print(f"| {name} | {n_tokens} | {times[0]:.2f} | {times[1]:.2f} |", flush=True)
        print("\n| in memory | tokens | 6 x 12, MB | 12 x 12, MB |\n|---|---|---|---|")
        for n_tokens in MEMORY_LENGTHS:
            held = [captured(model, n_tokens).nbytes / 1e6 for model in models]
            print(f"| a capture | {n_tokens} | {held[0]:.1f} | {held[1]:.1f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="per cell of the table")
    main(parser.parse_args().seconds)
