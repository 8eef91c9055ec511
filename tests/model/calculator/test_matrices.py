import math

import numpy as np
import pytest
import torch

from model import HeadlightError
from model.calculator import MISTAKES, CalculatorSettings, from_projections, from_qkv, mistake
from model.calculator.matrices import head_matrices, matrices_up_to_mask, mistake_matrices
from model.calculator.real_head import from_head, largest_difference, strongest_link
from tests.model.calculator.tensors import drawn

TQ, TK, K, KV = 3, 4, 2, 5  # all different, so that a swapped axis fails
T, D, H, DO = 6, 7, 3, 8


def one_head(settings=None):
    return from_qkv(*drawn((TQ, K), (TK, K), (TK, KV)), settings)


def heads(with_w_o=True):
    *given, w_o = drawn((T, D), (D, H * K), (D, H * K), (D, H * KV), (H * KV, DO))
    return from_projections(*given, w_o if with_w_o else None, H)


def test_the_matrices_of_one_head_are_its_steps():
    found = head_matrices(one_head(CalculatorSettings(mask="causal")), 0)
    np.testing.assert_allclose(found["Q"] @ found["K"].T, found["raw_scores"])
    np.testing.assert_allclose(found["raw_scores"] / math.sqrt(K), found["scaled_scores"])
    hidden = np.where(found["allowed"], found["scaled_scores"], -np.inf)
    np.testing.assert_array_equal(hidden, found["masked_scores"])
    np.testing.assert_array_equal(found["maxima"][:, 0], hidden.max(axis=1))
    np.testing.assert_allclose(np.exp(hidden - found["maxima"]), found["exponentials"])
    np.testing.assert_allclose(found["exponentials"] / found["row_sums"], found["weights"])
    np.testing.assert_allclose(found["weights"] @ found["V"], found["context"])
    np.testing.assert_array_equal(found["allowed"], np.tri(TQ, TK, dtype=bool))


@pytest.mark.parametrize("head", [0, 2])
def test_matrices_of_the_followed_head_are_slices_of_all_heads(head):
    found = head_matrices(heads(), head)
    for name, whole in (("Q", K), ("K", K), ("V", KV)):
        own = slice(head * whole, (head + 1) * whole)
        np.testing.assert_array_equal(found[f"{name}_heads"][:, own], found[name])
        np.testing.assert_allclose(found["X"] @ found[f"W_{name}"], found[f"{name}_heads"])
    own = slice(head * KV, (head + 1) * KV)
    np.testing.assert_array_equal(found["concatenated"][:, own], found["context"])
    np.testing.assert_allclose(found["concatenated"] @ found["W_O"], found["output"])
    assert found["allowed"].all()
    without = heads(with_w_o=False)
    assert {"W_O", "output"}.isdisjoint(head_matrices(without, head))
    assert torch.equal(without.output, without.concatenated)


def test_matrices_up_to_the_mask_exist_for_a_query_without_keys():
    hidden = CalculatorSettings(mask="custom", hidden=frozenset((1, key) for key in range(TK)))
    found = matrices_up_to_mask(one_head(), 0, hidden)
    assert found["allowed"].tolist() == [[True] * TK, [False] * TK, [True] * TK]
    assert np.isneginf(found["masked_scores"][1]).all()
    assert matrices_up_to_mask(one_head(), 0, CalculatorSettings()) is None
    # A mask of the model and one of the settings hide the keys that either of them hides.
    own = torch.ones(TQ, TK, dtype=torch.bool)
    own[0, 3] = False
    unmasked = from_qkv(*drawn((TQ, K), (TK, K), (TK, KV)), allowed=own)
    found = matrices_up_to_mask(unmasked, 0, CalculatorSettings(mask="padding", padding=2))
    assert found["allowed"].tolist() == [[True, True, False, False]] * TQ
    assert not matrices_up_to_mask(unmasked, 0, CalculatorSettings(mask="custom"))["allowed"][0, 3]


