"""Scaled dot-product and multi-head attention: worked numbers, identities, parity with torch."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from model import (
    HeadlightError,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)

B, H, TQ, TK, K, KV = 2, 3, 4, 5, 6, 7  # all different, so that a swapped axis shows


def random_qkv(seed: int = 0, shape=(B, H, TQ, TK, K, KV)):
    b, h, tq, tk, k, kv = shape
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(b, h, tq, k, generator=generator),
        torch.randn(b, h, tk, k, generator=generator),
        torch.randn(b, h, tk, kv, generator=generator),
    )


def random_mask(*shape: int, seed: int = 1) -> torch.Tensor:
    """Half of the keys allowed, and always the first one."""
    mask = torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < 0.5
    mask[..., 0] = True
    return mask


def test_the_exercise_matches_the_calculation_by_hand():
    q = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    k = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    v = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    steps = scaled_dot_product_attention(q, k, v)
    to_4_decimals = {"atol": 5e-5, "rtol": 0}
    assert_close(steps.raw_scores, torch.tensor([[1.0, 0.5], [0.0, 0.5]]))
    assert_close(
        steps.scaled_scores, torch.tensor([[0.7071, 0.3536], [0, 0.3536]]), **to_4_decimals
    )
    expected_weights = torch.tensor([[0.5875, 0.4125], [0.4125, 0.5875]])
    expected_context = torch.tensor([[1.5875, 0.4125], [1.4125, 0.5875]])
    assert_close(steps.weights, expected_weights, **to_4_decimals)
    assert_close(steps.context, expected_context, **to_4_decimals)


def test_i_love_learning_ai_matches_the_calculation_by_hand():
    """Keys along one axis give the raw scores; the other 63 dimensions have no effect."""
    q = torch.zeros(1, 64)
    q[0, 0] = 1.0
    k = torch.zeros(4, 64)
    k[:, 0] = torch.tensor([2.1, 3.5, 7.2, 5.8])
    steps = scaled_dot_product_attention(q, k, torch.eye(4))
    assert_close(steps.scaled_scores, torch.tensor([[0.2625, 0.4375, 0.9, 0.725]]))
    expected = torch.tensor([[0.1763, 0.2101, 0.3336, 0.2800]])
    assert_close(steps.weights, expected, atol=5e-5, rtol=0)
    assert_close(steps.context, steps.weights)  # the values are the identity


@pytest.mark.parametrize("with_mask", [False, True])
def test_rows_sum_to_one_and_weights_times_values_is_the_context(with_mask):
    q, k, v = random_qkv()
    steps = scaled_dot_product_attention(q, k, v, random_mask(TQ, TK) if with_mask else None)
    assert_close(steps.weights.sum(-1), torch.ones(B, H, TQ))
    assert_close(steps.weights @ v, steps.context)
    assert steps.output is steps.context  # its name in the public interface
    assert_close(steps.masked_scores.softmax(-1), steps.weights)


sizes = st.tuples(*[st.integers(1, 5)] * 6)


@given(
    shape=sizes,
    seed=st.integers(0, 10_000),
    mask_axes=st.sampled_from([None, "keys", "queries and keys", "everything"]),
    scale=st.none() | st.floats(0.01, 3.0),
)
def test_it_equals_torch_attention(shape, seed, mask_axes, scale):
    q, k, v = random_qkv(seed, shape)
    b, h, tq, tk, _, _ = shape
    mask_shape = {"keys": (b, 1, 1, tk), "queries and keys": (tq, tk), "everything": (b, h, tq, tk)}
    mask = random_mask(*mask_shape[mask_axes], seed=seed) if mask_axes else None
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, scale=scale)
    steps = scaled_dot_product_attention(q, k, v, mask, scale=scale)
    assert_close(steps.context, expected, atol=1e-5, rtol=1e-5)


def test_true_means_allowed_and_a_masked_weight_is_exactly_zero():
    q, k, v = random_qkv()
    mask = torch.tensor([True, False, True, False, False])
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        weights = scaled_dot_product_attention(q.to(dtype), k.to(dtype), v.to(dtype), mask).weights
        assert (weights[..., ~mask] == 0).all()
        assert (weights[..., mask] > 0).all()


def test_a_masked_key_has_no_effect():
    q, k, v = random_qkv()
    mask = torch.tensor([True, True, False, True, False])
    masked = scaled_dot_product_attention(q, k, v, mask)
    absent = scaled_dot_product_attention(q, k[..., mask, :], v[..., mask, :])
    assert_close(masked.context, absent.context)


def test_the_causal_mask_allows_each_token_and_its_past():
    assert causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_with_the_causal_mask_the_future_changes_nothing():
    q, k, v = random_qkv(shape=(B, H, TK, TK, K, KV))
    before = scaled_dot_product_attention(q, k, v, causal_mask(TK)).context
    k[..., 3:, :] += 5
    v[..., 3:, :] -= 5
    after = scaled_dot_product_attention(q, k, v, causal_mask(TK)).context
    assert_close(after[..., :3, :], before[..., :3, :], atol=0, rtol=0)
    assert not torch.allclose(after[..., 3:, :], before[..., 3:, :])


def test_the_padding_mask_allows_real_tokens_only():
    mask = padding_mask(torch.tensor([2, 4]), max_len=4)
    assert mask.shape == (2, 1, 1, 4)
    assert mask[:, 0, 0].tolist() == [[True, True, False, False], [True, True, True, True]]


def test_a_row_without_an_allowed_key_is_an_error_in_words():
    q, k, v = random_qkv()
    mask = torch.ones(TQ, TK, dtype=torch.bool)
    mask[2] = False
    with pytest.raises(HeadlightError, match="hides every key"):
        scaled_dot_product_attention(q, k, v, mask)
    with pytest.raises(HeadlightError, match="hides every key"):
        scaled_dot_product_attention(q, k, v, torch.zeros(TQ, 1, dtype=torch.bool))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_a_mask_of_numbers_is_refused(dtype):
    """1 and 0 are ambiguous, and additive masks look the same."""
    q, k, v = random_qkv()
    with pytest.raises(HeadlightError, match="boolean"):
        scaled_dot_product_attention(q, k, v, torch.ones(TQ, TK, dtype=dtype))


@pytest.mark.parametrize(
    ("q_shape", "k_shape", "v_shape", "words"),
    [
        ((TQ, K), (TK, K + 1), (TK, KV), f"{K} dimensions and keys have {K + 1}"),
        ((TQ, K), (TK, K), (TK + 1, KV), f"{TK} keys but {TK + 1} values"),
        ((TQ, 0), (TK, 0), (TK, KV), "at least 1"),
    ],
)
def test_sizes_that_do_not_multiply_are_named(q_shape, k_shape, v_shape, words):
    with pytest.raises(HeadlightError, match=words):
        scaled_dot_product_attention(
            torch.zeros(q_shape), torch.zeros(k_shape), torch.zeros(v_shape)
        )


def test_large_scores_give_no_nan():
    q = torch.tensor([[1e4, 0.0], [-1e4, 0.0]])
    k = torch.tensor([[1e4, 0.0], [1e4, 1.0], [-1e4, 0.0]])
    steps = scaled_dot_product_attention(q, k, torch.eye(3))
    assert_close(steps.weights, torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]))


def test_without_scaling_the_softmax_saturates():
    """With unit-variance q and k, unscaled scores have variance d_k."""
    d_k = 256
    q, k, v = random_qkv(shape=(1, 1, 200, 50, d_k, 1))
    scaled = scaled_dot_product_attention(q, k, v)
    unscaled = scaled_dot_product_attention(q, k, v, scale=1.0)
    assert scaled.raw_scores.var() == pytest.approx(d_k, rel=0.1)
    assert scaled.scaled_scores.var() == pytest.approx(1.0, rel=0.1)
    assert scaled.weights.amax(-1).mean() < 0.2
    assert unscaled.weights.amax(-1).mean() > 0.8


def test_weights_are_taken_before_dropout():
    q, k, v = random_qkv()
    steps = scaled_dot_product_attention(q, k, v, dropout=0.5)
    assert_close(steps.weights.sum(-1), torch.ones(B, H, TQ))
    assert not torch.allclose(steps.weights @ v, steps.context)  # dropout had an effect


D, T = 12, 5


def multi_head_pair(dropout: float = 0.0) -> tuple[MultiHeadAttention, torch.nn.MultiheadAttention]:
    """Our module and torch's, with the same weights."""
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(D, H, dropout=dropout, batch_first=True)
    torch.nn.init.normal_(theirs.in_proj_bias)
    ours = MultiHeadAttention(D, H, dropout)
    with torch.no_grad():
        for i, linear in enumerate((ours.query, ours.key, ours.value)):
            linear.weight.copy_(theirs.in_proj_weight.unflatten(0, (3, D))[i])
            linear.bias.copy_(theirs.in_proj_bias.unflatten(0, (3, D))[i])
        ours.output.load_state_dict(theirs.out_proj.state_dict())
    return ours, theirs


