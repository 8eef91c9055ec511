"""Cost of the pretrained decoder: loading, a capture, and one token.

    python -m benchmarks.generating

Uses one process and one torch thread. Loading is wall-clock time; the rest is that thread's CPU
time, alternating with transformers: eager attention, equal sizes with random weights, no hooks, a
key/value cache.
"""

import argparse
import resource
import time
from collections import deque
from collections.abc import Generator
from functools import partial
from itertools import islice

import torch
from transformers import LlamaForCausalLM

from benchmarks.capture import LENGTHS, compare, row
from model import LoadedCausal, load_model
from model.catalogue.causal import Generation
from model.catalogue.generated_tokens import NamedToken
from web.server import warmup

PROMPTS, N_WRITTEN = (16, 64), 32


def plain(model: LoadedCausal) -> LlamaForCausalLM:
    """The same network without hooks, and without end tokens."""
    config = model.module.config
    module = LlamaForCausalLM._from_config(config, attn_implementation="eager").eval()
    module.generation_config.eos_token_id = None
    module.generation_config.pad_token_id = 2
    return module


def attending(model: LoadedCausal, theirs: LlamaForCausalLM, seconds: float) -> None:
    """Time a text to captured arrays, compared with a forward pass of the same layers."""

    def forward(text: str) -> torch.Tensor:
        ids = torch.tensor([model.tokenize(text).ids])
        return theirs.model(input_ids=ids, use_cache=False).last_hidden_state

    for n_tokens in LENGTHS:
        text = " word" * n_tokens
        assert len(model.attend(text).tokens) == n_tokens
        result = compare(partial(model.attend, text), partial(forward, text), seconds)
        row("attend / plain forward, 30 x 9", n_tokens, result)


def writing(model: LoadedCausal, theirs: LlamaForCausalLM, n_prompt: int, turns: int) -> None:
    """Time tokens with their candidates, compared with generate; then with a final capture."""
    text = " word" * n_prompt
    ids = torch.tensor([model.tokenize(text).ids])
    # Force a letter at every step, so that no text ends early.
    forced = dict.fromkeys(range(N_WRITTEN), "a")

    def handed_out() -> Generator[NamedToken, None, Generation]:
        stream = model.stream(text, max_new_tokens=N_WRITTEN, forced=forced)
        deque(islice(stream, N_WRITTEN), maxlen=0)
        return stream

    def captured() -> None:
        deque(handed_out(), maxlen=0)

    def generate() -> None:
        theirs.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=N_WRITTEN,
            min_new_tokens=N_WRITTEN,
            do_sample=False,
        )

    ways = {"a token": handed_out, "and its part of the capture": captured}
    for name, ours in ways.items():
        mine, other, ratio, n_pairs = compare(ours, generate, 0, at_least=turns)
        each = (mine / N_WRITTEN, other / N_WRITTEN, ratio, n_pairs)
        row(f"{name} / transformers' generate, {N_WRITTEN} written", n_prompt, each)


@torch.inference_mode()
def main(seconds: float, turns: int = 5) -> None:
    """Print the loading time and a Markdown table."""
    warmup.use_one_thread()
    start = time.perf_counter()
    model = load_model("smollm2")
    took = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"smollm2: {took:.1f} s to load, {model.nbytes / 2**20:.0f} MiB of weights,", end=" ")
    print(f"{most:.0f} MiB of the process at most until then")
    print("| what | tokens | ours, ms | other, ms | ratio | pairs |")
    print("|---|---|---|---|---|---|")
    theirs = plain(model)
    attending(model, theirs, seconds)
    for n_prompt in PROMPTS:
        writing(model, theirs, n_prompt, turns)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0, help="per line of the table")
    parser.add_argument("--turns", type=int, default=5, help="of writing")
    options = parser.parse_args()
    main(options.seconds, options.turns)
