"""Models of types that no family describes: captures equal transformers' own results."""

import shutil

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from transformers import AttentionInterface, AutoConfig, AutoModel, AutoModelForCausalLM

from model import AttentionCapture, HeadlightError, load_model
from model.analysis.intervention import Intervention, intervene
from model.capture.attention_interface import attend
from model.catalogue.pretrained.attention_layers import IMPLEMENTATION
from tests.model import checkpoints
from tests.model.checkpoints import configure, seeded
from tests.model.general_checkpoints import (
    DECODERS,
    ENCODERS,
    OWN_DECODERS,
    OWN_ENCODERS,
    PLAIN,
    WINDOW,
    WITHOUT_OUTPUTS,
    save,
)

SENTENCE = "the animal was it, and the table too"
OWN = [*OWN_DECODERS, *OWN_ENCODERS]
WITH_STEPS = [*DECODERS, *ENCODERS]
TYPES = [*WITH_STEPS, *OWN]
ALL_DECODERS = {**DECODERS, **OWN_DECODERS}
WINDOWED = [name for name, settings in ALL_DECODERS.items() if "sliding_window" in settings]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("general")
    return {model_type: save(model_type, root / model_type) for model_type in TYPES}


@pytest.fixture(scope="module")
def models(folders):
    return {model_type: load_model(str(folder)) for model_type, folder in folders.items()}


def eager(folder, model_type):
    auto = AutoModelForCausalLM if model_type in ALL_DECODERS else AutoModel
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
    assert capture.stack == ("decoder" if model_type in ALL_DECODERS else "encoder")


@pytest.mark.parametrize("model_type", WITH_STEPS)
def test_every_head_can_be_computed_from_its_q_k_and_v(models, model_type):
    capture = models[model_type].attend(SENTENCE)
    for layer in range(capture.n_layers):
        for head in range(capture.n_heads):
            steps = capture.head(layer, head)
            scores = np.where(steps.masked_scores > -1e30, steps.masked_scores, -np.inf)
            powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
            expected = powers / powers.sum(axis=-1, keepdims=True)
            assert_allclose(capture.weights[layer, head], expected, atol=1e-5)


@pytest.mark.parametrize("model_type", OWN)
def test_attention_of_another_kind_has_weights_and_no_steps(models, model_type):
    capture = models[model_type].attend(SENTENCE)
    assert not capture.has_steps
    with pytest.raises(HeadlightError, match="of another kind"):
        capture.head(0, 0)
    with pytest.raises(HeadlightError, match="of another kind"):
        capture.key_head(0)
    again = AttentionCapture.from_npz(capture.to_npz())
    assert_array_equal(again.weights, capture.weights)
    assert not again.has_steps


@pytest.mark.parametrize("model_type", TYPES)
def test_the_mask_allows_exactly_what_has_weight(models, model_type):
    capture = models[model_type].attend(SENTENCE)
    if model_type == "gpt_neo":  # its window is inside its own code
        return
    for weights, allowed in zip(capture.weights, capture.allowed, strict=True):
        assert_array_equal(weights.any(axis=0), True if allowed is None else allowed)


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
    capture = model.attend("the " * 600)
    assert all(torch.equal(before[name], x) for name, x in model.module.named_buffers())
    assert len(capture.tokens) == model.most_tokens
    assert capture.left_out[0]


def hidden_without(model, layer, head, text):
    """The last hidden states with the columns of one head set to 0 in W^O itself."""
    output = model.outputs[layer]
    weight = output.weight if isinstance(output, torch.nn.Linear) else output.weight.T
    own = slice(head * model.d_head, (head + 1) * model.d_head)
    before = weight.detach().clone()
    with torch.no_grad():
        weight[:, own] = 0
        hidden = model.hidden_states(text)
        weight.copy_(before)
    return hidden


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("how", ["zero", "uniform"])
def test_a_head_can_be_switched_off(models, model_type, how):
    model, off = models[model_type], (1, 2)
    if model_type in WITHOUT_OUTPUTS or (how == "uniform" and model_type in OWN):
        reason = "W\\^O" if model_type in WITHOUT_OUTPUTS else "cannot attend uniformly"
        with pytest.raises(HeadlightError, match=reason):
            intervene(model, SENTENCE, None, Intervention(frozenset({off}), how=how))
        return
    plain = model.attend(SENTENCE)
    outcome = intervene(model, SENTENCE, None, Intervention(frozenset({off}), how=how))
    changed = outcome.capture
    if how == "uniform":
        row, allowed = changed.weights[off][-1], plain.weights[1].any(axis=0)[-1]
        assert_allclose(row, allowed / allowed.sum(), atol=1e-6)
    else:
        assert_array_equal(changed.weights[:2], plain.weights[:2])
        zeroed = hidden_without(model, *off, SENTENCE)
        assert_allclose(outcome.hidden, zeroed, atol=1e-5)
    assert (changed.weights[2:] != plain.weights[2:]).any() or plain.n_layers == 2


@pytest.mark.parametrize("model_type", ALL_DECODERS)
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


@pytest.mark.parametrize("model_type", ALL_DECODERS)
def test_the_language_head_computes_the_logits_or_is_unknown(models, folders, model_type):
    model, seen = models[model_type], []
    reference = eager(folders[model_type], model_type)
    if model_type in ("cohere", "granite", "gemma2"):  # they multiply or cap their logits
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


def test_an_xlnet_with_its_language_head_is_an_encoder(folders, models, tmp_path):
    """Published XLNets are saved so. The bare model of the same weights has the same attention."""
    bare = AutoModel.from_pretrained(folders["xlnet"])
    whole = AutoModelForCausalLM.from_config(bare.config)
    whole.transformer.load_state_dict(bare.state_dict())
    folder = checkpoints.write(tmp_path, whole, checkpoints.word_piece())
    model = load_model(str(folder))
    assert model.stack == "encoder"
    expected = models["xlnet"].attend(SENTENCE).weights
    assert_array_equal(model.attend(SENTENCE).weights, expected)


def test_weights_that_our_function_does_not_compute_are_read_by_hooks(folders, models):
    def differs(*args, **settings):
        return attend(*args, **{**settings, "scaling": 0.1})

    AttentionInterface.register(IMPLEMENTATION, differs)
    try:
        model = load_model(str(folders["qwen3"]))
    finally:
        AttentionInterface.register(IMPLEMENTATION, attend)
    capture = model.attend(SENTENCE)
    assert not capture.has_steps
    assert_array_equal(capture.weights, models["qwen3"].attend(SENTENCE).weights)


# Refusals.


def refused(folder) -> str:
    with pytest.raises(HeadlightError) as error:
        load_model(str(folder))
    return str(error.value)


def saved(folder, model_type, auto, **settings):
    tokenizer = checkpoints.word_piece()
    config = AutoConfig.for_model(model_type, vocab_size=99, **settings)
    return checkpoints.write(folder, seeded(auto.from_config, config), tokenizer)


def test_a_model_without_attention_is_refused(tmp_path):
    folder = saved(tmp_path, "mamba", AutoModel, hidden_size=24, num_hidden_layers=2)
    assert "type mamba and has no attention heads" in refused(folder)


def test_attention_sinks_are_refused(tmp_path):
    settings = {**PLAIN, "num_key_value_heads": 2, "head_dim": 10, "num_local_experts": 3}
    settings["num_experts_per_tok"] = 2
    folder = saved(tmp_path, "gpt_oss", AutoModelForCausalLM, **settings)
    assert "do not sum to 1" in refused(folder)


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
