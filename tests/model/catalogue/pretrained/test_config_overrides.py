"""Settings of config.json that change how transformers runs, not what a model computes."""

import pytest
from numpy.testing import assert_array_equal

from model import load_model
from model.catalogue.models import load_translator
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
READERS = [
    *((checkpoints, family) for family in checkpoints.FAMILIES),
    *((decoder_checkpoints, family) for family in decoder_checkpoints.FAMILIES),
]


@pytest.mark.parametrize("overrides", OVERRIDES, ids=str)
@pytest.mark.parametrize(("saved", "family"), READERS)
def test_a_model_of_one_stack_ignores_them(tmp_path, saved, family, overrides):
    folder = saved.save(family, tmp_path / "tiny")
    expected = load_model(str(folder))
    model = load_model(configure(folder, **overrides))
    assert_array_equal(model.attend(SENTENCE).weights, expected.attend(SENTENCE).weights)
    assert_array_equal(model.hidden_states(SENTENCE), expected.hidden_states(SENTENCE))


@pytest.mark.parametrize("overrides", OVERRIDES, ids=str)
@pytest.mark.parametrize("family", ["t5", "bart", "marian", "t5gemma"])
def test_an_encoder_decoder_ignores_them(tmp_path, family, overrides):
    folder = encoder_decoder_checkpoints.save(family, tmp_path / "tiny")
    expected = load_translator(str(folder)).generate(SENTENCE, max_new_tokens=3)
    configure(folder, **overrides)
    written = load_translator(str(folder)).generate(SENTENCE, max_new_tokens=3)
    assert_array_equal(written.cross.weights, expected.cross.weights)
    assert written.steps == expected.steps