@pytest.mark.parametrize("name", MISTAKES)
def test_matrices_of_a_mistake_reproduce_its_weights(name):
    calculation = heads()
    made = mistake(name, calculation)
    found = mistake_matrices(made, 1)
    own = head_matrices(calculation, 1)
    wrong = found["wrong_weights"]
    np.testing.assert_allclose(wrong @ own["V"], found["wrong_context"])
    if "factor" in found:
        np.testing.assert_allclose(found["source"] * found["factor"], wrong)
        assert not [part for part in found if part.startswith("wrong_max")]
    else:
        with np.errstate(invalid="ignore"):  # an inverted row that saw all keys
            exponentials = np.exp(found["source"] - found["wrong_maxima"])
        np.testing.assert_allclose(exponentials, found["wrong_exponentials"])
        np.testing.assert_allclose(exponentials / found["wrong_sums"], wrong)


def test_a_captured_head_is_computed_in_64_bits_and_not_modified():
    q, k, v = (x.float().numpy() for x in drawn((T, K), (T, K), (T, KV)))
    own = np.tri(T, dtype=bool)
    for array in (q, k, v, own):
        array.flags.writeable = False
    found = from_head(q, k, v, own, CalculatorSettings(temperature=2.0))
    assert found.output.dtype == torch.float64
    expected = np.where(own, q.astype(float) @ k.astype(float).T / (2 * math.sqrt(K)), -np.inf)
    np.testing.assert_allclose(found.steps.masked_scores[0], expected)
    weights = found.steps.weights[0].numpy().copy()
    weights[2, 1] += 0.25
    assert largest_difference(found, weights) == pytest.approx(0.25)
    assert from_head(q, k, v, None).allowed is None
    # The strongest link joins words: only the first query and the first and last key are special.
    weights = np.full((3, 5), 0.1)
    weights[0, 1] = weights[1, 0] = weights[2, 4] = 0.9
    weights[2, 3] = 0.5
    words, key_words = np.array([False, True, True]), np.array([False, True, True, True, False])
    assert strongest_link(weights, words, key_words) == (2, 3)
    assert strongest_link(weights[:, :3], words) == (1, 1)


@pytest.fixture
def own_head():
    """A head with a bias and separate keys: Tq = 5, Tk = 7."""
    q, k, v = (each.numpy().astype(np.float32) for each in drawn((5, K), (7, K), (7, KV)))
    bias = drawn((5, 7))[0].numpy().astype(np.float32)
    return q, k, v, np.tri(5, 7, 2, dtype=bool), bias


def test_own_scale_and_bias_apply_before_the_mask(own_head):
    q, k, v, allowed, bias = own_head
    found = from_head(q, k, v, allowed, scale=1.0, bias=bias)
    assert (found.divisor, found.scaled, found.own_scale) == (1.0, False, 1.0)
    raw = q.astype(float) @ k.astype(float).T
    np.testing.assert_allclose(found.steps.scaled_scores[0], raw + bias)
    expected = np.where(allowed, raw + bias, -np.inf)
    np.testing.assert_allclose(found.steps.masked_scores[0], expected)
    arrays = head_matrices(found, 0)
    np.testing.assert_allclose(arrays["bias"], bias)
    warm = from_head(q, k, v, allowed, CalculatorSettings(temperature=2.0), scale=0.25, bias=bias)
    assert warm.divisor == 8.0
    np.testing.assert_allclose(warm.steps.scaled_scores[0], raw / 8 + bias)
    given = from_head(q, k, v, allowed, scale=1 / math.sqrt(K))
    usual = from_head(q, k, v, allowed)
    assert given.own_scale is None and given.scaled and given.divisor == usual.divisor
    assert torch.equal(given.steps.weights, usual.steps.weights)
    assert "bias" not in head_matrices(usual, 0)


def test_mistakes_keep_the_bias_and_unscaled_needs_a_division(own_head):
    q, k, v, _, bias = own_head
    found = from_head(q, k, v, None, scale=1.0, bias=bias)
    made = mistake("mask_after_softmax", found)
    np.testing.assert_allclose(
        made.source[0], torch.tensor(q.astype(float) @ k.astype(float).T + bias).softmax(-1)
    )
    with pytest.raises(HeadlightError, match="impossible here"):
        mistake("unscaled", found)
    usual = from_head(q, k, v, None, bias=bias)
    wrong = mistake("unscaled", usual).source[0]
    np.testing.assert_allclose(wrong, q.astype(float) @ k.astype(float).T + bias)
