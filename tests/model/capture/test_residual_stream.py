"""The residual stream has the norms of the layers' vectors, in every family."""

import dataclasses

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.nn import functional
from transformers import AutoModel

from model import Encoder, EncoderConfig, HeadlightError
from model.catalogue import scratch
from tests.model.checkpoints import FAMILIES as ENCODERS
from tests.model.conftest import ANIMAL
from tests.model.decoder_checkpoints import FAMILIES as DECODERS

FIELDS = ("layer_input", "attention", "attention_sum", "second_input")
FIELDS += ("feed_forward", "feed_forward_sum", "layer_output")


def length(x: torch.Tensor) -> np.ndarray:
    return x.square().sum(-1).sqrt()[0].numpy()


def by_hand(encoder: Encoder, token_ids: torch.Tensor) -> dict[str, np.ndarray]:
    """Run the layers again from their weights, sum by sum (eq. 1, eq. 2, section 3.1)."""
    rows = {name: [] for name in FIELDS}
    x = encoder.embeddings(token_ids)
    for layer in encoder.layers:
        one, two = layer.attention_norm, layer.feed_forward_norm
        pre = encoder.config.norm == "pre"
        a = layer.attention(one(x) if pre else x)[0]
        second_input = x + a if pre else one(x + a)
        read = two(second_input) if pre else second_input
        maps = layer.feed_forward
        hidden = functional.relu(read @ maps.expand.weight.T + maps.expand.bias)
        f = hidden @ maps.contract.weight.T + maps.contract.bias
        layer_output = second_input + f if pre else two(second_input + f)
        for name, part in zip(
            FIELDS, (x, a, x + a, second_input, f, second_input + f, layer_output), strict=True
        ):
            rows[name].append(length(part))
        x = layer_output
    return {name: np.stack(part) for name, part in rows.items()}


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_stream_of_our_encoder_matches_a_calculation_by_hand(norm, minilm):
    config = EncoderConfig(
        minilm.tokenizer.get_vocab_size(), d_model=12, n_heads=3, d_ff=20, n_layers=4, norm=norm
    )
    torch.manual_seed(3)
    model = scratch.as_loaded("tiny", Encoder(config).eval(), minilm.tokenizer)
    stream = model.residual_stream("It was warm.")
    assert stream.norm_placement == norm
    with torch.inference_mode():
        wanted = by_hand(model.module, torch.tensor([model.tokenize("It was warm.").ids]))
    for name in FIELDS:
        assert getattr(stream, name).shape == (4, 6)
        assert_allclose(getattr(stream, name), wanted[name], rtol=1e-5, err_msg=name)
    assert_allclose(stream.attention_share, wanted["attention"] / wanted["layer_input"], rtol=1e-5)
    share = wanted["feed_forward"] / wanted["second_input"]
    assert_allclose(stream.feed_forward_share, share, rtol=1e-5)


@pytest.mark.parametrize("family", [*ENCODERS, *DECODERS])
def test_the_stream_of_every_family_matches_its_hidden_states(
    families, family_folders, decoders, family
):
    text = "the animal was tired"
    if family in families:
        model = families[family]
        folder = family_folders[family]
        module = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    else:
        model = decoders[family]
        module = model.module
    ids = torch.tensor([model.tokenize(text).ids])
    with torch.inference_mode():
        states = module(input_ids=ids, output_hidden_states=True).hidden_states
    stream, n_layers = model.residual_stream(text), model.n_layers
    lengths = np.stack([length(state) for state in states])
    assert not stream.layer_input.flags.writeable
    assert stream.layer_input.shape == (n_layers, ids.shape[1])
    assert_allclose(stream.layer_input, lengths[:n_layers], rtol=1e-4)
    np.testing.assert_array_equal(stream.layer_input[1:], stream.layer_output[:-1])
    post = family in families and family != "modernbert"
    assert stream.norm_placement == ("post" if post else "pre")
    if post:  # the last state of a pre-norm model is after its norm
        assert_allclose(stream.layer_output, lengths[1:], rtol=1e-4)


def test_a_model_with_unknown_layers_is_refused(minilm):
    with pytest.raises(HeadlightError, match="parts of the layers of minilm"):
        dataclasses.replace(minilm, layers=()).residual_stream(ANIMAL)
