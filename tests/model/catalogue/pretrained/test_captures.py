"""Models of one stack, of every type: captures and generated text equal transformers' own."""

import shutil

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.torch import load_file, save_file
from transformers import AttentionInterface, AutoConfig, AutoModel, AutoModelForCausalLM

from model import AttentionCapture, HeadlightError, load_model
from model.analysis.intervention import Intervention, intervene
from model.capture.attention_interface import attend
from model.catalogue.models import load_causal
from model.catalogue.pretrained.attention_layers import IMPLEMENTATION
from tests.model import checkpoints, decoder_checkpoints, general_checkpoints
from tests.model.checkpoints import configure, seeded
from tests.model.general_checkpoints import OWN_DECODERS, OWN_ENCODERS, PLAIN, WITHOUT_OUTPUTS

SENTENCE, PAIR = "the animal was it, and the table too", "it slept, was it?"
FAMILIES = [*checkpoints.FAMILIES]
OWN = [*OWN_DECODERS, *OWN_ENCODERS]
GENERAL = [*general_checkpoints.DECODERS, *general_checkpoints.ENCODERS, *OWN]
DECODERS = [*decoder_checkpoints.FAMILIES, *general_checkpoints.DECODERS, *OWN_DECODERS]
TYPES = [*FAMILIES, *decoder_checkpoints.FAMILIES, *GENERAL]
WITH_STEPS = [model_type for model_type in TYPES if model_type not in OWN]
WINDOWS = {"mistral": decoder_checkpoints.WINDOW} | {
    model_type: general_checkpoints.WINDOW
    for model_type, settings in (general_checkpoints.DECODERS | OWN_DECODERS).items()
    if "sliding_window" in settings
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory, family_folders, decoder_folders):
    root = tmp_path_factory.mktemp("general")
    general = {each: general_checkpoints.save(each, root / each) for each in GENERAL}
    return {**family_folders, **decoder_folders, **general}


@pytest.fixture(scope="module")
def models(folders):
    return {model_type: load_model(str(folder)) for model_type, folder in folders.items()}


def eager(folder, model_type):
    auto = AutoModelForCausalLM if model_type in DECODERS else AutoModel
    return auto.from_pretrained(folder, attn_implementation="eager").eval()


@pytest.mark.parametrize(
    ("model_type", "pair"),
    [*((each, None) for each in TYPES), *((each, PAIR) for each in FAMILIES)],
)
def test_weights_states_and_contexts_equal_transformers(models, folders, model_type, pair):
    model, reference = models[model_type], eager(folders[model_type], model_type)
    capture, entered = model.attend(SENTENCE, pair), []
    paths = {part: path for path, part in model.module.named_modules()}
    for output in dict.fromkeys(model.outputs):
        reference.get_submodule(paths[output]).register_forward_pre_hook(
            lambda _, args: entered.append(args[0][0])
        )
    inputs = {"input_ids": torch.tensor([capture.token_ids])}
    if model_type in ("bert", "electra", "albert"):
        inputs["token_type_ids"] = torch.tensor([capture.segment_ids])
    with torch.inference_mode():
        result = reference(**inputs, output_attentions=True, output_hidden_states=True)
    assert_array_equal(capture.weights, torch.cat(result.attentions).numpy())
    assert_array_equal(model.hidden_states(SENTENCE, pair), result.hidden_states[-1][0])
    assert_allclose(capture.weights.sum(-1), 1, atol=1e-5)
    assert capture.stack == ("decoder" if model_type in DECODERS else "encoder")
    if model_type in OWN:
        return
    for layer in range(capture.n_layers):
        contexts = [capture.head(layer, head).context for head in range(capture.n_heads)]
        assert_allclose(np.concatenate(contexts, axis=-1), entered[layer], atol=1e-5)


