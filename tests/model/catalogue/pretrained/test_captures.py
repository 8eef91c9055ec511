"""Models of one stack: captures and generated text equal transformers' own.

One type for each mechanism of capture. `make test-types` compares the other types.
"""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.torch import load_file, save_file
from transformers import (
    AttentionInterface,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
)

from model import HeadlightError, load_model
from model.analysis.depth import by_layer
from model.capture.attention_interface import attend
from model.catalogue.pretrained.attention_layers import IMPLEMENTATION
from tests.model import checkpoints, parity
from tests.model.checkpoints import configure, seeded
from tests.model.encoder_decoder_checkpoints import SIZES
from tests.model.general_checkpoints import PLAIN
from tests.model.parity import PAIR, SENTENCE

MECHANISMS = {
    "bert": "our attention function, two sentences",
    "roberta": "positions after the padding's row, no segments",
    "albert": "modules that serve several layers",
    "modernbert": "local and global layers",
    "gpt2": "scales by layer, W^O as a Conv1D",
    "llama": "grouped queries, heads of another width than d_model / n_heads",
    "mistral": "a sliding window",
    "qwen2": "biases, a tied language head",
    "gemma3": "the text half of a model that also reads images",
    "gpt_oss": "attention sinks, a sliding window",
    "llama4_text": "a decoder that its prefix does not name",
    "gpt_neox": "parts without names, a fused projection",
    "gemma2": "hooks: soft-capped scores and logits, V of grouped queries",
    "mpt": "hooks: a boolean mask, q, k and v as thirds",
    "falcon_grouped": "hooks: q, k and v in groups",
    "gpt_neo": "hooks: a window inside the layer",
    "codegen": "hooks: no W^O for a layout of its own",
    "xlnet": "hooks: a module that also runs for something else",
}


@pytest.mark.parametrize("model_type", MECHANISMS)
def test_weights_states_masks_and_steps_equal_transformers(opened, model_type):
    parity.check_capture(opened(model_type))


@pytest.mark.parametrize("model_type", ["bert", "roberta", "modernbert"])
def test_a_pair_is_read_as_transformers_reads_it(opened, model_type):
    parity.check_capture(opened(model_type), PAIR)


@pytest.mark.parametrize("model_type", [each for each in MECHANISMS if each in parity.DECODERS])
def test_generation_and_the_language_head_equal_transformers(opened, model_type):
    parity.check_generation(opened(model_type))
    parity.check_language_head(opened(model_type))


@pytest.mark.parametrize("model_type", ["jamba", "bamba", "nemotron_h"])
def test_hybrids_have_attention_in_their_true_layers(opened, model_type):
    parity.check_hybrid(opened(model_type))


def test_rollout_is_refused_where_tokens_also_mix_beside_attention(opened):
    model = opened("falcon_h1").model
    with pytest.raises(HeadlightError, match="also mixes tokens without attention"):
        by_layer(model, model.attend(SENTENCE), "rollout")


@pytest.mark.parametrize("how", ["zero", "uniform"])
@pytest.mark.parametrize("model_type", ["gpt_neox", "gemma2", "mpt", "codegen", "xlnet"])
def test_a_head_can_be_switched_off(opened, model_type, how):
    parity.check_head_off(opened(model_type), how)


def test_layers_share_a_mask_which_counts_once(opened):
    capture = opened("llama").model.attend(SENTENCE)
    assert capture.scale is None
    assert np.shares_memory(capture.allowed[0], capture.allowed[-1])
    arrays = (capture.weights, *capture.q, *capture.k, *capture.v, capture.allowed[0])
    assert capture.nbytes == sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("family", [each for each in checkpoints.FAMILIES if each != "modernbert"])
def test_the_position_table_is_added_to_the_embeddings(families, family_folders, family):
    """A word's embeddings at two positions differ by the rows of the table."""
    table = families[family].position_table
    assert table.shape[0] == families[family].max_len == 48
    embeddings = AutoModel.from_pretrained(family_folders[family]).embeddings
    added = []
    embeddings.LayerNorm.register_forward_pre_hook(lambda _, args: added.append(args[0][0]))
    with torch.inference_mode():
        embeddings(input_ids=torch.full((1, 48), 6))
    moved = added[0] - added[0][0]  # the word's own embedding cancels
    assert_allclose(moved.numpy(), (table - table[0]).numpy(), atol=1e-5)
    assert families["modernbert"].position_table is None


# Checkpoints as they are published.


def test_an_xlnet_with_its_language_head_is_an_encoder(opened, tmp_path):
    """Published XLNets are saved so. The bare model of the same weights has the same attention."""
    bare = AutoModel.from_pretrained(opened("xlnet").folder)
    whole = AutoModelForCausalLM.from_config(bare.config)
    whole.transformer.load_state_dict(bare.state_dict())
    model = load_model(str(checkpoints.write(tmp_path, whole, checkpoints.word_piece())))
    assert model.stack == "encoder"
    expected = opened("xlnet").model.attend(SENTENCE).weights
    assert_array_equal(model.attend(SENTENCE).weights, expected)


