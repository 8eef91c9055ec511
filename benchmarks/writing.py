"""Times a decoder on the pages: a prompt until it is painted, and concurrent students.

    python -m benchmarks.writing

In Chromium, on Explore with smollm2 and minilm: a prompt of 32 tokens until both overviews are
painted, alternating with a bare rerun and with the two forward passes. Then without a browser, with
the pages' functions: two students generate while a third opens sentences in minilm, alternating
with each alone. Wall-clock times include the wait for a core.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

import torch
from playwright.sync_api import Browser

from benchmarks.browser import Server, chromium, free_port
from benchmarks.explore import FLOOR, OVERVIEWS, open_page, submit
from benchmarks.peers.run import sentences
from model import load_model
from web.cache import captures, generated_texts
from web.server import warmup

N_PROMPT, N_WRITTEN, N_SENTENCE = 32, 24, 16
PAUSE = 0.2
"""Seconds between two sentences of the third student."""


def milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def prompts() -> Iterator[str]:
    """Different texts with a number of smollm2's tokens, without an end."""
    model = load_model("smollm2")
    texts = sentences(N_PROMPT + 2)
    return (text for text in texts if len(model.tokenize(text).ids) == N_PROMPT)


def paint_times(browser: Browser, base: str, repeat: int) -> dict[str, float]:
    """Median milliseconds of a bare rerun, both models' forward passes, and both overviews."""
    models = [load_model(name) for name in ("smollm2", "minilm")]
    floor = open_page(browser, f"{base}/floor")
    page = open_page(browser, f"{base}/?left=smollm2&right=minilm")
    page.locator(".st-key-heatmap_right .heatmaplayer image").wait_for(timeout=120_000)
    texts = prompts()
    samples: dict[str, list[float]] = {"floor": [], "forward": [], "overviews": []}
    for _ in range(repeat + 1):
        text = next(texts)
        samples["floor"].append(submit(floor, text, FLOOR))
        passes = [milliseconds(partial(model.hidden_states, text)) for model in models]
        samples["forward"].append(sum(passes))
        samples["overviews"].append(submit(page, text, OVERVIEWS))
    floor.close()
    page.close()
    return {name: statistics.median(ms[1:]) for name, ms in samples.items()}


def tokens_per_second(prompt: str) -> float:
    """Tokens per second for one student on the page Generate."""
    stream = generated_texts.generation_stream("smollm2", prompt)
    start = time.perf_counter()
    n_tokens = next(i for i in count() if i == N_WRITTEN or not stream.ensure_step(i))
    return n_tokens / (time.perf_counter() - start)


def capture_ms(texts: Iterator[str]) -> float:
    """Milliseconds until a new sentence's capture in minilm."""
    text = next(texts)
    return milliseconds(lambda: captures.capture("minilm", text, None))


def student_times(repeat: int) -> Iterator[tuple[str, list[float]]]:
    """By name, tokens per second or milliseconds: students alone, then all three concurrently."""
    starts, texts = prompts(), sentences(N_SENTENCE)
    tokens_per_second(next(starts))
    capture_ms(texts)
    rates: dict[str, list[float]] = {"alone": [], "first": [], "second": []}
    waits: dict[str, list[float]] = {"alone": [], "beside": []}
    with ThreadPoolExecutor(2) as students:
        for _ in range(repeat):
            rates["alone"].append(tokens_per_second(next(starts)))
            waits["alone"] += [capture_ms(texts) for _ in range(5)]
            writing = [students.submit(tokens_per_second, next(starts)) for _ in range(2)]
            while not all(each.done() for each in writing):
                time.sleep(PAUSE)
                waits["beside"].append(capture_ms(texts))
            rates["first"].append(writing[0].result())
            rates["second"].append(writing[1].result())
    yield from ((f"tokens/s, {name}", values) for name, values in rates.items())
    yield from ((f"a third's sentence, ms, {name}", values) for name, values in waits.items())


@torch.inference_mode()
def main(repeat: int = 5) -> None:
    """Print two Markdown tables."""
    warmup.use_one_thread()
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "benchmarks.serve", str(port)]
    with Server(argv, f"{base}/api/ready", patience=300), chromium() as browser:
        ms = paint_times(browser, base, repeat)
    aim = ms["forward"] + 2 * ms["floor"]
    print("| tokens | bare rerun | forward passes | overviews | of forward + 2 reruns |")
    print("|---:|---:|---:|---:|---:|")
    times = " | ".join(f"{value:.0f} ms" for value in ms.values())
    print(f"| {N_PROMPT} | {times} | {ms['overviews'] / aim:.2f}x |", flush=True)
    print("\n| at once | median | slowest or fewest |\n|---|---:|---:|")
    for name, values in student_times(repeat):
        worst = min(values) if name.startswith("tokens") else max(values)
        print(f"| {name} | {statistics.median(values):.1f} | {worst:.1f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    main(parser.parse_args().repeat)
