"""Attention over heads and layers: results by hand, and the model's own sums."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from transformers import AutoModel

from model import HeadlightError
from model.analysis.depth import (
    FLOW_UNIT,
    MAX_FLOW_TOKENS,
    by_layer,
    entropy_ceiling,
    flow,
    head_mean,
    most_flow_tokens,
    reachable,
    rollout,
    transformed_values,
    value_norms,
)
from model.catalogue.pretrained.hub import embedded_folder
from model.transformer.attention import MultiHeadAttention
from tests.model.checkpoints import FAMILIES
from tests.model.conftest import ANIMAL
from tests.model.decoder_checkpoints import FAMILIES as DECODERS
from tests.model.decoder_checkpoints import WINDOW

SENTENCE, PAIR = "the animal was too tired", "it slept, was it?"
OUTPUT_MAPS = ("attention.output.dense", "attention.out_lin", "attention.dense", "attn.Wo")
"""Name of W^O in each family of encoders."""

MEANS = np.array(
    [
        [[1.0, 0.0, 0.0], [0.4, 0.2, 0.4], [0.0, 0.6, 0.4]],
        [[0.2, 0.4, 0.4], [0.0, 1.0, 0.0], [0.6, 0.0, 0.4]],
    ]
)
# With half of the residual connection, 0.5 A + 0.5 I:
#
#          1.0  0.0  0.0            0.6  0.2  0.2
#   A_0 =  0.2  0.6  0.2     A_1 =  0.0  1.0  0.0
#          0.0  0.3  0.7            0.3  0.0  0.7
A_0 = np.array([[1.0, 0.0, 0.0], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])


def heads_of(means: np.ndarray) -> np.ndarray:
    """Two different heads with the given mean, (L, T, T) -> (L, 2, T, T)."""
    lean = (
        np.minimum(means[..., 0], means[..., 2]) / 2
    )  # moved between the first and the last token
    return np.stack([means + s * lean[..., None] * [1, 0, -1] for s in (1, -1)], axis=1)


HEADS = heads_of(MEANS)


@st.composite
def attention(draw, most_layers: int = 3, most_tokens: int = 4):
    """Weights (L, H, T, T) with rows that sum to 1; some rows are one-sided, some weights are 0."""
    n_layers, n_heads = draw(st.integers(1, most_layers)), draw(st.integers(1, 2))
    n_tokens = draw(st.integers(1, most_tokens))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    powers = random.integers(0, 9, (n_layers, n_heads, n_tokens, n_tokens)) ** 3.0
    powers[..., 0] += powers.sum(axis=-1) == 0
    return powers / powers.sum(axis=-1, keepdims=True)


def test_heads_are_averaged_within_their_layer():
    assert_allclose(head_mean(HEADS), MEANS)
    assert (HEADS >= 0).all()
    assert not np.allclose(HEADS[:, 0], HEADS[:, 1])


def test_rollout_by_hand():
    # R_0 = A_0 and R_1 = A_1 R_0. Its first row, for example:
    # 0.6 (1.0, 0.0, 0.0) + 0.2 (0.2, 0.6, 0.2) + 0.2 (0.0, 0.3, 0.7) = (0.64, 0.18, 0.18)
    r_1 = [[0.64, 0.18, 0.18], [0.2, 0.6, 0.2], [0.3, 0.21, 0.49]]
    assert_allclose(rollout(HEADS), [A_0, r_1])


@given(attention())
def test_rows_of_rollout_sum_to_one(weights):
    rolled = rollout(weights)
    assert rolled.shape == (len(weights), *weights.shape[2:])
    assert_allclose(rolled.sum(axis=-1), 1)


def test_rows_of_rollout_sum_to_one_without_the_weights_of_hidden_tokens():
    assert_allclose(rollout(HEADS * 0.7).sum(axis=-1), 1)


def test_flow_by_hand():
    # Through two layers there is one path over each middle token k, with its smaller capacity: the
    # sum over k of min(A_1[i, k], A_0[k, j]).
    # (0, 0): min(0.6, 1.0) + min(0.2, 0.2) + min(0.2, 0.0) = 0.8
    # (0, 1): min(0.6, 0.0) + min(0.2, 0.6) + min(0.2, 0.3) = 0.4
    # (0, 2): min(0.6, 0.0) + min(0.2, 0.2) + min(0.2, 0.7) = 0.4
    # (1, .): only over token 1, through a pipe of 1: A_0's row 1
    # (2, 0): min(0.3, 1.0) + min(0.7, 0.0) = 0.3
    # (2, 1): min(0.3, 0.0) + min(0.7, 0.3) = 0.3
    # (2, 2): min(0.3, 0.0) + min(0.7, 0.7) = 0.7
    by_hand = [[0.8, 0.4, 0.4], [0.2, 0.6, 0.2], [0.3, 0.3, 0.7]]
    assert_allclose(flow(HEADS, 1), by_hand, atol=1e-8)


def test_the_flow_of_the_first_layer_is_its_own_attention():
    assert_allclose(flow(HEADS, 0), A_0, atol=FLOW_UNIT)


@given(attention(most_tokens=3))
def test_flow_equals_the_minimum_cut(weights):
    """Maximum flow equals minimum cut; the test tries all cuts between the layers."""
    n_layers, _, n_tokens, _ = weights.shape
    pipes = 0.5 * weights.mean(axis=1) + 0.5 * np.eye(n_tokens)

    def cut(i, j, between):
        """Capacity of the edges from the source's part to the other part."""
        source = np.arange(n_tokens) == i
        no_sink = np.arange(n_tokens) != j  # the other input tokens have no outgoing edges
        share = [no_sink, *np.reshape(between, (n_layers - 1, n_tokens)), source]
        return sum(pipes[k][np.ix_(share[k + 1], ~share[k])].sum() for k in range(n_layers))

    shares = list(product([False, True], repeat=(n_layers - 1) * n_tokens))
    expected = [
        [min(cut(i, j, between) for between in shares) for j in range(n_tokens)]
        for i in range(n_tokens)
    ]
    assert_allclose(flow(weights, n_layers - 1), expected, atol=1e-7)