def test_the_first_gpt2_loads_as_published(copied, opened):
    """Its names have no prefix, its head is left out, and its masks are stored."""
    folder = copied("gpt2")
    weights = {
        key.removeprefix("transformer."): value
        for key, value in load_file(folder / "model.safetensors").items()
        if not key.startswith("lm_head")
    }
    for layer in range(2):
        weights[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 48, 48).tril()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    theirs, ours = load_model(str(folder)).attend(SENTENCE), opened("gpt2").model.attend(SENTENCE)
    assert_array_equal(theirs.weights, ours.weights)


def test_weights_that_our_function_does_not_compute_are_read_by_hooks(opened):
    def differs(*args, **settings):
        return attend(*args, **{**settings, "scaling": 0.1})

    AttentionInterface.register(IMPLEMENTATION, differs)
    try:
        capture = load_model(str(opened("llama").folder)).attend(SENTENCE)
    finally:
        AttentionInterface.register(IMPLEMENTATION, attend)
    assert_array_equal(capture.weights, opened("llama").model.attend(SENTENCE).weights)
    for call in (lambda: capture.head(0, 0), lambda: capture.key_head(0)):
        with pytest.raises(HeadlightError, match="not its queries, keys and values"):
            call()
    again = type(capture).from_npz(capture.to_npz())
    assert_array_equal(again.weights, capture.weights)
    assert not capture.has_steps and not again.has_steps


FLASH = dict.fromkeys(("attn_implementation", "_attn_implementation"), "flash_attention_2")
RESULTS = {"return_dict": False, "output_attentions": True, "output_hidden_states": True}


@pytest.mark.parametrize("settings", [FLASH, {**RESULTS, "chunk_size_feed_forward": 3}], ids=str)
def test_settings_of_how_transformers_runs_change_nothing(copied, opened, settings):
    models = load_model(configure(copied("llama"), **settings)), opened("llama").model
    assert_array_equal(*(each.attend(SENTENCE).weights for each in models))
    assert_array_equal(*(each.hidden_states(SENTENCE) for each in models))


# Refusals.


@pytest.mark.parametrize(
    ("family", "changes", "message"),
    [
        ("mistral", {"sliding_window": 0}, "window of 0 tokens"),
        ("llama", {"is_causal": False}, "see later ones"),
        ("llama", {"num_hidden_layers": 90, "num_attention_heads": 96, "hidden_size": 96}, "8,192"),
        ("gpt2", {"add_cross_attention": True}, "Choose the complete model"),
        ("llama", {"num_hidden_layers": 2}, "do not fit"),
    ],
    ids=str,
)
def test_an_inconsistent_configuration_is_refused_in_words(copied, family, changes, message):
    with pytest.raises(HeadlightError, match=message):
        load_model(configure(copied(family), **changes))


LANDMARKS = {"num_landmarks": 4, "segment_means_seq_len": 16}
LED = {**SIZES, "attention_window": 4, "encoder_layers": 2, "decoder_layers": 3}
LED |= {"encoder_attention_heads": 4, "decoder_attention_heads": 2}
LONGT5 = {"d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 2, "num_heads": 3}
SQUEEZED = {f"{part}_groups": 1 for part in ("q", "k", "v", "post_attention", "output")}
SQUEEZED |= {"intermediate_groups": 1, "embedding_size": 24}


@pytest.mark.parametrize(
    ("model_type", "auto", "settings", "message"),
    [
        ("mamba", AutoModel, {"hidden_size": 24, "num_hidden_layers": 2}, "no attention heads"),
        ("xmod", AutoModel, {**PLAIN, "languages": ["en_XX", "de_DE"]}, "languages: en_XX, de_DE"),
        ("squeezebert", AutoModel, {**PLAIN, **SQUEEZED}, "numbers below 0 or above 1"),
        ("albert", AutoModel, {**PLAIN, "inner_group_num": 3}, "every layer with attention"),
        ("nystromformer", AutoModel, {**PLAIN, **LANDMARKS}, "does not run on a text of 5 tokens"),
        ("roformer", AutoModelForCausalLM, PLAIN, "tokens see later ones, so it cannot continue"),
        ("led", AutoModelForSeq2SeqLM, LED, "cannot find the part of each layer"),
        ("longt5", AutoModelForSeq2SeqLM, LONGT5, "built in another way"),
        ("vit", AutoModel, {"hidden_size": 24, "num_attention_heads": 3}, "as a model of text"),
    ],
)
def test_other_models_are_refused(tmp_path, model_type, auto, settings, message):
    config = AutoConfig.for_model(model_type, vocab_size=99, **settings)
    module = seeded(auto.from_config, config)
    folder = checkpoints.write(tmp_path / "tiny", module, checkpoints.word_piece())
    assert message in checkpoints.refused(folder)
