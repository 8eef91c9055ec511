"""The encoder's sizes: how many parameters they come to, and which make no encoder."""

import dataclasses

import pytest

from model import EncoderConfig, HeadlightError, parameter_counts
from tests.model.transformer.test_encoder import TINY, D, T, encoder, tokens

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
