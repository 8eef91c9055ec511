"""Cost of a capture, and of our encoder compared with transformers.

Run ``python -m benchmarks.capture``. It uses one process and one torch thread, and measures the CPU
time of that thread, which excludes other work of the machine. Both sides of a comparison alternate,
so that caches and clock speed affect both. A ratio is the median over the pairs. Both sides
tokenize alike (a) or not at all (b).
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import torch
from transformers import AutoModel, BertConfig, BertModel

from model import LoadedModel, load_model
from model.capture.attention_hooks import record_attention
from model.catalogue.pretrained.hub import embedded_folder
from web.server import warmup

LENGTHS = (16, 32, 64, 128)


def compare(
    a: Callable[[], object], b: Callable[[], object], seconds: float, at_least: int = 20
) -> tuple[float, ...]:
    """Run a and b alternately; return their median milliseconds, a / b, and the number of pairs."""
    for _ in range(min(3, at_least)):
        a(), b()
    pairs = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(pairs) < at_least:
        # The order alternates, because the second of a pair finds warmer caches.
        first, second = (a, b) if len(pairs) % 2 else (b, a)
        times = {first: milliseconds(first), second: milliseconds(second)}
        pairs.append((times[a], times[b]))
    ours, theirs = zip(*pairs, strict=True)
    return median(ours), median(theirs), median(x / y for x, y in pairs), len(pairs)


def milliseconds(run: Callable[[], object]) -> float:
    start = time.thread_time()
    run()
    return 1000 * (time.thread_time() - start)


def attend_against_plain_forward(model: LoadedModel, folder: Path, seconds: float) -> None:
    """(a) From a sentence to captured arrays, compared with the same model without hooks."""
    plain = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

    def forward(text: str) -> torch.Tensor:
        tokens = model.tokenize(text)
        ids, segments = torch.tensor([tokens.ids]), torch.tensor([tokens.segment_ids])
        return plain(input_ids=ids, token_type_ids=segments).last_hidden_state

    for n_tokens in LENGTHS:
        text = "word " * (n_tokens - 2)
        assert len(model.attend(text).tokens) == n_tokens
        name = f"attend / plain forward, {model.n_layers} x {model.n_heads}"
        row(name, n_tokens, compare(partial(model.attend, text), partial(forward, text), seconds))


def our_encoder_against_transformers(seconds: float) -> None:
    """(b) From ids to hidden states and all weights: recorded by ours, returned by transformers."""
    ours = load_model("scratch-minilm")
    theirs = BertModel.from_pretrained(embedded_folder(), attn_implementation="eager").eval()

    def run_ours(ids: torch.Tensor, segments: torch.Tensor) -> list[torch.Tensor]:
        with record_attention() as record:
            ours.encode(ids, segments)
        return record.weights

    for n_tokens in LENGTHS:
        ids = torch.randint(1000, 30_000, (1, n_tokens))
        segments = torch.zeros_like(ids)
        result = compare(
            partial(run_ours, ids, segments),
            partial(theirs, input_ids=ids, token_type_ids=segments, output_attentions=True),
            seconds,
        )
        row("our encoder / BertModel, MiniLM's weights", n_tokens, result)


def row(name: str, n_tokens: int, result: tuple[float, ...]) -> None:
    ours, theirs, ratio, n_pairs = result
    times = f"{ours:.2f} | {theirs:.2f} | {ratio:.3f} | {n_pairs}"
    print(f"| {name} | {n_tokens} | {times} |", flush=True)


def random_bert_base(folder: Path) -> LoadedModel:
    """A model of BERT-base's size with random weights and MiniLM's tokenizer, for timings only."""
    torch.manual_seed(0)
    BertModel(BertConfig()).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((embedded_folder() / name).read_bytes())
    return load_model(str(folder))


@torch.inference_mode()
def main(seconds: float) -> None:
    """Print a Markdown table."""
    warmup.use_one_thread()
    print("| what | tokens | ours, ms | other, ms | ratio | pairs |")
    print("|---|---|---|---|---|---|")
    attend_against_plain_forward(load_model("minilm"), embedded_folder(), seconds)
    with tempfile.TemporaryDirectory() as folder:
        attend_against_plain_forward(random_bert_base(Path(folder)), Path(folder), seconds)
    our_encoder_against_transformers(seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="per line of the table")
    main(parser.parse_args().seconds)
