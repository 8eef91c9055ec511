from dataclasses import replace

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model import Decoder, DecoderConfig, Encoder, EncoderConfig, EncoderDecoder, parameter_counts

BASE = {"d_model": 768, "n_heads": 12, "d_ff": 3072, "n_layers": 12, "positions": "learned"}
BERT = EncoderConfig(30_522, n_segments=2, embedding_norm=True, **BASE)


def test_each_part_of_bert_is_counted_by_hand():
    d, f = 768, 3072
    assert parameter_counts(BERT, pooler=True) == {
        "token embedding": 30_522 * d,
        "positions": 512 * d,
        "segments": 2 * d,
        "embedding norm": 2 * d,
        "attention": 12 * 4 * (d * d + d),
        "feed-forward": 12 * (2 * d * f + f + d),
        "layer norms": 12 * 4 * d,
        "pooler": d * d + d,
    }


@settings(max_examples=20)
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
