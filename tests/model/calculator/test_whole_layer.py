"""A computed whole layer equals the model's forward pass and the paper's formulas."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from model import Encoder, EncoderConfig, HeadlightError, causal_mask, load_model
from model.calculator.whole_layer import from_inputs, modules, whole_layer
from model.capture.module_calls import record_module_calls
from tests.model.calculator.whole_layers import D, F, H, agrees, pass_through, shaken
from tests.model.conftest import ANIMAL

KINDS = [
    (kind, norm, activation)
    for kind in ("encoder", "decoder")
    for norm in ("post", "pre")
    for activation in ("relu", "gelu")
]


@pytest.mark.parametrize(("kind", "norm", "activation"), KINDS)
def test_every_kind_of_layer_equals_the_forward_pass(kind, norm, activation):
    layers, seen = pass_through(kind, norm, activation)
    for layer, whole in layers:
        agrees(layer, whole, seen)
        assert [s.part for s in whole.sublayers] == (
            ["self", "ffn"] if kind == "encoder" else ["self", "cross", "ffn"]
        )
        assert (whole.pre_norm, whole.n_heads, whole.d_ff) == (norm == "pre", H, F)


@pytest.mark.parametrize("name", ["scratch", "scratch-minilm"])
def test_all_layers_of_a_trained_encoder_equal_the_forward_pass(name):
    model = load_model(name)
    layers = model.module.layers
    assert len(layers) == 6
    watched = [each for layer in layers for each in (layer, *modules(layer))]
    seen = record_module_calls(watched, lambda: model.hidden_states(ANIMAL))
    for layer in layers:
        agrees(layer, from_inputs(layer, seen[layer].inputs), seen)


def test_the_weights_equal_the_captured_ones():
    model = load_model("scratch")
    layer, captured = model.module.layers[2], model.attend(ANIMAL)
    seen = record_module_calls([layer], lambda: model.hidden_states(ANIMAL))
    steps = from_inputs(layer, seen[layer].inputs).sublayers[0].inner.steps
    assert_close(steps.weights.float(), torch.tensor(captured.weights[2]), rtol=0, atol=1e-5)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_norm_of_a_token_by_hand(norm):
    """(1, 3) has mean 2 and variance 1; with an eps of 3 it is divided by 2."""
    config = EncoderConfig(2, d_model=2, n_heads=1, d_ff=3, n_layers=1, norm=norm, norm_eps=3.0)
    layer = shaken(Encoder(config)).layers[0]
    with torch.no_grad():
        layer.attention.output.weight.zero_()
        layer.attention.output.bias.zero_()  # attention adds 0, so x is unchanged
        layer.attention_norm.weight.copy_(torch.tensor([2.0, 10.0]))
        layer.attention_norm.bias.copy_(torch.tensor([1.0, 4.0]))
    normed = whole_layer(layer, torch.tensor([[1.0, 3.0]])).sublayers[0].norm
    assert (normed.mean.item(), normed.variance.item()) == (2.0, 1.0)
    assert normed.result.tolist() == [[0.0, 9.0]]  # (-1/2, 1/2) * gain + bias


def test_each_sum_and_norm_equals_torch():
    for kind, norm, activation in KINDS:
        (layer, whole), *_ = pass_through(kind, norm, activation)[0]
        stream = whole.x
        for sublayer, module in zip(whole.sublayers, modules(layer)[1::2], strict=True):
            assert_close(sublayer.added, sublayer.x + sublayer.inner.output.result)
            assert torch.equal(sublayer.x, stream)
            given = stream if norm == "pre" else sublayer.added
            expected = nn.functional.layer_norm(
                given, (D,), module.weight.double(), module.bias.double(), module.eps
            )
            assert_close(sublayer.norm.result, expected)
            stream = sublayer.result
        fed = whole.sublayers[-1].inner
        assert_close(fed.activated, getattr(nn.functional, activation)(fed.hidden.result))
        assert fed.activation == activation


def test_a_mask_hides_keys_and_one_that_hides_all_is_an_error():
    (layer, whole), *_ = pass_through("encoder", "post", "relu")[0]
    n_tokens = len(whole.x)
    masked = whole_layer(layer, whole.x, causal_mask(n_tokens)).sublayers[0].inner
    assert masked.steps.weights.triu(1).abs().max() == 0
    assert masked.steps.masked_scores[0, 0, 1] == -math.inf
    assert_close(masked.steps.weights.sum(-1), torch.ones(H, n_tokens, dtype=torch.float64))
    with pytest.raises(HeadlightError, match="hides every key"):
        whole_layer(layer, whole.x, torch.zeros(n_tokens, n_tokens, dtype=torch.bool))