@given(attention(most_tokens=6))
def test_flow_lies_between_rollout_and_the_capacity_at_its_ends(weights):
    """Rollout is one possible flow; the smaller capacity at the ends bounds every flow."""
    layer = len(weights) - 1
    pipes = 0.5 * weights.mean(axis=1) + 0.5 * np.eye(weights.shape[-1])
    into = pipes[0].sum(axis=0)  # (T,): all that leads to an input token
    found = flow(weights, layer)
    assert (found >= rollout(weights)[layer] - 1e-7).all()
    assert (found <= np.minimum(into, 1) + 1e-7).all()


def test_flow_is_available_up_to_a_length():
    long = np.full((1, 1, MAX_FLOW_TOKENS + 1, MAX_FLOW_TOKENS + 1), 1 / (MAX_FLOW_TOKENS + 1))
    sentence = f"more than {MAX_FLOW_TOKENS} tokens, and the text has {MAX_FLOW_TOKENS + 1}"
    with pytest.raises(HeadlightError, match=sentence):
        flow(long, 0)
    assert flow(long[..., 1:, 1:], 0).shape == (MAX_FLOW_TOKENS, MAX_FLOW_TOKENS)


@pytest.mark.parametrize("layer", [-1, 2])
def test_flow_from_a_missing_layer_is_an_error_in_words(layer):
    with pytest.raises(HeadlightError, match=f"no layer {layer}, only layers 0 to 1"):
        flow(HEADS, layer)


# -- contributions of tokens -----------------------------------------------------------------------


def moved(capture, model) -> np.ndarray:
    """alpha_ij f(x_j) of every head, without shortcuts: (L, H, Tq, Tk, D)."""
    values = [
        transformed_values(v, output).numpy()
        for v, output in zip(capture.v, model.output_weights(), strict=True)
    ]
    return capture.weights[..., None] * np.stack(values)[:, :, None]


