"""Resources by size: counts of published models, and of models built in the test."""

import dataclasses
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    LlamaConfig,
    MixtralConfig,
    PretrainedConfig,
    Qwen2Config,
    Qwen3Config,
    T5Config,
)

from model import DecoderConfig, EncoderConfig, HeadlightError, parameter_counts
from model.transformer.published import PUBLISHED
from model.transformer.sizes import (
    PLAIN,
    Architecture,
    Variants,
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
    "t5-small": 60_506_624,
    "flan-t5-small": 76_961_152,
    "llama-2": 6_738_415_616,
    "mistral": 7_241_732_096,
    "mixtral": 46_702_792_704,
    "tinyllama": 1_100_048_384,
    "smollm2": 134_515_008,
    "qwen2.5": 494_032_768,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_published_model_is_counted_exactly(name):
    architecture = PUBLISHED[name].architecture
    assert total(parameters(architecture)) == COUNTED[name]
    if architecture.variants == PLAIN:
        pooler = parameters(architecture).get("encoder", {}).get("pooler", 0)
        assert built(architecture) == COUNTED[name] - pooler
    else:
        assert PUBLISHED[name].printed == f"{COUNTED[name]:,}"
        with pytest.raises(HeadlightError, match="cannot be built here"):
            build(architecture)


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


def transformers_config(architecture: Architecture) -> PretrainedConfig:
    """The configuration of transformers for the same sizes."""
    variants, decoder = architecture.variants, architecture.decoder
    assert decoder is not None
    if architecture.encoder is not None:
        return T5Config(
            vocab_size=decoder.vocab_size,
            d_model=decoder.d_model,
            d_kv=decoder.d_head,
            d_ff=decoder.d_ff,
            num_layers=architecture.encoder.n_layers,
            num_decoder_layers=decoder.n_layers,
            num_heads=decoder.n_heads,
            relative_attention_num_buckets=variants.n_buckets,
            feed_forward_proj="gated-gelu" if variants.gated else "relu",
        )
    sizes = {
        "vocab_size": decoder.vocab_size,
        "hidden_size": decoder.d_model,
        "intermediate_size": decoder.d_ff,
        "num_hidden_layers": decoder.n_layers,
        "num_attention_heads": decoder.n_heads,
        "num_key_value_heads": variants.n_key_heads or decoder.n_heads,
        "head_dim": decoder.d_head,
        "tie_word_embeddings": not variants.untied,
    }
    if variants.n_experts > 1:
        return MixtralConfig(num_local_experts=variants.n_experts, **sizes)
    if variants.qk_norm:
        return Qwen3Config(**sizes)
    return (Qwen2Config if variants.biases == "qkv" else LlamaConfig)(**sizes)


VARIED = [name for name, known in PUBLISHED.items() if known.architecture.variants != PLAIN]
QWEN3 = Architecture(  # Qwen3-0.6B
    decoder=DecoderConfig(
        151_936, d_model=1024, n_heads=16, head_width=128, d_ff=3072, n_layers=28, norm="pre",
        positions="none", cross_attention=False,
    ),
    variants=Variants(n_key_heads=8, gated=True, biases="none", rms_norm=True, qk_norm=True),
)  # fmt: skip


@pytest.mark.parametrize("known", [*VARIED, QWEN3], ids=str)
def test_newer_models_match_transformers(known):
    architecture = known if isinstance(known, Architecture) else PUBLISHED[known].architecture
    config = transformers_config(architecture)
    auto = AutoModelForCausalLM if architecture.encoder is None else AutoModelForSeq2SeqLM
    with torch.device("meta"):
        module = auto.from_config(config)
    if architecture.encoder is not None and architecture.variants.untied:
        # T5Config ties the head; a checkpoint with a head of its own unties it.
        module.lm_head.weight = torch.nn.Parameter(torch.empty_like(module.lm_head.weight))
    assert total(parameters(architecture)) == sum(p.numel() for p in module.parameters())


def test_a_newer_layer_by_hand():
    """d = 4, H = 2 of K = 3, G = 1, F = 6, V = 11, one layer of 3 experts, 2 for each token."""
    decoder = DecoderConfig(
        11, d_model=4, n_heads=2, head_width=3, d_ff=6, n_layers=1, norm="pre",
        positions="none", cross_attention=False,
    )  # fmt: skip
    newer = Variants(
        n_key_heads=1, gated=True, biases="qkv", rms_norm=True, untied=True, n_buckets=7,
        n_experts=3, n_active=2,
    )  # fmt: skip
    architecture = Architecture(decoder=decoder, variants=newer)
    assert parameters(architecture) == {
        "decoder": {
            "token embedding": 11 * 4,
            "relative positions": 7 * 2,
            "attention": 4 * 6 + 6 * 4 + 2 * (4 * 3) + 6 + 3 + 3,  # W^Q W^O, W^K W^V, biases
            "feed-forward": 3 * 3 * (4 * 6),
            "router": 4 * 3,
            "layer norms": 3 * 4,
            "output": 11 * 4,
        }
    }
    assert flops_per_token(architecture, 5) == {
        "decoder": {
            "attention": 2 * (4 * 6 + 6 * 4 + 2 * (4 * 3)),
            "attention products": 2 * 5 * 6 + 2 * 5 * 6,
            "feed-forward": 2 * 3 * (2 * 4 * 6),
            "router": 2 * 4 * 3,
            "output": 2 * 4 * 11,
        }
    }
    assert cached_numbers(architecture, 5) == {"attention": 2 * 5 * 3}


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
        "head_width": draw(st.sampled_from([None, 3])),
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
        ({"decoder": TINY_DECODER, "pooler": True}, "A decoder has no pooler"),
        (
            {"decoder": dataclasses.replace(TINY_DECODER, cross_attention=True)},
            "if and only if there is an encoder",
        ),
        ({"encoder": EncoderConfig(9), "variants": Variants(n_key_heads=3)}, "8 query heads"),
        (
            {"encoder": EncoderConfig(9), "decoder": TINY_DECODER},
            "if and only if there is an encoder",
        ),
        ({"encoder": EncoderConfig(9), "shared_tokens": True}, "only by an encoder and a decoder"),
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
