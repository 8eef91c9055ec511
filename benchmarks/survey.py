"""Times a survey of 1,000 sentences, alternating with its forward passes alone.

    python -m benchmarks.survey

Both run batches of the same sentences. The survey also captures every head and computes all
measures.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import islice

import torch

from benchmarks.peers.run import sentences
from model import LoadedModel, load_model
from model.analysis.survey import survey
from model.catalogue.loaded_model import same_lengths

TOKENS = 20


def forward_passes(model: LoadedModel, texts: list[str], batch_size: int) -> None:
    """Tokenise and run the model on every text, without a capture."""
    tokens = [model.tokenize(text) for text in texts]
    with torch.inference_mode():
        for batch in same_lengths(tokens, batch_size):
            ids, segments = (
                torch.tensor([getattr(tokens[i], name) for i in batch])
                for name in ("ids", "segment_ids")
            )
            model.encode(ids, segments)


def seconds(run: Callable[[], object]) -> float:
    """Time one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main(name: str = "minilm", count: int = 1_000, batch_size: int = 8, repeat: int = 3) -> None:
    """Print the table."""
    model, texts = load_model(name), list(islice(sentences(TOKENS), count))
    alone, surveyed = [], []
    for _ in range(repeat):
        alone.append(seconds(lambda: forward_passes(model, texts, batch_size)))
        surveyed.append(seconds(lambda: survey(model, texts, batch_size=batch_size)))
    passes, table = statistics.median(alone), statistics.median(surveyed)
    print("| model | sentences | forward passes | survey | ratio |\n|---|---:|---:|---:|---:|")
    print(f"| {name} | {count:,} | {passes:.1f} s | {table:.1f} s | {table / passes:.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.survey")
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--batch-size", type=int, default=8)
    options = parser.parse_args()
    main(options.model, options.count, options.batch_size)
