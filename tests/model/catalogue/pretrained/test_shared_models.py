"""Texts of other lengths, and threads that share a model, change no number."""

import pytest
import torch
from numpy.testing import assert_allclose

from tests.model import parity
from tests.model.parity import LONG, SHORT, THRESHOLD

MECHANISMS = ("bert", "modernbert-longrope", "llama-longrope", "llama-dynamic", "gemma2", "t5")


@pytest.mark.parametrize("kind", MECHANISMS)
def test_texts_of_other_lengths_and_threads_change_nothing(opened, kind):
    parity.check_threads(opened(kind))


@pytest.mark.parametrize("kind", ["llama-longrope", "phi3-longrope", "llama-dynamic"])
def test_generation_ends_where_the_frequencies_would_change(opened, kind):
    """Keys in the cache would still be rotated by the old frequencies."""
    model = opened(kind).model
    written = model.generate(SHORT, max_new_tokens=40)
    assert len(written.tokens) == THRESHOLD and written.ending == "full"
    ids = torch.tensor([written.capture.token_ids])
    with torch.inference_mode():
        expected = model.module(input_ids=ids, use_cache=False).logits[0].softmax(dim=-1)
    for number, step in enumerate(written.steps):
        position = written.n_prompt + number
        assert_allclose(step.probability, expected[position - 1, ids[0, position]], atol=1e-5)


@pytest.mark.parametrize("kind", ["phi3-longrope", "modernbert-longrope"])
def test_a_text_is_cut_where_the_frequencies_would_change(opened, kind):
    capture = opened(kind).model.attend(LONG)
    assert len(capture.tokens) == THRESHOLD and capture.left_out