def added_up(capture, model) -> np.ndarray:
    """The sum over keys and heads, with the bias of W^O: (L, T, D)."""
    biases = [0 if output.bias is None else output.bias.detach() for output in model.outputs]
    total = moved(capture, model).sum(axis=(1, 3))
    return total + np.stack([np.broadcast_to(bias, total.shape[-1]) for bias in biases])[:, None]


def transformers_outputs(folder, capture) -> np.ndarray:
    """The output of each layer's attention before the residual connection and the norm."""
    module = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    outputs = []
    for name, part in module.named_modules():
        if name.endswith(OUTPUT_MAPS):
            part.register_forward_hook(lambda _m, _a, output: outputs.append(output[0]))
    inputs = {"input_ids": torch.tensor([capture.token_ids])}
    if module.config.model_type in ("bert", "electra", "albert"):
        inputs["token_type_ids"] = torch.tensor([capture.segment_ids])
    with torch.inference_mode():
        module(**inputs)
    return torch.stack(outputs).numpy()  # (L, T, D)


@pytest.mark.parametrize("family", FAMILIES)
def test_token_contributions_sum_to_the_attention_of_each_family(families, family_folders, family):
    capture = families[family].attend(SENTENCE, PAIR)
    expected = transformers_outputs(family_folders[family], capture)
    assert_allclose(added_up(capture, families[family]), expected, atol=1e-5)


def test_token_contributions_sum_to_minilms_attention(minilm, scratch_minilm):
    capture = minilm.attend(ANIMAL)
    expected = transformers_outputs(embedded_folder(), capture)
    assert_allclose(added_up(capture, minilm), expected, atol=1e-5)
    assert_allclose(added_up(scratch_minilm.attend(ANIMAL), scratch_minilm), expected, atol=1e-5)


def test_token_contributions_sum_to_the_scratch_encoders_attention(scratch_minilm):
    outputs = []
    hooks = [
        part.register_forward_hook(lambda _m, _a, output: outputs.append(output[0][0]))
        for part in scratch_minilm.module.modules()
        if isinstance(part, MultiHeadAttention)
    ]
    capture = scratch_minilm.attend(ANIMAL)
    for hook in hooks:
        hook.remove()
    assert_allclose(added_up(capture, scratch_minilm), torch.stack(outputs), atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "albert", "modernbert"])
def test_value_norms_are_the_lengths_of_the_weighted_values(families, family):
    capture = families[family].attend(SENTENCE)
    vectors = moved(capture, families[family])
    norms = value_norms(capture, families[family].output_weights())
    assert norms.heads.shape == capture.weights.shape
    assert_allclose(norms.heads, np.linalg.norm(vectors, axis=-1), rtol=1e-4, atol=1e-6)
    summed = np.linalg.norm(vectors.sum(axis=1), axis=-1)
    assert_allclose(norms.layers, summed, rtol=1e-4, atol=1e-6)
    assert (norms.layers <= norms.heads.sum(axis=1) * (1 + 1e-5)).all()


def test_value_norms_need_the_output_weights_of_every_layer(families):
    capture = families["bert"].attend("it was")
    with pytest.raises(ValueError, match="shorter"):
        value_norms(capture, families["bert"].output_weights()[:1])


def test_output_weights_by_head_are_parts_of_the_output_matrix(families):
    """Concat(head_1, ..., head_H) W^O; all sizes differ: H 3, K 8, D 24."""
    model = families["albert"]
    assert len(model.output_weights()) == 5
    context = torch.randn(7, 3, 8)
    for by_head, output in zip(model.output_weights(), model.outputs, strict=True):
        assert by_head.shape == (3, 8, 24)
        summed = sum(context[:, h] @ by_head[h] for h in range(3))
        assert_allclose(
            summed + output.bias.detach(), output(context.flatten(1)).detach(), atol=1e-5
        )


def test_each_kind_of_layer_view_has_its_own_function(families):
    model = families["bert"]
    capture = model.attend("it was the book")
    norms = value_norms(capture, model.output_weights()).layers
    expected = {
        "mean": head_mean(capture.weights),
        "rollout": rollout(capture.weights),
        "flow": [flow(capture.weights, 0), flow(capture.weights, 1)],
        "norm": norms / norms.sum(axis=-1, keepdims=True),
    }
    for kind, maps in expected.items():
        assert_allclose(by_layer(model, capture, kind), maps, rtol=1e-6)


