import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from model import HeadlightError, MultiHeadAttention, causal_mask, scaled_dot_product_attention

B, H, TQ, TK, K, KV = 2, 3, 4, 5, 6, 7  # all different, so that a swapped axis shows


def random_qkv(seed: int = 0, shape=(B, H, TQ, TK, K, KV)):
    b, h, tq, tk, k, kv = shape
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(b, h, tq, k, generator=generator),
        torch.randn(b, h, tk, k, generator=generator),
        torch.randn(b, h, tk, kv, generator=generator),
    )


@given(
    shape=st.tuples(*[st.integers(1, 5)] * 6),
    seed=st.integers(0, 10_000),
    mask_axes=st.sampled_from([None, "keys", "queries and keys", "everything"]),
    scale=st.none() | st.floats(0.01, 3.0),
)
def test_it_equals_torch_attention(shape, seed, mask_axes, scale):
    q, k, v = random_qkv(seed, shape)
    b, h, tq, tk, _, _ = shape
    mask_shape = {"keys": (b, 1, 1, tk), "queries and keys": (tq, tk), "everything": (b, h, tq, tk)}
    mask = None
    if mask_axes:  # half of the keys are allowed, and always the first one
        generator = torch.Generator().manual_seed(seed)
        mask = torch.rand(*mask_shape[mask_axes], generator=generator) < 0.5
        mask[..., 0] = True
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, scale=scale)
    steps = scaled_dot_product_attention(q, k, v, mask, scale=scale)
    assert_close(steps.context, expected, atol=1e-5, rtol=1e-5)
    assert_close(steps.weights @ v, steps.context)
    assert steps.output is steps.context  # its name in the public interface


def test_true_means_allowed_and_a_masked_weight_is_exactly_zero():
    q, k, v = random_qkv()
    mask = torch.tensor([True, False, True, False, False])
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        weights = scaled_dot_product_attention(q.to(dtype), k.to(dtype), v.to(dtype), mask).weights
        assert (weights[..., ~mask] == 0).all()
        assert (weights[..., mask] > 0).all()


def test_invalid_masks_and_sizes_are_refused_in_words():
    q, k, v = random_qkv()
    blind = torch.ones(TQ, TK, dtype=torch.bool)
    blind[2] = False
    for mask, words in (
        (blind, "hides every key"),
        (torch.ones(TQ, TK), "boolean"),  # 1 and 0 are ambiguous: additive masks look the same
    ):
        with pytest.raises(HeadlightError, match=words):
            scaled_dot_product_attention(q, k, v, mask)
    for keys, values, words in (
        (torch.zeros(TK, K + 1), v, f"{K} dimensions and keys have {K + 1}"),
        (k, torch.zeros(TK + 1, KV), f"{TK} keys but {TK + 1} values"),
    ):
        with pytest.raises(HeadlightError, match=words):
            scaled_dot_product_attention(q, keys, values)
    with pytest.raises(HeadlightError, match="at least 1"):
        scaled_dot_product_attention(q[..., :0], k[..., :0], v)


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


def test_dropout_in_training_never_acts_on_captured_weights():
    ours, _ = multi_head_pair(dropout=0.5)
    x = torch.randn(B, T, D)
    trained_output, trained_weights = ours.train()(x)
    output, weights = ours.eval()(x)
    assert_close(trained_weights, weights)
    assert not torch.allclose(trained_output, output)
