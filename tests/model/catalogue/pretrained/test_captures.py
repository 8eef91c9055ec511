"""Models of one stack: captures and generated text equal transformers' own.

One type for each mechanism of capture. `make test-types` compares the other types.
"""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.torch import load_file, save_file
from transformers import AttentionInterface, AutoConfig, AutoModel, AutoModelForCausalLM

from model import HeadlightError, load_model
from model.capture.attention_interface import attend
from model.catalogue.models import load_causal
from model.catalogue.pretrained.attention_layers import IMPLEMENTATION
from tests.model import checkpoints, parity
from tests.model.checkpoints import configure, seeded
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
    "gpt_neox": "parts without names, a fused projection",
    "gemma2": "hooks: soft-capped scores and logits, V of grouped queries",
    "mpt": "hooks: a boolean mask, q, k and v as thirds",
    "falcon_grouped": "hooks: q, k and v in groups",
    "gpt_neo": "hooks: a window inside the layer",
    "codegen": "hooks: no W^O for a layout of its own",
    "xlnet": "hooks: a module that also runs for something else",
}
READ_BY_DECODER = [each for each in MECHANISMS if each in parity.DECODERS]


@pytest.mark.parametrize("model_type", MECHANISMS)
def test_weights_states_masks_and_steps_equal_transformers(opened, model_type):
    parity.check_capture(opened(model_type))
    parity.check_longest_text(opened(model_type))


@pytest.mark.parametrize("model_type", ["bert", "roberta", "modernbert"])
def test_a_pair_is_read_as_transformers_reads_it(opened, model_type):
    parity.check_capture(opened(model_type), PAIR)


@pytest.mark.parametrize("model_type", READ_BY_DECODER)
def test_generation_and_the_language_head_equal_transformers(opened, model_type):
    parity.check_generation(opened(model_type))
    parity.check_language_head(opened(model_type))


@pytest.mark.parametrize(
    ("model_type", "how"),
    [
        *(("gpt_neox", how) for how in ("zero", "uniform")),
        *((each, "zero") for each in ("gemma2", "mpt", "falcon_grouped", "codegen", "xlnet")),
        ("gemma2", "uniform"),
    ],
)
def test_a_head_can_be_switched_off(opened, model_type, how):
    parity.check_head_off(opened(model_type), how)


def test_layers_have_their_own_scales_and_share_a_mask_which_counts_once(opened):
    assert_allclose(opened("gpt2").model.attend(SENTENCE).scale, [8**-0.5, 8**-0.5 / 2])
    capture = opened("llama").model.attend(SENTENCE)
    assert capture.scale is None
    assert np.shares_memory(capture.allowed[0], capture.allowed[-1])
    arrays = (capture.weights, *capture.q, *capture.k, *capture.v, capture.allowed[0])
    assert capture.nbytes == sum(array.nbytes for array in arrays)


def test_modernbert_has_local_and_global_layers(opened):
    capture = opened("modernbert").model.attend(SENTENCE)
    position = np.arange(len(capture.tokens))
    near = np.abs(position[:, None] - position) <= checkpoints.WINDOW
    assert not near.all()  # the window is narrower than the sentence
    for layer, is_global in enumerate([True, False, False, True]):
        assert (capture.allowed[layer] is None) == is_global
        if not is_global:
            assert (capture.allowed[layer] == near).all()
            assert np.isneginf(capture.head(layer, 0).masked_scores[~near]).all()


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


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_the_residual_stream_and_w_o_are_read_from_the_right_modules(family, opened):
    """The output of attention is the sum of every head's context times its part of W^O."""
    model = opened(family).model
    capture, stream = model.attend(SENTENCE), model.residual_stream(SENTENCE)
    for layer, (by_head, output) in enumerate(
        zip(model.output_weights(), model.outputs, strict=True)
    ):
        contexts = np.stack([capture.head(layer, head).context for head in range(model.n_heads)])
        added = np.einsum("htk,hkd->td", contexts, by_head.numpy())
        added = added + (0 if output.bias is None else output.bias.detach().numpy())
        assert_allclose(np.linalg.norm(added, axis=-1), stream.attention[layer], rtol=1e-4)


@pytest.mark.parametrize("window", [1, 2])
def test_a_cached_step_sees_the_window_of_an_uncached_one(copied, window):
    folder = configure(copied("mistral"), sliding_window=window)
    written = load_causal(folder).generate(SENTENCE, max_new_tokens=6)
    ids = torch.tensor([written.capture.token_ids])
    module = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        logits = module(input_ids=ids, use_cache=False).logits
    for position, step in enumerate(written.steps, start=written.n_prompt):
        row = logits[0].softmax(dim=-1)[position - 1]
        assert_allclose(step.probability, row[ids[0, position]], atol=1e-5)