def test_measures_over_layers_need_the_same_tokens_in_each_layer():
    across = np.full((2, 3, 5, 7), 1 / 7)
    for follow in (lambda: rollout(across), lambda: flow(across, 0)):
        with pytest.raises(HeadlightError, match="5 tokens attend to 7 others"):
            follow()
    assert head_mean(across).shape == (2, 5, 7)


def test_heads_with_shared_values_use_their_own_output_weights():
    generator = torch.Generator().manual_seed(1)
    v = torch.randn(7, 2, 4, generator=generator).numpy()  # 2 value heads for 6 query heads
    output = torch.randn(6, 4, 5, generator=generator)
    found = transformed_values(v, output)
    by_hand = [v[:, head // 3] @ output[head].numpy() for head in range(6)]
    assert_allclose(found, by_hand, atol=1e-5)


# -- decoders: grouped heads, pre-norm, causal masks -----------------------------------------------


@pytest.mark.parametrize("family", DECODERS)
def test_token_contributions_sum_to_a_decoders_attention(decoders, family):
    model, outputs = decoders[family], []
    hooks = [
        output.register_forward_hook(lambda _m, _a, given: outputs.append(given[0]))
        for output in model.outputs
    ]
    capture = model.attend(SENTENCE)
    for hook in hooks:
        hook.remove()
    assert_allclose(added_up(capture, model), torch.stack(outputs), atol=1e-5)
    shares = by_layer(model, capture, "norm")
    lengths = np.linalg.norm(moved(capture, model).sum(axis=1), axis=-1)
    assert_allclose(shares, lengths / lengths.sum(-1, keepdims=True), rtol=1e-4, atol=1e-6)
    assert (shares[:, ~np.tri(len(capture.tokens), dtype=bool)] == 0).all()


@pytest.mark.parametrize("family", DECODERS)
def test_a_decoders_rollout_and_flow_follow_its_masks(decoders, family):
    capture = decoders[family].attend("the animal was")
    reached = reachable(capture.allowed)
    n_tokens = len(capture.tokens)
    window = WINDOW if family == "mistral" else n_tokens
    back = np.subtract.outer(np.arange(n_tokens), np.arange(n_tokens))
    for layer, mask in enumerate(reached):
        # Each layer reaches WINDOW - 1 tokens further back, and none reaches forward.
        np.testing.assert_array_equal(mask, (back >= 0) & (back <= (layer + 1) * (window - 1)))
        assert (rollout(capture.weights)[layer][~mask] == 0).all()
    assert (flow(capture.weights[:, :, :8, :8], 1)[~reached[1][:8, :8]] == 0).all()
    means = [0.5 * layer.mean(axis=0) + 0.5 * np.eye(n_tokens) for layer in capture.weights]
    assert_allclose(rollout(capture.weights)[1], means[1] @ means[0], atol=1e-6)
    assert rollout(capture.weights)[1][reached[1]].min() > 0


def test_after_a_layer_without_a_mask_every_token_is_reachable():
    triangle = np.tri(3, dtype=bool)
    first, second, third = reachable([triangle, None, triangle])
    np.testing.assert_array_equal(first, triangle)
    assert second is None and third is None


def test_the_maximum_entropy_depends_on_the_visible_keys(decoders, minilm):
    seen = np.arange(1, 1 + len(decoders["llama"].attend("it was").tokens))
    ceiling = entropy_ceiling(decoders["llama"].attend("it was"))
    assert_allclose(ceiling, [np.log(seen).mean()] * 3)
    windowed = entropy_ceiling(decoders["mistral"].attend("it was"))
    assert_allclose(windowed, [np.log(np.minimum(seen, WINDOW)).mean()] * 3)
    assert_allclose(entropy_ceiling(minilm.attend("it was")), [np.log(4)] * 6)


def test_the_length_limit_of_flow_is_smaller_for_many_layers():
    assert [most_flow_tokens(n) for n in (1, 12, 13, 30, 48)] == [24, 24, 23, 15, 12]
