"""Models of types that no family describes: captures equal transformers' own results."""

import shutil

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

from model import HeadlightError, load_model
from model.analysis.intervention import Intervention, intervene
from tests.model import checkpoints
from tests.model.checkpoints import configure, seeded
from tests.model.general_checkpoints import DECODERS, ENCODERS, PLAIN, WINDOW, save

SENTENCE = "the animal was it, and the table too"
TYPES = [*DECODERS, *ENCODERS]
WINDOWED = [name for name, settings in DECODERS.items() if "sliding_window" in settings]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("general")
    return {model_type: save(model_type, root / model_type) for model_type in TYPES}


@pytest.fixture(scope="module")
def models(folders):
    return {model_type: load_model(str(folder)) for model_type, folder in folders.items()}


def eager(folder, model_type):
    auto = AutoModelForCausalLM if model_type in DECODERS else AutoModel
    return auto.from_pretrained(folder, attn_implementation="eager").eval()


@pytest.mark.parametrize("model_type", TYPES)
def test_weights_contexts_and_states_equal_transformers_to_the_bit(models, folders, model_type):
    model, reference = models[model_type], eager(folders[model_type], model_type)
    capture = model.attend(SENTENCE)
    ids = torch.tensor([capture.token_ids])
    with torch.inference_mode():
        result = reference(input_ids=ids, output_attentions=True, output_hidden_states=True)
    assert len({capture.weights.shape[0], capture.weights.shape[1], ids.shape[1]}) == 3
    assert_array_equal(capture.weights, torch.cat(result.attentions).numpy())
    assert_array_equal(model.hidden_states(SENTENCE), result.hidden_states[-1][0])
    assert capture.stack == ("decoder" if model_type in DECODERS else "encoder")


@pytest.mark.parametrize("model_type", TYPES)
def test_every_head_can_be_computed_from_its_q_k_and_v(models, model_type):
    capture = models[model_type].attend(SENTENCE)
    for layer in range(capture.n_layers):
        for head in range(capture.n_heads):
            steps = capture.head(layer, head)
            scores = np.where(steps.masked_scores > -1e30, steps.masked_scores, -np.inf)
            powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
            expected = powers / powers.sum(axis=-1, keepdims=True)
            assert_allclose(capture.weights[layer, head], expected, atol=1e-5)


@pytest.mark.parametrize("model_type", WINDOWED)
def test_a_window_shorter_than_the_text_is_captured(models, model_type):
    weights = models[model_type].attend(SENTENCE).weights
    far = np.tril(np.ones(weights.shape[2:], dtype=bool), -WINDOW)
    assert not weights[0][:, far].any()


@pytest.mark.parametrize("model_type", TYPES)
def test_the_longest_text_is_read_and_changes_nothing_in_the_model(models, model_type):
    """Threads share the model, so that a pass must not write to its buffers."""
    model = models[model_type]
    before = {name: buffer.clone() for name, buffer in model.module.named_buffers()}
    capture = model.attend("the " * 100)
    assert all(torch.equal(before[name], x) for name, x in model.module.named_buffers())
    assert len(capture.tokens) == model.most_tokens
    assert capture.left_out[0]


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("how", ["zero", "uniform"])
def test_a_head_can_be_switched_off(models, model_type, how):
    model, off = models[model_type], (1, 2)
    plain = model.attend(SENTENCE)
    changed = intervene(model, SENTENCE, None, Intervention(frozenset({off}), how=how)).capture
    if how == "uniform":
        row, allowed = changed.weights[off][-1], plain.weights[1].any(axis=0)[-1]
        assert_allclose(row, allowed / allowed.sum(), atol=1e-6)
    else:
        assert_array_equal(changed.weights[:2], plain.weights[:2])
    assert (changed.weights[2:] != plain.weights[2:]).any() or plain.n_layers == 2


@pytest.mark.parametrize("model_type", DECODERS)
def test_a_decoder_continues_a_text_like_transformers(models, folders, model_type):
    written = models[model_type].generate(SENTENCE, max_new_tokens=8)
    ids = torch.tensor([written.capture.token_ids])
    with torch.inference_mode():
        theirs = eager(folders[model_type], model_type)(input_ids=ids, output_attentions=True)
    probabilities = theirs.logits[0].softmax(dim=-1)
    for position, step in enumerate(written.steps, start=written.n_prompt):
        row = probabilities[position - 1]
        assert ids[0, position] == row.argmax()
        assert_allclose(step.probability, row.max(), atol=1e-5)
    assert_array_equal(written.capture.weights, torch.cat(theirs.attentions))


@pytest.mark.parametrize("model_type", DECODERS)
def test_the_language_head_computes_the_logits_or_is_unknown(models, folders, model_type):
    model, seen = models[model_type], []
    reference = eager(folders[model_type], model_type)
    if model_type in ("cohere", "granite"):  # they multiply their logits
        assert model.language_head is None
        return
    head = model.language_head
    norm = reference.get_submodule(
        next(path for path, part in model.module.named_modules() if part is head.final_norm)
    )
    norm.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    with torch.inference_mode():
        logits = reference(input_ids=torch.tensor([model.tokenize(SENTENCE).ids])).logits
        assert_allclose(head.logits(seen[0]), logits, atol=1e-5)


# Refusals.


def refused(folder) -> str:
    with pytest.raises(HeadlightError) as error:
        load_model(str(folder))
    return str(error.value)


def saved(folder, model_type, auto, **settings):
    tokenizer = checkpoints.word_piece()
    config = AutoConfig.for_model(model_type, vocab_size=99, **settings)
    return checkpoints.write(folder, seeded(auto.from_config, config), tokenizer)


@pytest.mark.parametrize("model_type", ["mamba", "mpnet", "deberta-v2"])
def test_attention_outside_the_interface_is_refused(tmp_path, model_type):
    settings = {"hidden_size": 24} if model_type == "mamba" else PLAIN
    folder = saved(
        tmp_path,
        model_type,
        AutoModel,
        num_hidden_layers=2,
        **{name: value for name, value in settings.items() if name != "num_hidden_layers"},
    )
    sentence = refused(folder)
    assert f"type {model_type}" in sentence


def test_capped_scores_are_refused(tmp_path):
    settings = {**PLAIN, "num_key_value_heads": 2, "head_dim": 10}
    folder = saved(tmp_path, "gemma2", AutoModelForCausalLM, **settings)
    assert "caps its scores (softcap)" in refused(folder)


def test_a_decoder_without_its_language_head_is_refused(tmp_path):
    folder = saved(tmp_path, "gpt_neox", AutoModel, **PLAIN)
    assert "without its language head" in refused(folder)


def test_a_decoder_that_sees_later_tokens_is_refused(folders, tmp_path):
    folder = shutil.copytree(folders["qwen3"], tmp_path / "copy")
    configure(folder, is_causal=False)
    assert "lets tokens see later ones" in refused(folder)


def test_a_type_without_text_is_refused(tmp_path):
    folder = saved(tmp_path, "vit", AutoModel, hidden_size=24, num_attention_heads=3)
    assert "does not know as a model of text" in refused(folder)
