"""Captures of each family match transformers' own results."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from transformers import AutoModel

from tests.model.checkpoints import FAMILIES, WINDOW

SENTENCE = "the animal was too tired"
PAIR = "it slept, was it?"
N_LAYERS = {"bert": 2, "roberta": 2, "distilbert": 2, "electra": 2, "albert": 5, "modernbert": 4}
OUTPUT_MAPS = ("attention.output.dense", "attention.out_lin", "attention.dense", "attn.Wo")
"""Name of W^O in each family; its input is the concatenated contexts."""


def reference(folder, capture):
    """The weights that transformers returns, and the contexts that enter W^O."""
    module = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    contexts = []
    for name, part in module.named_modules():
        if name.endswith(OUTPUT_MAPS):
            part.register_forward_pre_hook(lambda _, args: contexts.append(args[0][0]))
    inputs = {"input_ids": torch.tensor([capture.token_ids])}
    if module.config.model_type in ("bert", "electra", "albert"):
        inputs["token_type_ids"] = torch.tensor([capture.segment_ids])
    with torch.inference_mode():
        weights = module(**inputs, output_attentions=True).attentions
    return torch.cat(weights).numpy(), torch.stack(contexts).numpy()


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(scope="module", params=[None, PAIR], ids=["sentence", "pair"])
def case(request, family, families, family_folders):
    capture = families[family].attend(SENTENCE, request.param)
    return capture, *reference(family_folders[family], capture)


def test_the_weights_match_transformers(family, case):
    capture, weights, _ = case
    n_tokens = len(capture.tokens)
    assert capture.weights.shape == (N_LAYERS[family], 3, n_tokens, n_tokens)
    assert_allclose(capture.weights, weights, atol=1e-6)
    assert_allclose(capture.weights.sum(-1), 1, atol=1e-5)


def test_q_and_k_reproduce_the_weights_of_the_model(case):
    capture, *_ = case
    for layer in range(capture.n_layers):
        for head in range(capture.n_heads):
            steps = capture.head(layer, head)
            powers = np.exp(steps.masked_scores - steps.masked_scores.max(axis=-1, keepdims=True))
            softmax = powers / powers.sum(axis=-1, keepdims=True)
            assert_allclose(softmax, capture.weights[layer, head], atol=1e-5)
            assert_allclose(steps.weights @ steps.v, steps.context, atol=1e-5)


def test_the_contexts_equal_the_input_of_the_output_projection(case):
    capture, _, contexts = case
    for layer in range(capture.n_layers):
        heads = [capture.head(layer, head).context for head in range(capture.n_heads)]
        assert_allclose(np.concatenate(heads, axis=-1), contexts[layer], atol=1e-5)


def test_modernbert_has_local_and_global_layers(families):
    capture = families["modernbert"].attend(SENTENCE)
    position = np.arange(len(capture.tokens))
    near = np.abs(position[:, None] - position) <= WINDOW
    assert not near.all()  # the window is narrower than the sentence
    for layer, is_global in enumerate([True, False, False, True]):
        assert (capture.weights[layer] > 0).all() == is_global
        if is_global:
            assert capture.allowed[layer] is None
        else:
            assert (capture.weights[layer][:, ~near] == 0).all()
            assert (capture.allowed[layer] == near).all()
            assert np.isneginf(capture.head(layer, 0).masked_scores[~near]).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_position_table_is_added_to_the_embeddings(families, family_folders, family):
    """A word's embeddings at two positions differ by the rows of the table."""
    model = families[family]
    if family == "modernbert":
        assert model.position_table is None
        return
    table = model.position_table
    assert table.shape[0] == model.max_len == 48
    embeddings = AutoModel.from_pretrained(family_folders[family]).embeddings
    added = []
    embeddings.LayerNorm.register_forward_pre_hook(lambda _, args: added.append(args[0][0]))
    with torch.inference_mode():
        embeddings(input_ids=torch.full((1, 48), 6))
    moved = added[0] - added[0][0]  # the word's own embedding cancels
    assert_allclose(moved.numpy(), (table - table[0]).numpy(), atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_text_of_any_length_fits_the_positions_of_the_model(families, family):
    capture = families[family].attend("the " * 100)
    assert len(capture.tokens) == families[family].max_len == 48
    assert capture.left_out[0]