@pytest.mark.parametrize("model_type", WITH_STEPS)
def test_every_head_can_be_computed_from_its_q_k_and_v(models, model_type):
    model, capture = models[model_type], models[model_type].attend(SENTENCE)
    n_key_heads = getattr(model.module.config, "num_key_value_heads", model.n_heads)
    for layer in range(capture.n_layers):
        assert capture.k[layer].shape[1] == capture.v[layer].shape[1] == n_key_heads
        for head in range(capture.n_heads):
            assert capture.key_head(head) == head * n_key_heads // model.n_heads
            steps = capture.head(layer, head)
            scores = np.where(steps.masked_scores > -1e30, steps.masked_scores, -np.inf)
            powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
            expected = powers / powers.sum(axis=-1, keepdims=True)
            assert_allclose(capture.weights[layer, head], expected, atol=1e-5)


@pytest.mark.parametrize("model_type", OWN)
def test_attention_of_another_kind_has_weights_and_no_steps(models, model_type):
    capture = models[model_type].attend(SENTENCE)
    assert not capture.has_steps
    for call in (lambda: capture.head(0, 0), lambda: capture.key_head(0)):
        with pytest.raises(HeadlightError, match="of another kind"):
            call()
    again = AttentionCapture.from_npz(capture.to_npz())
    assert_array_equal(again.weights, capture.weights)
    assert not again.has_steps


def test_gpt2_layers_have_their_own_scales(models):
    assert_allclose(models["gpt2"].attend(SENTENCE).scale, [8**-0.5, 8**-0.5 / 2])
    assert models["llama"].attend(SENTENCE).scale is None


# Masks and lengths.


@pytest.mark.parametrize("model_type", TYPES)
def test_the_mask_allows_exactly_what_has_weight(models, model_type):
    capture = models[model_type].attend(SENTENCE)
    if model_type in WINDOWS:
        far = np.tril(np.ones(capture.weights.shape[2:], dtype=bool), -WINDOWS[model_type])
        assert far.any() and not capture.weights[0][:, far].any()
    if model_type == "gpt_neo":  # its window is inside its own code
        return
    for weights, allowed in zip(capture.weights, capture.allowed, strict=True):
        assert_array_equal(weights.any(axis=0), True if allowed is None else allowed)


def test_layers_share_a_mask_which_counts_once(models):
    capture = models["llama"].attend(SENTENCE)
    assert np.shares_memory(capture.allowed[0], capture.allowed[-1])
    arrays = (capture.weights, *capture.q, *capture.k, *capture.v, capture.allowed[0])
    assert capture.nbytes == sum(array.nbytes for array in arrays)


def test_modernbert_has_local_and_global_layers(models):
    capture = models["modernbert"].attend(SENTENCE)
    position = np.arange(len(capture.tokens))
    near = np.abs(position[:, None] - position) <= checkpoints.WINDOW
    assert not near.all()  # the window is narrower than the sentence
    for layer, is_global in enumerate([True, False, False, True]):
        assert (capture.allowed[layer] is None) == is_global
        if not is_global:
            assert (capture.allowed[layer] == near).all()
            assert np.isneginf(capture.head(layer, 0).masked_scores[~near]).all()


@pytest.mark.parametrize("model_type", TYPES)
def test_the_longest_text_is_read_and_changes_nothing_in_the_model(models, model_type):
    """Threads share the model, so that a pass must not write to its buffers."""
    model = models[model_type]
    before = {name: buffer.clone() for name, buffer in model.module.named_buffers()}
    capture = model.attend("the " * 600)
    assert all(torch.equal(before[name], x) for name, x in model.module.named_buffers())
    assert len(capture.tokens) == model.most_tokens
    assert capture.left_out[0]


# Named parts.


