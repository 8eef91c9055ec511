"""All types of transformers: numbers equal eager attention's, or one true sentence says why not.

`make test-types` runs this file; `make test` tests one type for each mechanism of capture.
"""

from itertools import product

import pytest
import torch
from transformers import AutoModelForCausalLM

from model import load_model
from model.catalogue.pretrained import smollm2
from tests.model import checkpoints, encoder_decoder_checkpoints, parity
from tests.model.general_checkpoints import HYBRIDS
from tests.nightly import types_table

ONE_STACK = (*parity.ENCODERS, *parity.DECODERS)
TRANSLATORS = tuple(encoder_decoder_checkpoints.FAMILIES)


@pytest.mark.parametrize("model_type", sorted(types_table.OF))
def test_every_type_opens_or_is_refused_as_the_table_in_docs_says(model_type):
    """The weights of those that open equal eager attention's to the bit."""
    assert types_table.row(model_type) in types_table.PAGE.read_text().splitlines()


@pytest.mark.parametrize("model_type", ONE_STACK)
@pytest.mark.parametrize("pair", [None, parity.PAIR], ids=["sentence", "pair"])
def test_captures_equal_transformers(opened, model_type, pair):
    if pair is None or model_type in checkpoints.FAMILIES:
        parity.check_capture(opened(model_type), pair)


@pytest.mark.parametrize("model_type", parity.DECODERS)
def test_generation_and_the_language_head_equal_transformers(opened, model_type):
    parity.check_generation(opened(model_type))
    parity.check_language_head(opened(model_type))


@pytest.mark.parametrize("model_type", HYBRIDS)
def test_hybrids_have_attention_in_their_true_layers(opened, model_type):
    parity.check_hybrid(opened(model_type))


# The check changes one layer's W^O, which ALBERT's layers share.
@pytest.mark.parametrize("model_type", [each for each in ONE_STACK if each != "albert"])
@pytest.mark.parametrize("how", ["zero", "uniform"])
def test_a_head_can_be_switched_off(opened, model_type, how):
    parity.check_head_off(opened(model_type), how)


@pytest.mark.parametrize("family", TRANSLATORS)
def test_text_weights_and_probabilities_of_encoder_decoders_equal_transformers(opened, family):
    parity.check_translation(opened(family))
    parity.check_probabilities(opened(family))


@pytest.mark.parametrize("kind", [*ONE_STACK, *TRANSLATORS, *parity.CHANGING])
def test_texts_of_other_lengths_and_threads_change_nothing(opened, kind):
    parity.check_threads(opened(kind))


@pytest.mark.parametrize(("family", "head"), [*product(checkpoints.FAMILIES, checkpoints.HEADS)])
def test_decisions_of_task_heads_equal_transformers(tmp_path, family, head):
    parity.check_head(family, head, tmp_path / "one", None)
    parity.check_head(family, head, tmp_path / "two", parity.CONTEXT)


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "gpt2"])
def test_gguf_files_equal_the_checkpoint(tmp_path, family):
    parity.check_gguf(family, tmp_path)


def test_smollm2_has_the_weights_that_transformers_reads_from_its_file():
    file, ours = smollm2._file(), dict(load_model("smollm2").module.named_parameters())
    theirs = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    assert len(ours) == 272
    for name, weights in theirs.named_parameters():
        assert torch.equal(weights, ours[name]), name
