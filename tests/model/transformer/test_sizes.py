"""Resources by size: counts of published models, and of models built in the test."""

import dataclasses
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from model import DecoderConfig, EncoderConfig, HeadlightError, parameter_counts
from model.transformer.published import PUBLISHED
from model.transformer.sizes import (
    Architecture,
    build,
    cached_numbers,
    flops_per_token,
    n_bytes,
    parameters,
)
from tests.model.transformer.test_encoder import D, encoder


def total(costs) -> int:
    return sum(sum(parts.values()) for parts in costs.values())


def built(architecture: Architecture, device: str = "meta") -> int:
    return sum(parameter.numel() for parameter in build(architecture, device).parameters())


# -- published models ----------------------------------------------------------------------------

COUNTED = {
    "base": 63_082_496,
    "big": 214_245_376,
    "tutorial": 108_094_464,
    "bert-base": 109_482_240,
    "bert-large": 335_141_888,
    "minilm": 22_713_216,
    "gpt-2": 124_439_808,
    "gpt-3": 174_604_259_328,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_published_model_is_counted_exactly(name):
    architecture = PUBLISHED[name].architecture
    assert total(parameters(architecture)) == COUNTED[name]
    pooler = parameters(architecture).get("encoder", {}).get("pooler", 0)
    assert built(architecture) == COUNTED[name] - pooler


def test_the_sizes_match_the_papers():
    sizes = {
        name: (config.d_model, config.n_heads, config.n_layers, config.d_ff)
        for name, known in PUBLISHED.items()
        for config in known.architecture.stacks.values()
    }
    assert sizes["bert-base"] == (768, 12, 12, 3072)
    assert sizes["bert-large"] == (1024, 16, 24, 4096)
    assert sizes["gpt-2"] == (768, 12, 12, 3072)
    assert sizes["gpt-3"] == (12_288, 96, 96, 49_152)
    assert sizes["base"] == (512, 8, 6, 2048)
    assert sizes["big"] == (1024, 16, 6, 4096)


# -- the count and the built model ---------------------------------------------------------------


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
def test_the_count_equals_the_built_encoder(changes):
    model = encoder(**changes)
    built = sum(parameter.numel() for parameter in model.parameters())
    assert sum(parameter_counts(model.config).values()) == built


def test_each_part_is_counted_correctly():
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


@st.composite
def architectures(draw) -> Architecture:
    """Small sizes, all different."""
    n_heads = draw(st.integers(1, 3))
    stack = {
        "d_model": n_heads * 2 * draw(st.integers(1, 4)),
        "n_heads": n_heads,
        "d_ff": draw(st.integers(1, 23)),
        "norm": draw(st.sampled_from(["post", "pre"])),
        "positions": draw(st.sampled_from(["sinusoidal", "learned", "none"])),
        "embedding_norm": draw(st.booleans()),
        "max_len": draw(st.integers(1, 19)),
        "d_embedding": draw(st.sampled_from([None, 5])),
    }
    shape = draw(st.sampled_from(["encoder", "decoder", "both"]))
    vocab = draw(st.integers(1, 31))
    layers = st.integers(1, 3)
    one = EncoderConfig(vocab, n_layers=draw(layers), n_segments=draw(st.integers(0, 2)), **stack)
    shared = shape == "both" and draw(st.booleans())
    two = DecoderConfig(
        vocab if shared else draw(st.integers(1, 31)),
        n_layers=draw(layers),
        cross_attention=shape == "both",
        **stack,
    )
    return Architecture(
        None if shape == "decoder" else one,
        None if shape == "encoder" else two,
        shared_tokens=shared,
    )


@settings(deadline=None, max_examples=60)
@given(architectures())
def test_the_count_equals_the_built_model(architecture):
    assert total(parameters(architecture)) == built(architecture) == built(architecture, "cpu")


# -- arithmetic ----------------------------------------------------------------------------------

TINY_DECODER = DecoderConfig(
    11, d_model=4, n_heads=2, d_ff=6, n_layers=3, positions="none", cross_attention=False
)


def test_the_arithmetic_of_a_tiny_decoder_by_hand():
    """d = 4, F = 6, V = 11, three layers, the token sees 5."""
    assert flops_per_token(Architecture(decoder=TINY_DECODER), 5) == {
        "decoder": {
            "attention": 3 * 4 * (2 * 4 * 4),  # four maps of 4 x 4: 32 operations each
            "attention products": 3 * (2 * 5 * 4 + 2 * 5 * 4),  # 5 scores of 4, 4 sums of 5
            "feed-forward": 3 * (2 * 4 * 6 + 2 * 6 * 4),
            "output": 2 * 4 * 11,
        }
    }


def test_the_arithmetic_of_an_encoder_decoder_by_hand():
    side = {"d_model": 4, "n_heads": 2, "d_ff": 6, "positions": "none"}
    both = Architecture(
        EncoderConfig(9, n_layers=2, d_embedding=3, **side), DecoderConfig(11, n_layers=3, **side)
    )
    assert flops_per_token(both, n_tokens=5, n_source=7) == {
        "encoder": {
            "token embedding": 2 * 3 * 4,
            "attention": 2 * 4 * 32,
            "attention products": 2 * 2 * (2 * 7 * 4),
            "feed-forward": 2 * 2 * 48,
            "cross-attention memory": 3 * 2 * 32,
        },
        "decoder": {
            "attention": 3 * 4 * 32,
            "attention products": 3 * 2 * (2 * 5 * 4),
            "cross-attention": 3 * 2 * 32,
            "cross-attention products": 3 * 2 * (2 * 7 * 4),
            "feed-forward": 3 * 2 * 48,
            "output": 2 * 4 * 11,
        },
    }


@settings(deadline=None, max_examples=20)
@given(architectures(), st.integers(1, 7), st.integers(1, 7))
def test_the_arithmetic_equals_torchs_count_of_a_forward_pass(architecture, n_tokens, n_source):
    """Each token is charged with all tokens, because masked scores are computed too."""
    longest = {"max_len": max(n_tokens, n_source)}
    sides = [
        None if side is None else dataclasses.replace(side, **longest)
        for side in (architecture.encoder, architecture.decoder)
    ]
    architecture = dataclasses.replace(architecture, encoder=sides[0], decoder=sides[1])
    model = build(architecture, "cpu").eval()
    source, target = (torch.zeros(1, n, dtype=torch.long) for n in (n_source, n_tokens))
    counter = FlopCounterMode(display=False)
    with torch.inference_mode(), counter:
        if architecture.decoder is None:
            model(target)
        elif architecture.encoder is None:
            model.logits(model(target))
        else:
            model(source, target)
    costs = flops_per_token(architecture, n_tokens, n_source)
    alone = len(costs) == 1
    expected = sum(
        sum(parts.values()) * (n_source if stack == "encoder" and not alone else n_tokens)
        for stack, parts in costs.items()
    )
    assert counter.get_total_flops() == expected


# -- memory --------------------------------------------------------------------------------------


def test_gpt2_full_context_cache_takes_72_mebibytes_in_fp32():
    """2 x 12 layers x 1,024 tokens x 768 numbers, 4 bytes each."""
    cached = cached_numbers(PUBLISHED["gpt-2"].architecture, 1024)
    assert cached == {"attention": 2 * 12 * 1024 * 768}
    assert n_bytes(cached["attention"], 32) == 72 * 1024**2


def test_a_translators_cache_includes_the_source_and_an_encoders_is_empty():
    cached = cached_numbers(PUBLISHED["base"].architecture, n_tokens=5, n_source=7)
    assert cached == {"attention": 2 * 6 * 5 * 512, "cross-attention": 2 * 6 * 7 * 512}
    assert cached_numbers(PUBLISHED["bert-base"].architecture, 5) == {}


@given(st.integers(0, 10**15), st.sampled_from([4, 8, 16, 32]))
def test_bytes_are_exact_and_rounded_up(count, bits):
    exact = Fraction(count * bits, 8)
    assert 0 <= n_bytes(count, bits) - exact < 1


# -- contradicting options -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ({}, "nothing to count"),
        ({"decoder": TINY_DECODER, "pooler": True}, "a decoder has none"),
        ({"decoder": dataclasses.replace(TINY_DECODER, cross_attention=True)}, "looks at an enc"),
        ({"encoder": EncoderConfig(9), "decoder": TINY_DECODER}, "looks at an encoder"),
        ({"encoder": EncoderConfig(9), "shared_tokens": True}, "needs both sides"),
        (
            {"encoder": EncoderConfig(9), "decoder": DecoderConfig(9, d_model=16)},
            "not 512 and 16",
        ),
        (
            {"encoder": EncoderConfig(9), "decoder": DecoderConfig(8), "shared_tokens": True},
            "one vocabulary",
        ),
    ],
    ids=str,
)
def test_contradicting_options_are_an_error_in_words(sides, words):
    with pytest.raises(HeadlightError, match=words):
        Architecture(**sides)
