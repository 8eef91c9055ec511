"""Module calls are recorded for the pass of the current thread only."""

import threading
from itertools import pairwise

import pytest
import torch

from model.capture.module_calls import record_calls
from tests.model.conftest import ANIMAL


def test_the_output_of_a_layer_is_the_input_of_the_next(scratch):
    layers = list(scratch.module.layers)
    with record_calls(layers) as seen:
        last = scratch.hidden_states(ANIMAL)
    assert list(seen) == layers
    for one, other in pairwise(layers):
        assert torch.equal(seen[one].output, seen[other].args[0])
    assert torch.equal(seen[layers[-1]].output[0], last)


def test_hooks_are_installed_once_and_ignore_other_passes(scratch):
    layer = scratch.module.layers[0]
    with record_calls([layer]) as first:
        scratch.hidden_states(ANIMAL)
        other = threading.Thread(target=scratch.hidden_states, args=("it",))
        other.start()
        other.join()
    hooks = len(layer._forward_hooks)
    with record_calls([layer]) as again:
        scratch.hidden_states(ANIMAL)
    assert len(layer._forward_hooks) == hooks
    assert torch.equal(first[layer].output, again[layer].output)
    with pytest.raises(MemoryError), record_calls([layer]) as calls:
        raise MemoryError
    scratch.hidden_states(ANIMAL)
    assert not calls  # an error stops the recording
