"""The encoder from scratch: parity with torch's layer, what order and padding do, its size."""

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
    parameter_counts,
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
    """torch's own layer, carrying our weights."""
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
def test_a_layer_equals_torchs(norm, activation, padded):
    config = dataclasses.replace(TINY, norm=norm, activation=activation, dropout=0.0)
    torch.manual_seed(0)
    ours = EncoderLayer(config)
    for parameter in ours.parameters():  # norms start at 1 and 0, where a mix-up cannot show
        torch.nn.init.normal_(parameter, std=0.5)
    theirs = torch_layer_like(ours, config)  # in train mode: eval takes a fused path
    x = torch.randn(B, T, D)
    mask = padding_mask(LENGTHS, T) if padded else None
    real = mask[:, 0, 0] if padded else torch.ones(B, T, dtype=torch.bool)
    expected = theirs(x, src_key_padding_mask=~real if padded else None)
    assert_close(ours(x, mask)[real], expected[real], atol=1e-5, rtol=1e-5)


def test_embeddings_are_scaled_before_the_sinusoids_are_added_and_berts_are_not():
    """Section 3.4 of the paper: without sqrt(d_model), the positions would drown the words."""
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
def test_what_stands_in_the_padding_changes_no_real_token(norm):
    model, ids = encoder(norm=norm), tokens(B, T)
    mask = padding_mask(LENGTHS, T)
    real = mask[:, 0, 0]
    other_padding = torch.where(real, ids, (ids + 7) % VOCAB)
    assert_close(model(ids, mask=mask)[real], model(other_padding, mask=mask)[real])
    alone = model(ids[:1, : LENGTHS[0]])
    assert_close(model(ids, mask=mask)[0, : LENGTHS[0]], alone[0], atol=1e-5, rtol=1e-5)


def test_segments_tell_two_sentences_apart():
    model, ids = encoder(n_segments=2), tokens(1, T)
    assert_close(model(ids), model(ids, torch.zeros_like(ids)))  # sentence A unless told
    assert not torch.allclose(model(ids), model(ids, torch.ones_like(ids)))


def test_a_model_without_segments_ignores_them():
    model, ids = encoder(), tokens(1, T)
    assert_close(model(ids, torch.ones_like(ids)), model(ids))


def test_each_layer_normalises_its_output_in_post_norm_and_the_stack_does_in_pre_norm():
    for norm in ("post", "pre"):
        out = encoder(norm=norm)(tokens(B, T))
        assert_close(out.mean(-1), torch.zeros(B, T), atol=1e-5, rtol=0)
        assert_close(out.var(-1, correction=0), torch.ones(B, T), atol=1e-3, rtol=0)


def test_too_many_tokens_are_an_error_in_words():
    with pytest.raises(HeadlightError, match="10 tokens are more than the encoder's 9"):
        encoder()(tokens(1, 10))
    assert encoder()(tokens(1, 9)).shape == (1, 9, D)


# What the tutorials' sizes come to, counted.

PAPER_BASE = EncoderConfig(30_000, d_model=768, n_heads=12, d_ff=3072, n_layers=12)
BERT_BASE = EncoderConfig(
    30_522,
    d_model=768,
    n_heads=12,
    d_ff=3072,
    n_layers=12,
    activation="gelu",
    positions="learned",
    n_segments=2,
    embedding_norm=True,
)
BERT_LARGE = dataclasses.replace(BERT_BASE, d_model=1024, n_heads=16, d_ff=4096, n_layers=24)


def test_the_tutorials_encoder_has_108_094_464_parameters():
    assert sum(parameter_counts(PAPER_BASE).values()) == 108_094_464


def test_bert_base_has_109_482_240_parameters():
    assert sum(parameter_counts(BERT_BASE, pooler=True).values()) == 109_482_240


def test_bert_large_has_335_141_888_parameters():
    """Published as 340M."""
    assert sum(parameter_counts(BERT_LARGE, pooler=True).values()) == 335_141_888


def test_gpt2s_blocks_have_the_size_that_the_formula_of_pre_norm_gives():
    """GPT-2 is a pre-norm stack with learned positions: 124,439,808 by count, 117M as published."""
    gpt2 = EncoderConfig(
        50_257,
        d_model=768,
        n_heads=12,
        d_ff=3072,
        n_layers=12,
        max_len=1024,
        norm="pre",
        activation="gelu",
        positions="learned",
    )
    assert sum(parameter_counts(gpt2).values()) == 124_439_808


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "pre"},
        {"positions": "learned"},
        {"positions": "none", "n_segments": 2},
        {"positions": "learned", "n_segments": 3, "embedding_norm": True, "norm": "pre"},
    ],
    ids=str,
)
def test_the_count_is_what_the_built_encoder_has(changes):
    model = encoder(**changes)
    built = sum(parameter.numel() for parameter in model.parameters())
    assert sum(parameter_counts(model.config).values()) == built


def test_each_part_is_counted_for_what_it_is():
    model = encoder(positions="learned", n_segments=2, embedding_norm=True, norm="pre")
    counts = parameter_counts(model.config, pooler=True)

    def built(*names: str) -> int:
        return sum(
            p.numel() for name, p in model.named_parameters() if any(n in name for n in names)
        )

    assert counts == {
        "token embedding": built("embeddings.token"),
        "positions": built("embeddings.position"),
        "segments": built("embeddings.segment"),
        "embedding norm": built("embeddings.norm"),
        "attention": built(".attention."),
        "feed-forward": built(".feed_forward."),
        "layer norms": built("attention_norm", "feed_forward_norm", "final_norm"),
        "pooler": D * D + D,
    }


# Mistakes in a configuration are said in words.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_heads": 5}, "d_model = 12 does not split into 5 heads"),
        ({"d_model": 9}, "must be even"),
        ({"n_layers": 0}, "n_layers must be at least 1, not 0"),
        ({"d_model": -12}, "d_model must be at least 1"),
        ({"vocab_size": 0}, "vocab_size must be at least 1"),
        ({"norm": "middle"}, "norm must be one of post, pre, not middle"),
        ({"activation": "swish"}, "activation must be one of relu, gelu"),
        ({"positions": "rotary"}, "positions must be one of sinusoidal, learned, none"),
    ],
    ids=str,
)
def test_a_configuration_that_makes_no_encoder_is_an_error_in_words(changes, words):
    with pytest.raises(HeadlightError, match=words):
        dataclasses.replace(TINY, **changes)


def test_an_odd_d_model_is_fine_without_sinusoids():
    assert encoder(d_model=9, positions="learned")(tokens(1, T)).shape == (1, T, 9)


def test_the_defaults_are_the_papers():
    config = EncoderConfig(37_000)
    sizes = (config.d_model, config.n_heads, config.d_ff, config.n_layers, config.d_head)
    assert sizes == (512, 8, 2048, 6, 64)
    assert (config.norm, config.activation, config.positions) == ("post", "relu", "sinusoidal")
