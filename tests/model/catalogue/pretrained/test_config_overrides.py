"""Settings of config.json that change how transformers runs, not what a model computes."""

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from model import load_model
from model.catalogue.models import load_causal, load_translator
from tests.model import checkpoints, decoder_checkpoints, encoder_decoder_checkpoints
from tests.model.checkpoints import configure

OVERRIDES = [
    {"_attn_implementation": "sdpa"},
    {"_attn_implementation": "flash_attention_2"},
    {"attn_implementation": "flash_attention_2"},
    {"return_dict": False},
    {"chunk_size_feed_forward": 3},
    {"output_attentions": True},
    {"output_hidden_states": True},
]
SENTENCE = "the animal was it"


@pytest.fixture(params=OVERRIDES, ids=str)
def overrides(request):
    return request.param


@pytest.mark.parametrize("family", checkpoints.FAMILIES)
def test_an_encoder_ignores_them(families, tmp_path, family, overrides):
    folder = configure(checkpoints.save(family, tmp_path / "tiny"), **overrides)
    model, expected = load_model(folder), families[family]
    assert_array_equal(model.attend(SENTENCE).weights, expected.attend(SENTENCE).weights)
    assert_allclose(model.hidden_states(SENTENCE), expected.hidden_states(SENTENCE), atol=0)


@pytest.mark.parametrize("family", decoder_checkpoints.FAMILIES)
def test_a_decoder_ignores_them(decoders, tmp_path, family, overrides):
    folder = configure(decoder_checkpoints.save(family, tmp_path / "tiny"), **overrides)
    written, expected = (
        model.generate(SENTENCE, max_new_tokens=3)
        for model in (load_causal(folder), decoders[family])
    )
    assert_array_equal(written.capture.weights, expected.capture.weights)
    assert written.steps == expected.steps


@pytest.mark.parametrize("family", encoder_decoder_checkpoints.FAMILIES)
def test_an_encoder_decoder_ignores_them(tmp_path, family, overrides):
    folder = encoder_decoder_checkpoints.save(family, tmp_path / "tiny")
    expected = load_translator(str(folder)).generate(SENTENCE, max_new_tokens=3)
    configure(folder, **overrides)
    written = load_translator(str(folder)).generate(SENTENCE, max_new_tokens=3)
    assert_array_equal(written.cross.weights, expected.cross.weights)
    assert written.steps == expected.steps
