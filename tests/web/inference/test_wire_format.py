"""Exact round trips through the wire format, of listed types only."""

import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from model import load_model
from model.analysis.intervention import Intervention, intervene
from model.analysis.order import reorder
from web.inference import operations
from web.inference.wire_format import pack, unpack


def same(ours: Any, theirs: Any) -> bool:
    """Whether two values have the same types at every level and exactly equal contents."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, torch.Tensor):
        ours, theirs = ours.numpy(), theirs.numpy()
    if isinstance(ours, np.ndarray):
        described = (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        return described and ours.tobytes() == theirs.tobytes()
    if is_dataclass(ours):
        return all(same(getattr(ours, f.name), getattr(theirs, f.name)) for f in fields(ours))
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return repr(ours) == repr(theirs)  # NaN is NaN, and 1.0 is not 1


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
some = st.recursive(
    plain | st.binary(max_size=9),
    lambda part: (
        st.lists(part, max_size=4)
        | st.lists(part, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers(), part, max_size=3)
    ),
    max_leaves=12,
)


@given(some)
def test_plain_values_survive_a_round_trip(value: Any) -> None:
    assert same(unpack(pack(value)), value)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        (operations.read, ("scratch", "Two dogs run.", "A cat sleeps.")),
        (operations.stream, ("scratch", "Two dogs run.", None)),
        (operations.lens, ("scratch", "Two dogs run.", None, 1, 3)),
        (operations.predict, ("scratch", "A [MASK] sleeps.", None, 3)),
        (intervene, ("scratch", "Two dogs.", None, Intervention(frozenset({(1, 0), (0, 2)})))),
        (reorder, ("scratch", "Two dogs run.", (2, 0, 1), 0.5)),
        (operations.mask, ("scratch", "Two dogs.", 5, 2, bytes([1] * 49), None)),
        (
            operations.translate,
            ("dates", "3 May 1999", ((1, "0"),), {"max_new_tokens": 4, "beams": 2}),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_requests_and_results_survive_a_round_trip_exactly(operation: Any, arguments: Any) -> None:
    request = unpack(pack((operation.__name__, *arguments)))
    assert same(request, (operation.__name__, *arguments))
    model = load_model(arguments[0])
    result = operation(model, *arguments[1:])
    remote = operations.OPERATIONS[request[0]](model, *request[2:])
    received = unpack(pack(result))
    assert same(received, result) and same(received, remote)


def test_shared_arrays_are_sent_once_and_are_read_only() -> None:
    mask = np.tri(5, dtype=bool)
    one, other, turned = unpack(pack((mask, mask, mask.T)))
    assert one is other and not one.flags.writeable
    assert np.array_equal(one, mask) and np.array_equal(turned, mask.T)
    assert len(pack([mask] * 9)) < len(pack(mask)) + 9 * 20


def test_only_listed_types_are_created() -> None:
    with pytest.raises(TypeError):
        pack(load_model("scratch"))
    other = {"kind": "Popen", "of": {"args": "true"}}
    for structure in (other, {"pickle": "0"}, {"kind": "Keys", "of": {"text": 1}}, {"array": "7"}):
        text = np.frombuffer(json.dumps(structure).encode(), np.uint8)
        with pytest.raises(ValueError, match="not in the wire format"):
            unpack(save({"structure": text}))
    for data in (b"", b"\x80\x04N.", save({"other": np.zeros(1)})):
        with pytest.raises(ValueError, match="not in the wire format"):
            unpack(data)
