"""Parameters by part: counts of published models, and of models built in the test."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model import Decoder, DecoderConfig, Encoder, EncoderConfig, EncoderDecoder, parameter_counts
from tests.model.transformer.test_encoder import D, encoder

TUTORIAL = EncoderConfig(30_000, d_model=768, n_heads=12, d_ff=3072, n_layers=12)
GPT2 = DecoderConfig(
    50_257,
    d_model=768,
    n_heads=12,
    d_ff=3072,
    n_layers=12,
    max_len=1024,
    norm="pre",
    positions="learned",
    cross_attention=False,
)
BERT = replace(TUTORIAL, vocab_size=30_522, positions="learned", n_segments=2, embedding_norm=True)


@pytest.mark.parametrize(
    ("config", "pooler", "count"),
    [
        (TUTORIAL, False, 108_094_464),
        (BERT, True, 109_482_240),
        (replace(BERT, d_model=1024, n_heads=16, d_ff=4096, n_layers=24), True, 335_141_888),
        (replace(BERT, d_model=384, d_ff=1536, n_layers=6), True, 22_713_216),  # MiniLM
        (GPT2, False, 124_439_808),  # the published figure is a few percent lower
    ],
)
def test_each_published_model_is_counted_exactly(config, pooler, count):
    assert sum(parameter_counts(config, pooler=pooler).values()) == count


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


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_count_equals_the_built_model(data):
    draw = data.draw
    n_heads = draw(st.integers(1, 3))
    stack = {
        "vocab_size": draw(st.integers(1, 31)),
        "d_model": n_heads * 2 * draw(st.integers(1, 4)),
        "n_heads": n_heads,
        "d_ff": draw(st.integers(1, 23)),
        "n_layers": draw(st.integers(1, 3)),
        "norm": draw(st.sampled_from(["post", "pre"])),
        "positions": draw(st.sampled_from(["sinusoidal", "learned", "none"])),
        "embedding_norm": draw(st.booleans()),
        "max_len": draw(st.integers(1, 19)),
        "d_embedding": draw(st.sampled_from([None, 5])),
        "head_width": draw(st.sampled_from([None, 3])),
    }
    one = EncoderConfig(n_segments=draw(st.integers(0, 2)), **stack)
    two = DecoderConfig(**stack)
    alone = replace(two, cross_attention=False)
    with torch.device("meta"):  # shapes without memory
        both = EncoderDecoder(one, two)
        both.decoder.embeddings.token = both.encoder.embeddings.token
        models = [(Encoder(one), [parameter_counts(one)])]
        models += [(Decoder(alone), [parameter_counts(alone)])]
    models += [(both, [parameter_counts(one), parameter_counts(two, shared_tokens=True)])]
    for module, counts in models:
        built = sum(parameter.numel() for parameter in module.parameters())
        assert sum(sum(parts.values()) for parts in counts) == built
