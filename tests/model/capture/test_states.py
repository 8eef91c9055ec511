"""What goes through modules is seen in one's own pass, and in no other."""

import threading
from itertools import pairwise

import pytest
import torch

from model import load_model
from model.capture.states import passages
from tests.model.conftest import ANIMAL


@pytest.fixture(scope="module")
def model():
    return load_model("scratch")


def test_what_leaves_a_layer_enters_the_next_and_the_last_leaves_the_model(model):
    layers = list(model.module.layers)
    seen = passages(layers, lambda: model.hidden_states(ANIMAL))
    for one, other in pairwise(layers):
        assert torch.equal(seen[one].output, seen[other].inputs[0])
    n_tokens = len(model.tokenize(ANIMAL).pieces)
    assert seen[layers[0]].inputs[0].shape == (n_tokens, model.d_model)
    assert seen[layers[0]].inputs[1] is None  # our encoder hides nothing
    assert torch.equal(seen[layers[-1]].output, model.hidden_states(ANIMAL))


def test_of_several_outputs_the_first_is_kept(model):
    attention = model.module.layers[1].attention
    seen = passages([attention], lambda: model.hidden_states(ANIMAL))[attention]
    with torch.inference_mode():
        assert torch.equal(seen.output, attention(seen.inputs[0][None])[0][0])


def test_hooks_are_installed_once_and_silent_in_other_passes(model):
    layer = model.module.layers[0]
    text = "it"

    def disturbed() -> None:
        model.hidden_states(ANIMAL)
        other = threading.Thread(target=model.hidden_states, args=(text,))
        other.start()
        other.join()

    first = passages([layer], disturbed)[layer]
    hooks = len(layer._forward_hooks)
    again = passages([layer], lambda: model.hidden_states(ANIMAL))[layer]
    assert len(layer._forward_hooks) == hooks
    assert torch.equal(first.output, again.output)  # the other thread's text is not in it


def test_a_module_that_was_not_run_is_said_and_an_error_leaves_no_trace(model):
    layer = model.module.layers[0]
    with pytest.raises(LookupError):
        passages([layer], lambda: None)

    def breaks_off() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        passages([layer], breaks_off)
    assert passages([layer], lambda: model.hidden_states(ANIMAL))[layer].output.isfinite().all()
