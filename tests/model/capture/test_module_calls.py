"""Module calls are recorded for the pass of the current thread only."""

import threading
from itertools import pairwise

import pytest
import torch

from model import load_model
from model.capture.module_calls import record_module_calls
from tests.model.conftest import ANIMAL


@pytest.fixture(scope="module")
def model():
    return load_model("scratch")


def test_the_output_of_a_layer_is_the_input_of_the_next(model):
    layers = list(model.module.layers)
    seen = record_module_calls(layers, lambda: model.hidden_states(ANIMAL))
    for one, other in pairwise(layers):
        assert torch.equal(seen[one].output, seen[other].inputs[0])
    n_tokens = len(model.tokenize(ANIMAL).pieces)
    assert seen[layers[0]].inputs[0].shape == (n_tokens, model.d_model)
    assert seen[layers[0]].inputs[1] is None  # our encoder has no mask here
    assert torch.equal(seen[layers[-1]].output, model.hidden_states(ANIMAL))


def test_the_first_of_several_outputs_is_recorded(model):
    attention = model.module.layers[1].attention
    seen = record_module_calls([attention], lambda: model.hidden_states(ANIMAL))[attention]
    with torch.inference_mode():
        assert torch.equal(seen.output, attention(seen.inputs[0][None])[0][0])


def test_hooks_are_installed_once_and_ignore_other_passes(model):
    layer = model.module.layers[0]
    text = "it"

    def run_with_another_pass() -> None:
        model.hidden_states(ANIMAL)
        other = threading.Thread(target=model.hidden_states, args=(text,))
        other.start()
        other.join()

    first = record_module_calls([layer], run_with_another_pass)[layer]
    hooks = len(layer._forward_hooks)
    again = record_module_calls([layer], lambda: model.hidden_states(ANIMAL))[layer]
    assert len(layer._forward_hooks) == hooks
    assert torch.equal(first.output, again.output)  # the text of the other thread is not recorded


def test_a_module_that_did_not_run_raises_and_an_error_stops_the_recording(model):
    layer = model.module.layers[0]
    with pytest.raises(LookupError):
        record_module_calls([layer], lambda: None)

    def fail() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        record_module_calls([layer], fail)
    assert (
        record_module_calls([layer], lambda: model.hidden_states(ANIMAL))[layer]
        .output.isfinite()
        .all()
    )
