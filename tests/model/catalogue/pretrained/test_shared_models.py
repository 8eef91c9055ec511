"""Threads that share a model of transformers get the numbers of a thread that is alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from model import LoadedTranslator, load_model
from tests.model import checkpoints, parity

SHORT = "the animal was it"
LONG = f"{SHORT}, and the table too, and the street too"
THRESHOLD = 14
"""Tokens after which LongRoPE changes its frequencies: more than SHORT has, fewer than LONG."""

LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 10_000.0,
    "factor": 4.0,
    "original_max_position_embeddings": THRESHOLD,
}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 4.0}


def longrope(n_frequencies):
    return LONGROPE | {
        "short_factor": [1.0] * n_frequencies,
        "long_factor": [8.0] * n_frequencies,
    }


CHANGING = {
    "llama-longrope": ("llama", {"rope_parameters": longrope(5)}),
    "phi3-longrope": (  # no family describes it
        "phi3",
        {"rope_parameters": longrope(2), "original_max_position_embeddings": THRESHOLD},
    ),
    "llama-dynamic": (
        "llama",
        {"rope_parameters": DYNAMIC, "max_position_embeddings": THRESHOLD},
    ),
}
"""Decoders whose forward pass replaces the rotary frequencies by the length of the text."""

LOCAL_AND_GLOBAL = {"sliding_attention": longrope(4), "full_attention": longrope(4)}
MECHANISMS = (
    "bert",
    "modernbert-longrope",
    "llama",
    "llama-longrope",
    "llama-dynamic",
    "gemma2",
    "t5",
)


def load(kind, folder):
    if kind == "modernbert-longrope":
        saved = parity.save("modernbert", folder)
        return load_model(checkpoints.configure(saved, rope_parameters=LOCAL_AND_GLOBAL))
    model_type, settings = CHANGING.get(kind, (kind, {}))
    return load_model(str(parity.save(model_type, folder, **settings)))


def run(model, text):
    """All numbers of a pass: the weights of every stack, and the states or probabilities."""
    if isinstance(model, LoadedTranslator):
        written = model.generate(text, max_new_tokens=6)
        probabilities = np.array([step.probability for step in written.steps])
        return [
            written.encoder.weights,
            written.decoder.weights,
            written.cross.weights,
            probabilities,
        ]
    return [model.attend(text).weights, model.hidden_states(text).numpy()]


def state(model):
    """Everything that a forward pass could change in the modules."""
    return {
        f"{path}.{name}": value.tolist() if isinstance(value, torch.Tensor) else value
        for path, module in model.module.named_modules()
        for name, value in (vars(module) | module._buffers | module._parameters).items()
        if isinstance(value, torch.Tensor | int | float | str)
    }


@pytest.mark.parametrize("kind", MECHANISMS)
def test_texts_of_other_lengths_and_threads_change_nothing(tmp_path, kind):
    model, texts = load(kind, tmp_path / kind), [SHORT, LONG]
    first = run(model, SHORT)
    before = state(model)
    alone = [first, run(model, LONG)]
    after = state(model)
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == []
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda n: run(model, texts[n % 2]), range(16)))
    for n, result in enumerate(together):
        for ours, expected in zip(result, alone[n % 2], strict=True):
            assert_array_equal(ours, expected)


@pytest.mark.parametrize("kind", ["llama-longrope", "phi3-longrope", "llama-dynamic"])
def test_generation_ends_where_the_frequencies_would_change(tmp_path, kind):
    """Keys in the cache would still be rotated by the old frequencies."""
    model = load(kind, tmp_path / kind)
    written = model.generate(SHORT, max_new_tokens=40)
    assert len(written.tokens) == THRESHOLD and written.ending == "full"
    ids = torch.tensor([written.capture.token_ids])
    with torch.inference_mode():
        expected = model.module(input_ids=ids, use_cache=False).logits[0].softmax(dim=-1)
    for number, step in enumerate(written.steps):
        position = written.n_prompt + number
        assert_allclose(step.probability, expected[position - 1, ids[0, position]], atol=1e-5)


@pytest.mark.parametrize("kind", ["phi3-longrope", "modernbert-longrope"])
def test_a_text_is_cut_where_the_frequencies_would_change(tmp_path, kind):
    capture = load(kind, tmp_path / kind).attend(LONG)
    assert len(capture.tokens) == THRESHOLD and capture.left_out