@pytest.mark.parametrize("mask", [None, causal_mask(T)], ids=["all", "causal"])
def test_multi_head_attention_equals_torch(mask):
    ours, theirs = multi_head_pair()
    x = torch.randn(B, T, D)
    output, weights = ours(x, mask)
    # In torch's module a boolean mask means the opposite: True is NOT allowed.
    expected, expected_weights = theirs(
        x, x, x, attn_mask=None if mask is None else ~mask, average_attn_weights=False
    )
    assert_close(output, expected, atol=1e-6, rtol=1e-5)
    assert_close(weights, expected_weights, atol=1e-6, rtol=1e-5)


def test_in_training_the_rows_of_multi_head_attention_sum_to_one():
    ours, _ = multi_head_pair(dropout=0.5)
    x = torch.randn(B, T, D)
    trained_output, trained_weights = ours.train()(x)
    output, weights = ours.eval()(x)
    assert_close(trained_weights, weights)
    assert_close(weights.sum(-1), torch.ones(B, H, T))
    assert not torch.allclose(trained_output, output)


def test_scores_are_divided_by_the_root_of_d_head():
    ours, _ = multi_head_pair()
    x = torch.randn(1, T, D)
    head = slice(D // H, 2 * D // H)  # the columns of the second head
    q, k = ours.query(x)[0, :, head], ours.key(x)[0, :, head]
    expected = (q @ k.T / math.sqrt(D // H)).softmax(-1)
    assert_close(ours(x)[1][0, 1], expected)


def test_a_bias_is_added_after_the_scale_and_before_the_mask():
    """Two queries, three keys, by hand: q k^T halved, then the bias; one key is masked."""
    q, k = torch.tensor([[2.0], [4.0]]), torch.tensor([[1.0], [2.0], [3.0]])
    bias = torch.tensor([[1.0, 0.0, 5.0], [-2.0, 0.0, 1.0]])
    mask = torch.tensor([[True, True, False], [True, True, True]])
    steps = scaled_dot_product_attention(q, k, k, mask, scale=0.5, bias=bias)
    assert steps.raw_scores.tolist() == [[2, 4, 6], [4, 8, 12]]
    assert steps.scaled_scores.tolist() == [[2, 2, 8], [0, 4, 7]]
    assert steps.masked_scores.tolist() == [[2, 2, -math.inf], [0, 4, 7]]
    assert steps.weights[0].tolist() == [0.5, 0.5, 0]
