"""Captures and generated text of decoders match transformers' own results."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, LlamaModel

from model import HeadlightError, load_model
from model.catalogue.models import load_causal
from tests.model import checkpoints, decoder_checkpoints
from tests.model.checkpoints import configure
from tests.model.decoder_checkpoints import FAMILIES, WINDOW

SENTENCE = "the animal was it, and the table too"
SIZES = {
    "gpt2": (2, 3, 3, 8),
    "llama": (3, 6, 2, 10),
    "mistral": (3, 6, 2, 4),
    "qwen2": (3, 6, 2, 4),
}
"""Layers, heads, key heads, d_head."""


def plain(folder):
    return AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def capture(family, decoders):
    return decoders[family].attend(SENTENCE)


@pytest.fixture(scope="module")
def reference(family, decoder_folders, capture):
    """The weights that transformers returns, and the input of W^O."""
    module, contexts = plain(decoder_folders[family]), []
    for name, part in module.named_modules():
        if name.endswith(("attn.c_proj", "self_attn.o_proj")):
            part.register_forward_pre_hook(lambda _, args: contexts.append(args[0][0]))
    ids = torch.tensor([capture.token_ids])
    with torch.inference_mode():
        weights = module(input_ids=ids, output_attentions=True).attentions
    return torch.cat(weights).numpy(), torch.stack(contexts).numpy()


def test_q_k_and_v_reproduce_the_weights_and_contexts_of_the_model(family, capture, reference):
    n_layers, n_heads, n_key_heads, d_head = SIZES[family]
    for layer in range(n_layers):
        assert capture.q[layer].shape[1:] == (n_heads, d_head)
        assert capture.k[layer].shape[1:] == capture.v[layer].shape[1:] == (n_key_heads, d_head)
        for head in range(n_heads):
            assert capture.key_head(head) == head * n_key_heads // n_heads
            steps = capture.head(layer, head)
            powers = np.exp(steps.masked_scores - steps.masked_scores.max(axis=-1, keepdims=True))
            softmax = powers / powers.sum(axis=-1, keepdims=True)
            assert_allclose(softmax, capture.weights[layer, head], atol=1e-6)
        contexts = [capture.head(layer, head).context for head in range(n_heads)]
        assert_allclose(np.concatenate(contexts, axis=-1), reference[1][layer], atol=1e-5)


def test_gpt2_layers_have_their_own_scales(decoders):
    scales = decoders["gpt2"].attend(SENTENCE).scale
    assert_allclose(scales, [8**-0.5, 8**-0.5 / 2])
    assert decoders["llama"].attend(SENTENCE).scale is None


def test_no_token_sees_a_later_one_and_mistral_sees_a_window(family, capture):
    position = np.arange(len(capture.tokens))
    back = position[:, None] - position
    expected = (back >= 0) & (back < WINDOW) if family == "mistral" else back >= 0
    for layer in range(capture.n_layers):
        assert_array_equal(capture.allowed[layer], expected)
    assert np.shares_memory(capture.allowed[0], capture.allowed[-1])  # shared, and counted once
    arrays = (capture.weights, *capture.q, *capture.k, *capture.v, capture.allowed[0])
    assert capture.nbytes == sum(array.nbytes for array in arrays)
    assert (capture.weights[..., ~expected] == 0).all()
    assert (capture.weights[..., expected] > 0).all()


def test_the_residual_stream_and_w_o_are_read_from_the_right_modules(family, decoders, capture):
    """The output of attention is the sum of every head's context times its part of W^O."""
    model = decoders[family]
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


# Generation.


@pytest.mark.parametrize("options", [{}, {"forced": {2: " it", 4: "the"}}])
def test_generation_with_and_without_a_cache_equals_transformers(
    family, decoders, decoder_folders, options
):
    """Greedy, with a window narrower than the text. Forced tokens are read like generated ones."""
    model = decoders[family]
    written = model.generate(SENTENCE, max_new_tokens=12, **options)
    ids = written.capture.token_ids
    module, n_prompt = plain(decoder_folders[family]), written.n_prompt
    with torch.inference_mode():
        theirs = module(input_ids=torch.tensor([ids]), output_attentions=True)
    probabilities = theirs.logits[0].double().softmax(dim=-1)
    assert len(written.steps) == len(ids) - n_prompt >= 5
    for number, step in enumerate(written.steps):
        row = probabilities[n_prompt - 1 + number]
        assert step.forced == (number in options.get("forced", {}))
        assert_allclose(step.probability, row[ids[n_prompt + number]], atol=1e-5)
        assert_allclose([p for _, p in step.top_k], row.topk(10).values, atol=1e-5)
        if not step.forced:
            assert ids[n_prompt + number] == row.argmax()
    assert_array_equal(written.capture.weights, torch.cat(theirs.attentions))


@pytest.mark.parametrize("window", [1, 2])
def test_a_cached_step_sees_the_window_of_an_uncached_one(tmp_path, window):
    folder = decoder_checkpoints.save("mistral", tmp_path / "tiny")
    model = load_causal(configure(folder, sliding_window=window))
    written = model.generate(SENTENCE, max_new_tokens=6)
    ids = torch.tensor([written.capture.token_ids])
    with torch.inference_mode():
        probabilities = plain(folder)(input_ids=ids, use_cache=False).logits[0].softmax(dim=-1)
    for position, step in enumerate(written.steps, start=written.n_prompt):
        assert_allclose(step.probability, probabilities[position - 1, ids[0, position]], atol=1e-5)


def test_a_cache_selects_rows(family, decoders):
    """Beam search continues each row from the row that it extends."""
    predictor = decoders[family].predictor
    start, rows = torch.tensor([[5, 9, 30, 7, 8], [8, 40, 2, 6, 3]]), torch.tensor([1, 1, 0])
    after = torch.tensor([[11], [12], [13]])
    cache = predictor.new_cache()
    predictor.next_logits(start, cache)
    cache.select(rows)
    expected = predictor.next_logits(torch.cat([start[rows], after], dim=1), None)
    assert_allclose(predictor.next_logits(after, cache), expected, atol=1e-4)


# Invalid folders.


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
        (
            "llama",
            {"architectures": ["LlamaForSequenceClassification"]},
            "without its language head",
        ),
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


def test_a_decoder_without_its_language_head_is_refused(tmp_path, decoders):
    module = LlamaModel(decoders["llama"].module.config)
    tokenizer = checkpoints.byte_level(["<|endoftext|>", "<|turn|>"])
    folder = decoder_checkpoints.write(tmp_path / "bare", module, tokenizer)
    with pytest.raises(HeadlightError, match="as LlamaModel"):
        load_model(str(folder))


def test_the_first_gpt2_loads_as_published(tmp_path, decoders):
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
    theirs, ours = load_model(str(folder)).attend(SENTENCE), decoders["gpt2"].attend(SENTENCE)
    assert_array_equal(theirs.weights, ours.weights)
