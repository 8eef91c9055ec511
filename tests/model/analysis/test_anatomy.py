"""Parts of loaded models, against sizes worked out by hand from their configurations."""

import pytest

from model import load_model
from model.analysis.anatomy import Anatomy, LayerSizes, anatomy
from model.catalogue.models import load_translator
from tests.model import encoder_decoder_checkpoints, general_checkpoints

D, F = 384, 1536
MINILM = LayerSizes(
    attention=4 * (D * D + D), cross_attention=0, feed_forward=2 * D * F + F + D, norms=2 * 2 * D
)


def total(parts: Anatomy, n_distinct: int | None = None) -> int:
    layers = (sum(each.total for each in s.layers[:n_distinct]) for s in parts.stacks.values())
    outside = parts.tokens + parts.position_parameters + parts.output + parts.other
    return sum(layers) + outside


def test_the_parts_of_minilm(minilm):
    parts = anatomy(minilm)
    stack = parts.stacks["encoder"]
    assert stack.layers == (MINILM,) * 6
    assert (stack.d_ff, stack.gated, stack.norm_placement) == (F, False, "post")
    assert (parts.vocab_size, parts.d_model, parts.d_embedding) == (30_522, D, D)
    assert (parts.tokens, parts.output) == (30_522 * D, 0)
    assert (parts.positions, parts.position_parameters) == ("learned", 512 * D)
    assert parts.other == 2 * D + 2 * D + (D * D + D)  # segments, norm, pooler
    assert total(parts) == minilm.n_parameters


def test_the_parts_of_a_decoder_with_shared_key_heads(decoders):
    """6 heads of queries and 2 of keys and values, of 10 dimensions; a gated feed-forward layer."""
    model = decoders["llama"]
    parts, vocab_size = anatomy(model), model.module.config.vocab_size
    stack = parts.stacks["decoder"]
    layer = LayerSizes(
        attention=2 * 24 * 60 + 2 * 24 * 20,
        cross_attention=0,
        feed_forward=3 * 24 * 40,
        norms=2 * 24,
    )
    assert stack.layers == (layer,) * 3
    assert (stack.d_ff, stack.gated, stack.norm_placement) == (40, True, "pre")
    assert (parts.tokens, parts.output, parts.other) == (vocab_size * 24, vocab_size * 24, 24)
    assert parts.positions == "rotary"
    assert total(parts) == model.n_parameters
    assert anatomy(decoders["qwen2"]).output == 0  # its head is the token table


def test_norms_of_the_outputs_alone_are_told_from_those_of_queries_and_sums(tmp_path):
    """OLMo 2 normalises queries, keys and the output of each part, which it then adds."""
    folder = general_checkpoints.save("olmo2", tmp_path / "olmo2")
    stack = anatomy(load_model(str(folder))).stacks["decoder"]
    assert (stack.norm_placement, stack.layers[1].norms) == ("output", 2 * 24 + 24 + 8)


def test_the_parts_of_our_models():
    own = load_model("scratch")
    scratch = anatomy(own)
    assert total(scratch) == own.n_parameters
    assert (scratch.d_embedding, scratch.d_model, scratch.positions) == (128, 192, "sinusoidal")
    translator = load_translator("phrases")
    phrases = anatomy(translator)
    assert total(phrases) == translator.n_parameters
    encoder, decoder = (stack.layers[0] for stack in phrases.stacks.values())
    attention = 4 * (64 * 64 + 64)
    assert (encoder.attention, encoder.cross_attention) == (attention, 0)
    assert (decoder.attention, decoder.cross_attention) == (attention, attention)
    assert encoder.feed_forward == decoder.feed_forward == 2 * 64 * 256 + 256 + 64
    assert (encoder.norms, decoder.norms) == (2 * 2 * 64, 3 * 2 * 64)
    assert phrases.tokens == (294 + 405) * 64
    assert phrases.positions == "sinusoidal"


def test_every_parameter_of_every_family_is_in_one_part(families, decoders):
    for family, model in {**families, **decoders}.items():
        parts = anatomy(model)
        n_distinct = 2 if family == "albert" else None  # groups of layers share their weights
        assert total(parts, n_distinct) == model.n_parameters, family
        (stack,) = parts.stacks.values()
        assert len(stack.layers) == model.n_layers, family
        assert parts.d_model == model.d_model, family
        site = model.layers[0]
        assert stack.norm_placement == ("pre" if site.norms is None else "post"), family
        assert (parts.position_parameters > 0) == (parts.positions == "learned"), family
        assert (parts.positions == "rotary") == (model.position_table is None), family


@pytest.mark.parametrize("family", encoder_decoder_checkpoints.FAMILIES)
def test_the_parts_of_an_encoder_decoder(family, tmp_path):
    folder = encoder_decoder_checkpoints.save(family, tmp_path / family)
    model = load_translator(str(folder))
    parts = anatomy(model)
    assert total(parts) == model.n_parameters
    assert all(layer.cross_attention for layer in parts.stacks["decoder"].layers)
    assert not any(layer.cross_attention for layer in parts.stacks["encoder"].layers)
    placements = {stack.norm_placement for stack in parts.stacks.values()}
    assert placements == ({"post"} if family in ("bart", "marian", "plbart") else {"pre"})
    expected = dict.fromkeys(("t5", "mt5", "umt5", "switch_transformers"), "relative")
    expected |= dict.fromkeys(("marian", "m2m_100", "pegasus"), "sinusoidal")
    expected |= dict.fromkeys(("bart", "mbart", "blenderbot", "plbart"), "learned")
    assert parts.positions == (expected | {"t5gemma": "rotary"})[family.partition("-")[0]]
