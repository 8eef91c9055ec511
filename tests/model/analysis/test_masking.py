"""A sentence under a mask: leaks, changed weights, and the distance from full attention."""

import numpy as np
import pytest
import torch

from model import HeadlightError, causal_mask, load_model, padding_mask
from model.analysis.masking import (
    mask_tokens,
    max_change_before,
    read_tokens,
    run_masked,
    where_weight_goes,
)
from model.transformer.masks import allow_self_if_empty, sliding_window

TEXT = "The animal didn't cross the street because it was too tired."
N = 16


@pytest.fixture(scope="module")
def tokens(scratch):
    return read_tokens(scratch, TEXT, 64)


@pytest.fixture(scope="module")
def full(scratch, tokens):
    return run_masked(scratch, tokens, TEXT)


def test_without_a_mask_it_equals_the_models_own_run(scratch, full) -> None:
    capture = scratch.attend(TEXT)
    np.testing.assert_array_equal(full.capture.weights, capture.weights)
    np.testing.assert_array_equal(full.states, scratch.hidden_states(TEXT).numpy())
    assert full.states.shape == (N, 192)
    assert (full.n_real, full.n_padding) == (N, 0)
    everything = run_masked(scratch, read_tokens(scratch, TEXT, 64), TEXT, torch.ones(N, N).bool())
    np.testing.assert_array_equal(everything.states, full.states)


def test_a_mask_applies_in_every_layer_and_rows_sum_to_one(scratch, tokens) -> None:
    mask = sliding_window(N, 2)
    run = run_masked(scratch, tokens, TEXT, mask)
    assert (run.capture.weights[..., ~mask.numpy()] == 0).all()
    np.testing.assert_allclose(run.capture.weights.sum(axis=-1), 1, atol=1e-6)
    for allowed in run.capture.allowed:
        np.testing.assert_array_equal(allowed, mask.numpy())


def test_a_causal_mask_hides_later_tokens_from_earlier_ones(scratch, tokens, full) -> None:
    inverted = allow_self_if_empty(~causal_mask(N))
    for position in (1, 13):
        other = mask_tokens(scratch, tokens, [position])
        assert other.pieces[position] == "[MASK]"
        moved = {
            name: max_change_before(
                run_masked(scratch, tokens, TEXT, mask),
                run_masked(scratch, other, TEXT, mask),
                position,
            )
            for name, mask in (("causal", causal_mask(N)), ("inverted", inverted), ("none", None))
        }
        assert moved["causal"] == 0
        assert moved["inverted"] > 0.05 and moved["none"] > 0.05
    assert max_change_before(full, full, 0) == 0


def test_shares_of_the_weight_by_hand() -> None:
    # Two words and one padding token, whose own row does not count.
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [1.0, 0.0, 0.0]])
    assert where_weight_goes(weights, 1) == pytest.approx(
        {"earlier": 0.05, "itself": 0.65, "later": 0.15, "padding": 0.15}
    )
    assert where_weight_goes(weights, 0) == pytest.approx(
        {"earlier": 1.1 / 3, "itself": 1.3 / 3, "later": 0.6 / 3, "padding": 0}
    )
    heads = np.stack([weights, np.eye(3)])
    assert where_weight_goes(heads, 1)["itself"] == pytest.approx((0.65 + 1) / 2)


def test_masked_padding_changes_no_word(scratch, full) -> None:
    cut = read_tokens(scratch, "one two three four five six", 5, 1)  # before its last token
    assert cut.pieces == ("[CLS]", "one", "two", "three", "[SEP]", "[PAD]")
    assert cut.left_out == ("four five six", "")
    padded = read_tokens(scratch, TEXT, 64, 3)
    assert padded.pieces[-4:] == ("[SEP]", "[PAD]", "[PAD]", "[PAD]")
    n = len(padded.ids)
    mask = padding_mask(torch.tensor([n - 3]), n)[0, 0].expand(n, n)
    run = run_masked(scratch, padded, TEXT, mask)
    assert (run.n_real, run.n_padding) == (N, 3)
    np.testing.assert_allclose(run.states[:N], full.states, atol=1e-5)
    unmasked = run_masked(scratch, padded, TEXT)
    assert np.abs(unmasked.states[:N] - full.states).max() > 0.1
    assert where_weight_goes(run.capture.weights, 3)["padding"] == 0
    assert where_weight_goes(unmasked.capture.weights, 3)["padding"] > 0.01


def test_impossible_requests_are_refused_in_words(scratch, tokens) -> None:
    with pytest.raises(HeadlightError, match="hides every key"):
        run_masked(scratch, tokens, TEXT, ~causal_mask(N))
    with pytest.raises(HeadlightError, match="no text"):
        read_tokens(scratch, "  ", 64)
    with pytest.raises(HeadlightError, match="only in our own encoder"):
        run_masked(load_model("minilm"), tokens, TEXT)
