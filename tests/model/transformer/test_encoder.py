"""The encoder from scratch: parity with torch's layer, effects of order and padding."""

import dataclasses

import pytest
import torch
from torch.testing import assert_close

from model import (
    Encoder,
    EncoderConfig,
    EncoderLayer,
    HeadlightError,
    padding_mask,
    sinusoidal_encoding,
)

B, T, H, D, FF, VOCAB, LAYERS = 2, 5, 3, 12, 20, 31, 4
TINY = EncoderConfig(VOCAB, d_model=D, n_heads=H, d_ff=FF, n_layers=LAYERS, max_len=9)
LENGTHS = torch.tensor([3, 5])


def encoder(**changes) -> Encoder:
    torch.manual_seed(0)
    return Encoder(dataclasses.replace(TINY, **changes)).eval()


def tokens(*shape: int) -> torch.Tensor:
    return torch.randint(VOCAB, shape, generator=torch.Generator().manual_seed(3))


def torch_layer_like(ours: EncoderLayer, config: EncoderConfig) -> torch.nn.TransformerEncoderLayer:
    """torch's own layer with our weights."""
    theirs = torch.nn.TransformerEncoderLayer(
        config.d_model,
        config.n_heads,
        config.d_ff,
        activation=config.activation,
        dropout=config.dropout,
        norm_first=config.norm == "pre",
        batch_first=True,
    )
    qkv = (ours.attention.query, ours.attention.key, ours.attention.value)
    with torch.no_grad():
        theirs.self_attn.in_proj_weight.copy_(torch.cat([linear.weight for linear in qkv]))
        theirs.self_attn.in_proj_bias.copy_(torch.cat([linear.bias for linear in qkv]))
    theirs.self_attn.out_proj.load_state_dict(ours.attention.output.state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.expand.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.contract.state_dict())
    theirs.norm1.load_state_dict(ours.attention_norm.state_dict())
    theirs.norm2.load_state_dict(ours.feed_forward_norm.state_dict())
    return theirs


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_layer_equals_torch(norm, activation, padded):
    config = dataclasses.replace(TINY, norm=norm, activation=activation, dropout=0.0)
    torch.manual_seed(0)
    ours = EncoderLayer(config)
    for parameter in ours.parameters():  # norms start at 1 and 0, which would hide a mix-up
        torch.nn.init.normal_(parameter, std=0.5)
    theirs = torch_layer_like(ours, config)  # in train mode: eval takes a fused path
    x = torch.randn(B, T, D)
    mask = padding_mask(LENGTHS, T) if padded else None
    real = mask[:, 0, 0] if padded else torch.ones(B, T, dtype=torch.bool)
    expected = theirs(x, src_key_padding_mask=~real if padded else None)
    assert_close(ours(x, mask)[real], expected[real], atol=1e-5, rtol=1e-5)


def test_embeddings_are_scaled_before_sinusoids_but_not_in_bert():
    """Section 3.4 of the paper: without sqrt(d_model), the positions would dominate the words."""
    ids = tokens(B, T)
    paper = encoder().embeddings
    expected = paper.token(ids) * D**0.5 + sinusoidal_encoding(T, D)
    assert_close(paper(ids), expected)
    bert = encoder(positions="learned").embeddings
    assert_close(bert(ids), bert.token(ids) + bert.position(torch.arange(T)))


PERMUTATION = torch.tensor([3, 0, 4, 1, 2])


def test_without_positions_permuted_words_give_permuted_rows():
    model, ids = encoder(positions="none"), tokens(B, T)
    assert_close(model(ids[:, PERMUTATION]), model(ids)[:, PERMUTATION], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_with_positions_order_matters(positions):
    model, ids = encoder(positions=positions), tokens(B, T)
    difference = (model(ids[:, PERMUTATION]) - model(ids)[:, PERMUTATION]).abs().amax(-1)
    assert (difference > 0.01).all()


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_padding_changes_no_real_token(norm):
    model, ids = encoder(norm=norm), tokens(B, T)
    mask = padding_mask(LENGTHS, T)
    real = mask[:, 0, 0]
    other_padding = torch.where(real, ids, (ids + 7) % VOCAB)
    assert_close(model(ids, mask=mask)[real], model(other_padding, mask=mask)[real])
    alone = model(ids[:1, : LENGTHS[0]])
    assert_close(model(ids, mask=mask)[0, : LENGTHS[0]], alone[0], atol=1e-5, rtol=1e-5)


def test_segments_distinguish_two_sentences():
    model, ids = encoder(n_segments=2), tokens(1, T)
    assert_close(model(ids), model(ids, torch.zeros_like(ids)))  # sentence A by default
    assert not torch.allclose(model(ids), model(ids, torch.ones_like(ids)))


def test_a_model_without_segments_ignores_them():
    model, ids = encoder(), tokens(1, T)
    assert_close(model(ids, torch.ones_like(ids)), model(ids))


def test_post_norm_layers_and_the_pre_norm_stack_normalise_their_output():
    for norm in ("post", "pre"):
        out = encoder(norm=norm)(tokens(B, T))
        assert_close(out.mean(-1), torch.zeros(B, T), atol=1e-5, rtol=0)
        assert_close(out.var(-1, correction=0), torch.ones(B, T), atol=1e-3, rtol=0)


def test_too_many_tokens_are_an_error_in_words():
    with pytest.raises(HeadlightError, match=r"10 tokens\. The encoder reads at most 9"):
        encoder()(tokens(1, 10))
    assert encoder()(tokens(1, 9)).shape == (1, 9, D)