@pytest.mark.parametrize("family", FAMILIES)
def test_the_position_table_is_added_to_the_embeddings(models, folders, family):
    """A word's embeddings at two positions differ by the rows of the table."""
    model = models[family]
    if family == "modernbert":
        assert model.position_table is None
        return
    table = model.position_table
    assert table.shape[0] == model.max_len == 48
    embeddings = AutoModel.from_pretrained(folders[family]).embeddings
    added = []
    embeddings.LayerNorm.register_forward_pre_hook(lambda _, args: added.append(args[0][0]))
    with torch.inference_mode():
        embeddings(input_ids=torch.full((1, 48), 6))
    moved = added[0] - added[0][0]  # the word's own embedding cancels
    assert_allclose(moved.numpy(), (table - table[0]).numpy(), atol=1e-5)


@pytest.mark.parametrize("family", decoder_checkpoints.FAMILIES)
def test_the_residual_stream_and_w_o_are_read_from_the_right_modules(family, models):
    """The output of attention is the sum of every head's context times its part of W^O."""
    model, capture = models[family], models[family].attend(SENTENCE)
    stream = model.residual_stream(SENTENCE)
    for layer, (by_head, output) in enumerate(
        zip(model.output_weights(), model.outputs, strict=True)
    ):
        contexts = np.stack([capture.head(layer, head).context for head in range(model.n_heads)])
        added = np.einsum("htk,hkd->td", contexts, by_head.numpy())
        added = added + (0 if output.bias is None else output.bias.detach().numpy())
        assert_allclose(np.linalg.norm(added, axis=-1), stream.attention[layer], rtol=1e-4)
    assert stream.norm_placement == "pre"
    assert_allclose(stream.layer_output[:-1], stream.layer_input[1:], rtol=1e-5)


@pytest.mark.parametrize("model_type", DECODERS)
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


# Heads switched off.


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


@pytest.mark.parametrize("model_type", GENERAL)
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


# Generation.


@pytest.mark.parametrize("model_type", DECODERS)
def test_generation_with_and_without_a_cache_equals_transformers(models, folders, model_type):
    """Greedy, with a window narrower than the text. Forced tokens are read like generated ones."""
    forced = {1: " it", 3: "the"}
    written = models[model_type].generate(SENTENCE, max_new_tokens=10, forced=forced)
    ids, n_prompt = written.capture.token_ids, written.n_prompt
    with torch.inference_mode():
        theirs = eager(folders[model_type], model_type)(
            input_ids=torch.tensor([ids]), output_attentions=True
        )
    probabilities = theirs.logits[0].double().softmax(dim=-1)
    assert len(written.steps) == len(ids) - n_prompt >= 3
    for number, step in enumerate(written.steps):
        row = probabilities[n_prompt - 1 + number]
        assert step.forced == (number in forced)
        assert step.forced or ids[n_prompt + number] == row.argmax()
        assert_allclose(step.probability, row[ids[n_prompt + number]], atol=1e-5)
        assert_allclose([p for _, p in step.top_k], row.topk(10).values, atol=1e-5)
    assert_array_equal(written.capture.weights, torch.cat(theirs.attentions))


@pytest.mark.parametrize("window", [1, 2])
def test_a_cached_step_sees_the_window_of_an_uncached_one(tmp_path, window):
    folder = decoder_checkpoints.save("mistral", tmp_path / "tiny")
    model = load_causal(configure(folder, sliding_window=window))
    written = model.generate(SENTENCE, max_new_tokens=6)
    ids = torch.tensor([written.capture.token_ids])
    with torch.inference_mode():
        logits = eager(folder, "mistral")(input_ids=ids, use_cache=False).logits
    for position, step in enumerate(written.steps, start=written.n_prompt):
        row = logits[0].softmax(dim=-1)[position - 1]
        assert_allclose(step.probability, row[ids[0, position]], atol=1e-5)


