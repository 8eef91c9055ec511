"""Times a survey by turns with its forward passes alone, which capture nothing.

python -m benchmarks.survey
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice

import torch

from benchmarks.peers.run import sentences
from model import LoadedModel, load_model
from model.analysis.survey import survey
from model.catalogue.loaded_model import same_lengths

TOKENS = 20
BATCH = 8


def forward_passes(model: LoadedModel, texts: list[str]) -> None:
    """Tokenise and run the model on every text, without a capture."""
    tokens = [model.tokenize(text) for text in texts]
    with torch.inference_mode():
        for batch in same_lengths(tokens, BATCH):
            ids, segments = (
                torch.tensor([getattr(tokens[i], name) for i in batch])
                for name in ("ids", "segment_ids")
            )
            model.encode(ids, segments)


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.survey")
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--smoke", action="store_true", help="ten sentences, once")
    options = parser.parse_args(arguments)
    count, repeat = (10, 1) if options.smoke else (options.count, 3)
    model, texts = load_model(options.model), list(islice(sentences(TOKENS), count))
    alone, surveyed = [], []
    for _ in range(repeat):
        alone.append(seconds(lambda: forward_passes(model, texts)))
        surveyed.append(seconds(lambda: survey(model, texts, batch_size=BATCH)))
    passes, table = statistics.median(alone), statistics.median(surveyed)
    print("| model | sentences | forward passes | survey | ratio |\n|---|---:|---:|---:|---:|")
    print(f"| {model.name} | {count:,} | {passes:.1f} s | {table:.1f} s | {table / passes:.2f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
