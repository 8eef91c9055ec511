"""Forward passes on shared cores: two concurrently, two threads in one, several in a batch.

Run ``python -m benchmarks.passes``. Wall-clock times include the wait for a core; batches use CPU
time. Prints medians of alternating runs.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from transformers import AutoModel

from benchmarks.capture import random_bert_base
from benchmarks.peers.run import sentences
from model import LoadedModel, load_model
from model.catalogue.pretrained.hub import embedded_folder
from web.server import warmup

LENGTHS = (16, 64, 128)
BATCHES = (1, 2, 4, 8)


def by_turns(
    runs: dict[str, Callable[[], object]], repeat: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Median milliseconds of each, without the first round."""
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeat + 1):
        for name, run in runs.items():
            start = clock()
            run()
            samples[name].append(1000 * (clock() - start))
    return {name: statistics.median(ms[1:]) for name, ms in samples.items()}


def sides(left: LoadedModel, right: LoadedModel, text: str, repeat: int) -> dict[str, float]:
    """Two captures, sequentially and concurrently."""
    with ThreadPoolExecutor(1) as beside:

        def at_once() -> None:
            other = beside.submit(right.attend, text)
            left.attend(text)
            other.result()

        after = {"one after the other": lambda: (left.attend(text), right.attend(text))}
        return by_turns({**after, "at once": at_once}, repeat, time.perf_counter)


def threads(model: LoadedModel, text: str, repeat: int) -> dict[str, float]:
    """One capture on one thread and on two."""

    def on(count: int) -> None:
        torch.set_num_threads(count)
        model.attend(text)
        torch.set_num_threads(1)

    runs = {"one thread": lambda: on(1), "two": lambda: on(2)}
    return by_turns(runs, repeat, time.perf_counter)


@torch.inference_mode()
def batches(n_tokens: int, repeat: int) -> dict[str, float]:
    """CPU time of minilm per sentence for batches of several sizes, without hooks."""
    model = AutoModel.from_pretrained(embedded_folder(), attn_implementation="eager").eval()
    ids = torch.randint(1000, 20_000, (max(BATCHES), n_tokens))
    runs = {str(size): lambda size=size: model(input_ids=ids[:size]) for size in BATCHES}
    spent = by_turns(runs, repeat, time.thread_time)
    return {name: ms / int(name) for name, ms in spent.items()}


def _tell(what: str, n_tokens: int, ms: dict[str, float]) -> None:
    print(
        f"| {what} | {n_tokens} | " + " | ".join(f"{value:.1f} ms" for value in ms.values()) + " |"
    )


def main(repeat: int = 9) -> None:
    """Print three Markdown tables."""
    warmup.use_one_thread()
    with TemporaryDirectory() as folder:
        base = random_bert_base(Path(folder))
        scratch, minilm = load_model("scratch"), load_model("minilm")
        print("| both sides | tokens | one after the other | at once |\n|---|---:|---:|---:|")
        for n_tokens in LENGTHS:
            text = next(sentences(n_tokens))
            _tell("scratch, minilm", n_tokens, sides(scratch, minilm, text, repeat))
            _tell("12x12 twice", n_tokens, sides(base, base, text, repeat))
        print("\n| one pass | tokens | one thread | two |\n|---|---:|---:|---:|")
        for n_tokens in LENGTHS:
            text = next(sentences(n_tokens))
            _tell("minilm", n_tokens, threads(minilm, text, repeat))
            _tell("12x12", n_tokens, threads(base, text, repeat))
    print("\n| CPU a sentence | tokens | alone | of 2 | of 4 | of 8 |")
    print("|---|---:|---:|---:|---:|---:|")
    for n_tokens in LENGTHS:
        _tell("minilm", n_tokens, batches(n_tokens, repeat))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=9)
    main(parser.parse_args().repeat)
