"""The residual stream has the norms of the layers' vectors, in every family."""

import dataclasses
import threading

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.nn import functional
from transformers import AutoModel

from model import Encoder, EncoderConfig, HeadlightError, load_model
from model.capture.residual_stream import record_stream
from model.catalogue import scratch
from tests.model.conftest import ANIMAL

FIELDS = (
    "layer_input",
    "attention",
    "attention_sum",
    "second_input",
    "feed_forward",
    "feed_forward_sum",
    "layer_output",
)


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
    # The input of a layer is the output of the layer before.
    np.testing.assert_array_equal(stream.layer_input[1:], stream.layer_output[:-1])
    if norm == "pre":
        np.testing.assert_array_equal(stream.attention_sum, stream.second_input)
        np.testing.assert_array_equal(stream.feed_forward_sum, stream.layer_output)


def test_the_stream_of_the_trained_encoder_matches_a_calculation_by_hand():
    model = load_model("scratch")
    with torch.inference_mode():
        wanted = by_hand(model.module, torch.tensor([model.tokenize(ANIMAL).ids]))
    stream = model.residual_stream(ANIMAL)
    for name in FIELDS:
        assert_allclose(getattr(stream, name), wanted[name], rtol=1e-5, err_msg=name)


def test_the_stream_of_minilm_matches_the_hidden_states_of_transformers(minilm, scratch_minilm):
    tokens = minilm.tokenize(ANIMAL)
    with torch.inference_mode():
        states = minilm.module(
            input_ids=torch.tensor([tokens.ids]), output_hidden_states=True
        ).hidden_states
    stream = minilm.residual_stream(ANIMAL)
    lengths = np.stack([length(state) for state in states])  # (L + 1, T)
    assert_allclose(stream.layer_input, lengths[:-1], rtol=1e-5)
    assert_allclose(stream.layer_output, lengths[1:], rtol=1e-5)
    ours = scratch_minilm.residual_stream(ANIMAL)  # the same weights in our own layers
    for name in FIELDS:
        assert_allclose(getattr(stream, name), getattr(ours, name), rtol=1e-4, err_msg=name)


def test_the_stream_of_every_encoder_family_matches_its_hidden_states(families, family_folders):
    for family, model in families.items():
        module = AutoModel.from_pretrained(family_folders[family], attn_implementation="eager")
        ids = torch.tensor([model.tokenize("the animal was tired").ids])
        with torch.inference_mode():
            states = module.eval()(input_ids=ids, output_hidden_states=True).hidden_states
        stream = model.residual_stream("the animal was tired")
        lengths = np.stack([length(state) for state in states])
        n_layers = model.n_layers
        assert stream.layer_input.shape == (n_layers, ids.shape[1]), family
        assert_allclose(stream.layer_input, lengths[:n_layers], rtol=1e-4, err_msg=family)
        np.testing.assert_array_equal(stream.layer_input[1:], stream.layer_output[:-1])
        assert stream.norm_placement == ("pre" if family == "modernbert" else "post")
        if stream.norm_placement == "post":
            assert_allclose(stream.layer_output, lengths[1:], rtol=1e-4, err_msg=family)
        # Triangle inequality.
        assert (stream.attention_sum <= (stream.layer_input + stream.attention) * (1 + 1e-5)).all()
        assert (
            stream.feed_forward_sum <= (stream.second_input + stream.feed_forward) * (1 + 1e-5)
        ).all()


def test_the_stream_of_every_decoder_family_matches_its_hidden_states(decoders):
    for family, model in decoders.items():
        ids = torch.tensor([model.tokenize("the animal was tired").ids])
        with torch.inference_mode():
            states = model.module(ids, use_cache=False, output_hidden_states=True).hidden_states
        stream = model.residual_stream("the animal was tired")
        lengths = np.stack([length(state) for state in states])  # the last is after the norm
        assert_allclose(stream.layer_input, lengths[:-1], rtol=1e-5, err_msg=family)
        np.testing.assert_array_equal(stream.layer_input[1:], stream.layer_output[:-1])
        assert stream.norm_placement == "pre"


def test_a_model_with_unknown_layers_is_refused(minilm):
    with pytest.raises(HeadlightError, match="parts of the layers of minilm"):
        dataclasses.replace(minilm, layers=()).residual_stream(ANIMAL)


def test_passes_outside_the_block_and_of_other_threads_are_not_recorded(minilm):
    with record_stream() as seen:
        thread = threading.Thread(target=minilm.hidden_states, args=(ANIMAL,))
        thread.start()
        thread.join()
    minilm.hidden_states(ANIMAL)
    assert not seen


def test_the_arrays_are_read_only(minilm):
    with pytest.raises(ValueError, match="read-only"):
        minilm.residual_stream(ANIMAL).layer_input[0, 0] = 1