def test_a_cache_selects_rows(opened):
    """Beam search continues each row from the row that it extends."""
    predictor = opened("llama").model.predictor
    start, rows = torch.tensor([[5, 9, 30, 7, 8], [8, 40, 2, 6, 3]]), torch.tensor([1, 1, 0])
    after = torch.tensor([[11], [12], [13]])
    cache = predictor.new_cache()
    predictor.next_logits(start, cache)
    cache.select(rows)
    expected = predictor.next_logits(torch.cat([start[rows], after], dim=1), None)
    assert_allclose(predictor.next_logits(after, cache), expected, atol=1e-4)


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

    expected = opened("llama").model.attend(SENTENCE).weights
    AttentionInterface.register(IMPLEMENTATION, differs)
    try:
        model = load_model(str(opened("llama").folder))
    finally:
        AttentionInterface.register(IMPLEMENTATION, attend)
    capture = model.attend(SENTENCE)
    assert_array_equal(capture.weights, expected)
    assert not capture.has_steps
    for call in (lambda: capture.head(0, 0), lambda: capture.key_head(0)):
        with pytest.raises(HeadlightError, match="of another kind"):
            call()
    again = type(capture).from_npz(capture.to_npz())
    assert_array_equal(again.weights, expected)
    assert not again.has_steps


FLASH = dict.fromkeys(("attn_implementation", "_attn_implementation"), "flash_attention_2")
RESULTS = {"return_dict": False, "output_attentions": True, "output_hidden_states": True}


@pytest.mark.parametrize("settings", [FLASH, {**RESULTS, "chunk_size_feed_forward": 3}], ids=str)
@pytest.mark.parametrize("model_type", ["bert", "llama", "bart"])
def test_settings_of_how_transformers_runs_change_nothing(copied, opened, model_type, settings):
    expected = opened(model_type).model
    model = load_model(configure(copied(model_type), **settings))
    if model_type == "bart":
        ours, theirs = (each.generate(SENTENCE, max_new_tokens=3) for each in (model, expected))
        assert_array_equal(ours.cross.weights, theirs.cross.weights)
        assert ours.steps == theirs.steps
        return
    assert_array_equal(model.attend(SENTENCE).weights, expected.attend(SENTENCE).weights)
    assert_array_equal(model.hidden_states(SENTENCE), expected.hidden_states(SENTENCE))


# Refusals.


@pytest.mark.parametrize(
    ("family", "changes", "message"),
    [
        ("llama", {"num_key_value_heads": 0}, "cannot read the weights"),
        ("mistral", {"sliding_window": 0}, "window of 0 tokens"),
        ("llama", {"is_causal": False}, "see later ones"),
        ("gpt2", {"n_layer": 10**9}, "n_layer = 1,000,000,000"),
        ("llama", {"vocab_size": 10**9}, "cannot read the weights"),
        ("llama", {"num_hidden_layers": 90, "num_attention_heads": 96, "hidden_size": 96}, "8,192"),
        ("llama", {"architectures": ["LlamaForSequenceClassification"]}, "its language head"),
        ("gpt2", {"add_cross_attention": True}, "Choose the complete model"),
        ("gpt2", {"n_layer": 3}, "incomplete"),
        ("llama", {"num_hidden_layers": 2}, "do not fit"),
    ],
    ids=str,
)
def test_an_inconsistent_configuration_is_refused_in_words(copied, family, changes, message):
    with pytest.raises(HeadlightError, match=message):
        load_causal(configure(copied(family), **changes))


SINKS = {"num_key_value_heads": 2, "head_dim": 10, "num_local_experts": 3, "num_experts_per_tok": 2}


@pytest.mark.parametrize(
    ("model_type", "auto", "settings", "message"),
    [
        ("mamba", AutoModel, {"hidden_size": 24, "num_hidden_layers": 2}, "no attention heads"),
        ("gpt_oss", AutoModelForCausalLM, {**PLAIN, **SINKS}, "do not sum to 1"),
        ("gpt_neox", AutoModel, PLAIN, "without its language head"),
        ("roformer", AutoModelForCausalLM, PLAIN, "tokens see later ones, so it cannot continue"),
        ("vit", AutoModel, {"hidden_size": 24, "num_attention_heads": 3}, "as a model of text"),
    ],
)
def test_other_models_are_refused(tmp_path, model_type, auto, settings, message):
    config = AutoConfig.for_model(model_type, vocab_size=99, **settings)
    module = seeded(auto.from_config, config)
    with pytest.raises(HeadlightError, match=message):
        load_model(str(checkpoints.write(tmp_path, module, checkpoints.word_piece())))