@pytest.mark.parametrize("family", decoder_checkpoints.FAMILIES)
def test_a_cache_selects_rows(family, models):
    """Beam search continues each row from the row that it extends."""
    predictor = models[family].predictor
    start, rows = torch.tensor([[5, 9, 30, 7, 8], [8, 40, 2, 6, 3]]), torch.tensor([1, 1, 0])
    after = torch.tensor([[11], [12], [13]])
    cache = predictor.new_cache()
    predictor.next_logits(start, cache)
    cache.select(rows)
    expected = predictor.next_logits(torch.cat([start[rows], after], dim=1), None)
    assert_allclose(predictor.next_logits(after, cache), expected, atol=1e-4)


# Checkpoints as they are published.


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


def test_the_first_gpt2_loads_as_published(tmp_path, models):
    """Its names have no prefix, its head is left out, and its masks are stored."""
    folder = decoder_checkpoints.save("gpt2", tmp_path / "gpt2")
    weights = {
        key.removeprefix("transformer."): value
        for key, value in load_file(folder / "model.safetensors").items()
        if not key.startswith("lm_head")
    }
    for layer in range(2):
        weights[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 48, 48).tril()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    theirs, ours = load_model(str(folder)).attend(SENTENCE), models["gpt2"].attend(SENTENCE)
    assert_array_equal(theirs.weights, ours.weights)


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


@pytest.mark.parametrize(
    ("family", "changes", "message"),
    [
        ("llama", {"num_key_value_heads": 4}, "cannot read the weights"),
        ("llama", {"num_key_value_heads": 0}, "cannot read the weights"),
        ("mistral", {"sliding_window": 0}, "window of 0 tokens"),
        ("llama", {"is_causal": False}, "see later ones"),
        ("gpt2", {"n_layer": 10**9}, "n_layer = 1,000,000,000"),
        ("gpt2", {"n_embd": 10**6}, "cannot read the weights"),
        ("llama", {"vocab_size": 10**9}, "cannot read the weights"),
        ("llama", {"num_hidden_layers": 90, "num_attention_heads": 96, "hidden_size": 96}, "8,192"),
        ("llama", {"architectures": ["LlamaForSequenceClassification"]}, "its language head"),
        ("llama", {"architectures": "Llama"}, "without its language head"),
        ("gpt2", {"add_cross_attention": True}, "Choose the complete model"),
        ("gpt2", {"n_layer": 3}, "incomplete"),
        ("llama", {"num_hidden_layers": 2}, "do not fit"),
    ],
    ids=str,
)
def test_an_inconsistent_configuration_is_refused_in_words(tmp_path, family, changes, message):
    folder = configure(decoder_checkpoints.save(family, tmp_path / "tiny"), **changes)
    with pytest.raises(HeadlightError, match=message):
        load_causal(folder)


SINKS = {"num_key_value_heads": 2, "head_dim": 10, "num_local_experts": 3, "num_experts_per_tok": 2}


@pytest.mark.parametrize(
    ("model_type", "auto", "settings", "message"),
    [
        ("mamba", AutoModel, {"hidden_size": 24, "num_hidden_layers": 2}, "no attention heads"),
        ("gpt_oss", AutoModelForCausalLM, {**PLAIN, **SINKS}, "do not sum to 1"),
        ("gpt_neox", AutoModel, PLAIN, "without its language head"),
        ("llama", AutoModel, PLAIN, "as LlamaModel"),
        ("vit", AutoModel, {"hidden_size": 24, "num_attention_heads": 3}, "as a model of text"),
    ],
)
def test_other_models_are_refused(tmp_path, model_type, auto, settings, message):
    config = AutoConfig.for_model(model_type, vocab_size=99, **settings)
    module = seeded(auto.from_config, config)
    with pytest.raises(HeadlightError, match=message):
        load_model(str(checkpoints.write(tmp_path, module, checkpoints.word_piece())))


def test_a_decoder_of_any_type_that_sees_later_tokens_is_refused(folders, tmp_path):
    folder = configure(shutil.copytree(folders["qwen3"], tmp_path / "copy"), is_causal=False)
    with pytest.raises(HeadlightError, match="lets tokens see later ones"):
        load_model(folder)
