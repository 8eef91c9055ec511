"""The vectors of a token in a layer: each follows from those before it, by the model's weights."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import HeadlightError, load_model
from model.analysis.layer_vectors import layer_vectors
from tests.model.conftest import ANIMAL

TOKEN = 8


def applied(module: torch.nn.Module, vector: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return module(torch.tensor(vector)[None]).numpy()[0]


@pytest.mark.parametrize("name", ["scratch", "minilm"])
def test_residual_attention_norm_and_feed_forward_give_the_models_next_state(name):
    model = load_model(name)
    capture = model.attend(ANIMAL)
    states = None
    for layer, site in enumerate(model.layers):
        found = layer_vectors(model, ANIMAL, None, layer, TOKEN)
        if states is not None:
            assert_allclose(found.layer_input, states, atol=1e-5, rtol=0)
        contexts = [capture.head(layer, head).context[TOKEN] for head in range(model.n_heads)]
        assert_allclose(found.contexts, np.concatenate(contexts), atol=1e-5, rtol=0)
        attended = applied(site.attention, found.contexts)
        assert_allclose(found.attention, attended, atol=1e-5, rtol=0)
        second = applied(site.norms[0], found.layer_input + attended)
        assert_allclose(found.second_input, second, atol=1e-5, rtol=0)
        fed = applied(site.feed_forward, found.hidden)
        assert_allclose(found.feed_forward, fed, atol=1e-5, rtol=0)
        states = applied(site.norms[1], second + fed)
        assert_allclose(found.layer_output, states, atol=1e-5, rtol=0)
    assert_allclose(states, model.hidden_states(ANIMAL)[TOKEN], atol=1e-5, rtol=0)


def test_layers_that_share_their_modules_are_refused(families):
    with pytest.raises(HeadlightError, match="share their modules"):
        layer_vectors(families["albert"], "it was", None, 0, 1)
