"""The residual stream has the norms of the layers' vectors, in every family."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import HeadlightError
from model.capture.residual_stream import to_states
from tests.model import parity
from tests.model.checkpoints import configure
from tests.model.conftest import ANIMAL


def length(x: torch.Tensor) -> np.ndarray:
    return x.square().sum(-1).sqrt()[0].numpy()


WRITERS = {
    "albert": ("encoder.albert_layer_groups", "{}.attention.dense", "{}.ffn_output", 1),
    "distilbert": ("transformer.layer", "attention.out_lin", "ffn.lin2", 1),
    "modernbert": ("layers", "attn.Wo", "mlp.Wo", 1),
    "gpt2": ("transformer.h", "attn.c_proj", "mlp.c_proj", 1),
    "falcon": ("transformer.h", "self_attention.dense", "mlp.dense_4h_to_h", 1),
    "gemma3_text": ("model.layers", "post_attention_layernorm", "post_feedforward_layernorm", 1),
    "granite": ("model.layers", "self_attn.o_proj", "mlp.down_proj", 0.7),
}
"""Layers, what writes in each, and a factor, by transformers' names."""
SHARED = ("0.albert_layers.0", "1.albert_layers.0")


@pytest.mark.parametrize("model_type", WRITERS)
def test_the_stream_adds_what_the_parts_of_transformers_compute(tmp_path, model_type):
    folder = parity.save(model_type, tmp_path / "tiny")
    layers, attention, forward, factor = WRITERS[model_type]
    if model_type == "granite":
        configure(folder, residual_multiplier=factor)
    case = parity.Case(model_type, folder)
    model, reference, written = case.model, case.eager(), {attention: [], forward: []}
    for path, vectors in written.items():
        for layer in SHARED if model_type == "albert" else range(model.n_layers):
            name = path.format(layer) if "{}" in path else f"{layer}.{path}"
            reference.get_submodule(f"{layers}.{name}").register_forward_hook(
                lambda _, args, x, to=vectors: to.append(length(x * factor))
            )
    text = "the animal was tired"
    ids = torch.tensor([model.tokenize(text).ids])
    with torch.inference_mode():
        states = reference(input_ids=ids, output_hidden_states=True).hidden_states
    lengths = np.stack([length(state) for state in states])
    stream = model.residual_stream(text)
    assert not stream.layer_input.flags.writeable
    assert_allclose(stream.layer_input, lengths[:-1], rtol=1e-5)
    assert_allclose(stream.layer_output[:-1], lengths[1:-1], rtol=1e-5)
    assert_allclose(stream.attention, written[attention], rtol=1e-5)
    assert_allclose(stream.feed_forward, written[forward], rtol=1e-5)
    assert_allclose(stream.attention_share, written[attention] / lengths[:-1], rtol=1e-5)
    share = written[forward] / stream.second_input
    assert_allclose(stream.feed_forward_share, share, rtol=1e-5)
    post = model_type in ("albert", "distilbert")
    assert stream.norm_placement == ("post" if post else "pre")
    if post:  # the last state of a pre-norm model is after its norm
        assert_allclose(stream.layer_output[-1], lengths[-1], rtol=1e-5)


def test_parts_that_are_unknown_are_refused_but_the_layers_can_be_read(tmp_path):
    model = parity.Case("codegen", parity.save("codegen", tmp_path / "tiny")).model
    with pytest.raises(HeadlightError, match="add in each layer"):
        model.residual_stream(ANIMAL)
    assert to_states(model.stream_record("it was")).shape[0] == model.n_layers + 1
