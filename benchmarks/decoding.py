"""Times token-by-token generation with and without a key/value cache, alternately.

    python -m benchmarks.decoding

Uses our encoder-decoder with random weights, which take as long as trained ones, at the paper's
base sizes and at the translators' sizes. A step of a small model is mostly overhead; a cache saves
only the part that grows with the text. Each round generates one text with each method.
"""

import argparse
import statistics
from collections import deque
from time import perf_counter

import torch

from model import DecoderConfig, EncoderConfig, EncoderDecoder
from model.transformer.generation import Limits, Predictor, encoder_decoder_predictor, generate

N_TOKENS, N_SOURCE = 64, 16
SIZES = {
    "6 layers, d_model 512 (the paper's base)": {
        "d_model": 512,
        "n_heads": 8,
        "d_ff": 2048,
        "n_layers": 6,
    },
    "2 layers, d_model 64 (the translators')": {
        "d_model": 64,
        "n_heads": 4,
        "d_ff": 256,
        "n_layers": 2,
    },
}
VOCABULARY = 300


def predictor(sizes: dict[str, int]) -> Predictor:
    """A translator with an encoded source."""
    torch.manual_seed(0)
    encoder = EncoderConfig(VOCABULARY, max_len=128, **sizes)
    model = EncoderDecoder(encoder, DecoderConfig(VOCABULARY, max_len=128, **sizes)).eval()
    with torch.inference_mode():
        memory = model.encode(torch.arange(N_SOURCE)[None])  # (1, Ts, D)
    return encoder_decoder_predictor(model, memory)


def write(model: Predictor) -> float:
    """Generate a whole text; return milliseconds."""
    start = perf_counter()
    deque(generate(model, [0], Limits(N_TOKENS)), maxlen=0)
    return 1000 * (perf_counter() - start)


def timed(sizes: dict[str, int], repeat: int) -> dict[str, float]:
    """Median milliseconds of each method."""
    cached = predictor(sizes)
    ways = {"cached": cached, "uncached": cached.without_cache()}
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeat + 1):
        for name, model in ways.items():
            samples[name].append(write(model))
    return {name: statistics.median(ms[1:]) for name, ms in samples.items()}


def main(repeat: int = 9) -> None:
    print(f"| {N_TOKENS} tokens written | cached | uncached | times |\n|---|---:|---:|---:|")
    for name, sizes in SIZES.items():
        ms = timed(sizes, repeat)
        ratio = ms["uncached"] / ms["cached"]
        print(f"| {name} | {ms['cached']:.0f} ms | {ms['uncached']:.0f} ms | {ratio:.1f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=9)
    main(parser.parse_args().repeat)
