"""Attention over heads and layers: results by hand, and the model's own sums."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from model import HeadlightError, LoadedModel
from model.analysis.depth import (
    FLOW_UNIT,
    MAX_FLOW_TOKENS,
    by_layer,
    flow,
    head_mean,
    most_flow_tokens,
    reachable,
    rollout,
    transformed_values,
    value_norms,
)
from tests.model.checkpoints import FAMILIES
from tests.model.decoder_checkpoints import FAMILIES as DECODERS
from tests.model.decoder_checkpoints import WINDOW

SENTENCE, PAIR = "the animal was too tired", "it slept, was it?"

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
    lean = np.minimum(means[..., 0], means[..., 2]) / 2  # moved between first and last token
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


def test_rollout_by_hand():
    assert_allclose(head_mean(HEADS), MEANS)
    assert not np.allclose(HEADS[:, 0], HEADS[:, 1])
    # R_0 = A_0 and R_1 = A_1 R_0. Its first row, for example:
    # 0.6 (1.0, 0.0, 0.0) + 0.2 (0.2, 0.6, 0.2) + 0.2 (0.0, 0.3, 0.7) = (0.64, 0.18, 0.18)
    r_1 = [[0.64, 0.18, 0.18], [0.2, 0.6, 0.2], [0.3, 0.21, 0.49]]
    assert_allclose(rollout(HEADS), [A_0, r_1])
    hidden = rollout(HEADS * 0.7)  # without the weights of hidden tokens
    assert_allclose(hidden.sum(axis=-1), 1)


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
    assert_allclose(flow(weights, 0), pipes[0], atol=FLOW_UNIT)


def test_invalid_requests_are_errors_in_words():
    n_tokens = MAX_FLOW_TOKENS + 1
    long = np.full((1, 1, n_tokens, n_tokens), 1 / n_tokens)
    assert flow(long[..., 1:, 1:], 0).shape == (MAX_FLOW_TOKENS, MAX_FLOW_TOKENS)
    across = np.full((2, 3, 5, 7), 1 / 7)
    most = f"more than {MAX_FLOW_TOKENS} tokens, and the text has {n_tokens}"
    for ask, words in (
        (lambda: flow(long, 0), most),
        (lambda: flow(HEADS, 2), "layer must be a whole number from 0 to 1, not 2"),
        (lambda: rollout(across), "tokens of another text"),
    ):
        with pytest.raises(HeadlightError, match=words):
            ask()
    # Many layers allow fewer tokens.
    assert [most_flow_tokens(n) for n in (1, 12, 13, 30, 48)] == [24, 24, 23, 15, 12]


def check_contributions(model: LoadedModel) -> None:
    """Contributions sum to the output of W^O without its bias; their lengths are the norms."""
    outputs = []
    hooks = [
        output.register_forward_hook(lambda _m, _a, given: outputs.append(given[0]))
        for output in {id(each): each for each in model.outputs}.values()
    ]
    capture = model.attend("the animal was too tired")
    for hook in hooks:
        hook.remove()
    values = map(transformed_values, capture.v, model.output_weights())
    # alpha_ij f(x_j) of every head, without shortcuts: (L, H, Tq, Tk, D)
    vectors = capture.weights[..., None] * np.stack([*values])[:, :, None]
    for layer, output in enumerate(model.outputs):
        bias = 0 if output.bias is None else output.bias.detach().numpy()
        found = vectors[layer].sum(axis=(0, 2)) + bias  # (H, Tq, Tk, D) -> (Tq, D)
        assert_allclose(found, outputs[layer], atol=1e-5)
    norms = value_norms(capture, model.output_weights())
    assert norms.heads.shape == capture.weights.shape
    assert_allclose(norms.heads, np.linalg.norm(vectors, axis=-1), rtol=1e-4, atol=1e-6)
    lengths = np.linalg.norm(vectors.sum(axis=1), axis=-1)
    assert_allclose(norms.layers, lengths, rtol=1e-4, atol=1e-6)
    for kind, maps in (
        ("norm", lengths / lengths.sum(-1, keepdims=True)),
        ("mean", head_mean(capture.weights)),
        ("rollout", rollout(capture.weights)),
        ("flow", [flow(capture.weights, layer) for layer in range(model.n_layers)]),
    ):
        assert_allclose(by_layer(model, capture, kind), maps, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("family", [*FAMILIES, *DECODERS, "ours"])
def test_token_contributions_sum_to_the_attention(families, decoders, scratch_minilm, family):
    models = {**families, **decoders, "ours": scratch_minilm}
    check_contributions(models[family])


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
    assert rollout(capture.weights)[1][reached[1]].min() > 0
    first, second, third = reachable([reached[0], None, reached[0]])
    np.testing.assert_array_equal(first, reached[0])
    assert second is third is None  # after a layer without a mask every token is reachable
