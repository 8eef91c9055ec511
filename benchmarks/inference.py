"""Forward passes in this process and on Ray Serve, and the effect of batches on the numbers.

    python -m web.inference.ray_serve --most 2                 # on this machine or another one
    python -m benchmarks.inference http://127.0.0.1:8000

Without an address, it measures only batches. Times are wall-clock medians of alternating runs with
new texts. CPU time is that of the client process.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModel

from benchmarks.passes import by_turns
from model import load_model
from model.catalogue.pretrained.hub import embedded_folder
from web.inference import operations
from web.inference.forward_queue import ForwardQueue, available_cores
from web.inference.remote_client import RemoteClient
from web.server import warmup

LENGTHS = (16, 128)
AT_ONCE = 24
WORDS = (
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "and",
    "the",
    "dog",
    "saw",
    "it",
    "there",
    "at",
    "noon",
)
MODEL = "minilm"

_numbers = count(1)


def text(n_tokens: int) -> str:
    """A new sentence of ``n`` tokens including both special tokens."""
    first, second = divmod(next(_numbers), 997)
    words = [str(first % 997), str(second), *WORDS * 9]
    return " ".join(words[: n_tokens - 2])


def ways(address: str) -> dict[str, Callable[[str], object]]:
    """A capture in this process, as pages compute it, and a remote capture."""
    model, queue, remote = load_model(MODEL), ForwardQueue(available_cores()), RemoteClient(address)

    def here(of: str) -> object:
        with queue.turn():
            return operations.read(model, of, None)

    return {"here": here, "Ray": lambda of: remote.call("read", MODEL, of, None)}


def sequential(asks: dict[str, Callable[[str], object]], n_tokens: int, repeat: int) -> None:
    """Time sequential captures."""
    for what, clock in (("ms", time.perf_counter), ("ms of CPU", time.thread_time)):
        runs = {way: lambda ask=ask: ask(text(n_tokens)) for way, ask in asks.items()}
        found = by_turns(runs, repeat, clock)
        print(f"| one, {n_tokens} tokens, {what} | " + _cells(found.values()))


def concurrent(asks: dict[str, Callable[[str], object]], n_tokens: int, repeat: int) -> None:
    """Time concurrent captures until half of them and all of them are complete."""
    waited: dict[str, list[tuple[float, float]]] = {way: [] for way in asks}
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        for _ in range(repeat):
            for way, ask in asks.items():
                start = time.perf_counter()

                def timed(of: str, ask=ask, start=start) -> float:
                    ask(of)
                    return 1000 * (time.perf_counter() - start)

                ms = sorted(crowd.map(timed, [text(n_tokens) for _ in range(AT_ONCE)]))
                waited[way].append((ms[AT_ONCE // 2], ms[-1]))
    for part, of in enumerate(("half", "all")):
        found = [statistics.median(each[part] for each in ms) for ms in waited.values()]
        print(f"| {AT_ONCE} at once, {n_tokens} tokens: {of} of them, ms | " + _cells(found))


def _cells(values) -> str:
    return " | ".join(f"{value:.1f}" for value in values) + " |"


def attention() -> tuple[Any, list[Tensor]]:
    """The attention modules of minilm in transformers, and their q, k and v in a pass."""
    model = AutoModel.from_pretrained(embedded_folder(), attn_implementation="eager").eval()
    seen: list[Tensor] = []
    for name, module in model.named_modules():
        if name.endswith(("query", "key", "value")):
            module.register_forward_hook(lambda _module, _asked, out: seen.append(out))
    return model, seen


@torch.inference_mode()
def batch_differences(
    model: Any, seen: list[Tensor], n_tokens: int, size: int, repeat: int
) -> list[float]:
    """Compare sentences of several lengths in one padded batch with separate passes.

    Returns:
        The largest difference of a weight, and of a value in q, k and v.
    """
    drawn, largest = torch.Generator().manual_seed(0), [0.0, 0.0]
    for _ in range(repeat):
        shorter = torch.randint(max(4, n_tokens // 3), n_tokens, (size - 1,), generator=drawn)
        lengths = [n_tokens, *shorter.tolist()]
        ids = torch.randint(1000, 20_000, (size, n_tokens), generator=drawn)
        real = torch.arange(n_tokens) < torch.tensor(lengths)[:, None]
        seen.clear()
        weights = model(input_ids=ids, attention_mask=real.long(), output_attentions=True)
        together, vectors = weights.attentions, [*seen]
        for row, n in enumerate(lengths):
            seen.clear()
            alone = model(input_ids=ids[row : row + 1, :n], output_attentions=True).attentions
            differences = (
                [a[row, :, :n, :n] - b[0] for a, b in zip(together, alone, strict=True)],
                [a[row, :n] - b[0] for a, b in zip(vectors, seen, strict=True)],
            )
            for part, each in enumerate(differences):
                largest[part] = max(largest[part], *(float(x.abs().max()) for x in each))
    return largest


@torch.inference_mode()
def batch_cpu_share(model: Any, n_tokens: int, size: int, repeat: int) -> float:
    """CPU time of a sentence in a batch of equal lengths, as a share of that alone."""
    ids = torch.randint(1000, 20_000, (size, n_tokens))
    runs = {
        "alone": lambda: model(input_ids=ids[:1], output_attentions=True),
        "batch": lambda: model(input_ids=ids, output_attentions=True),
    }
    spent = by_turns(runs, repeat, time.thread_time)
    return spent["batch"] / size / spent["alone"]


def main() -> None:
    """Print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("address", nargs="?", help="of Ray Serve")
    parser.add_argument("--repeat", type=int, default=20)
    options = parser.parse_args()
    warmup.use_one_thread()
    if options.address:
        asks = ways(options.address)
        print("| a capture of minilm | here | Ray |\n|---|---:|---:|")
        for n_tokens in LENGTHS:
            sequential(asks, n_tokens, options.repeat)
            concurrent(asks, n_tokens, max(options.repeat // 4, 3))
    model, seen = attention()
    print("\n| tokens at most | in a batch | weights | q, k, v | CPU |\n|---:|---:|---:|---:|---:|")
    for n_tokens in (8, 16, 32, 64, 128):
        for size in (2, 8):
            weights, vectors = batch_differences(model, seen, n_tokens, size, options.repeat)
            spent = batch_cpu_share(model, n_tokens, size, options.repeat)
            print(f"| {n_tokens} | {size} | {weights:.1e} | {vectors:.1e} | {spent:.0%} |")


if __name__ == "__main__":
    main()
