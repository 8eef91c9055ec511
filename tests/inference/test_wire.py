"""What is sent comes back as it was: every bit, every kind, and nothing else."""

import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from inference import work
from inference.wire import packed, unpacked
from model import load_model
from model.analysis.intervention import Intervention, intervene
from model.analysis.order import reorder


def same(ours: Any, theirs: Any) -> bool:
    """Of one type, all the way down, and equal to the bit."""
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
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert same(unpacked(packed(value)), value)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        (work.read, ("scratch", "Two dogs run.", "A cat sleeps.")),
        (work.stream, ("scratch", "Two dogs run.", None)),
        (work.lens, ("scratch", "Two dogs run.", None, 1, 3)),
        (work.predict, ("scratch", "A [MASK] sleeps.", None, 3)),
        (intervene, ("scratch", "Two dogs.", None, Intervention(frozenset({(1, 0), (0, 2)})))),
        (reorder, ("scratch", "Two dogs run.", (2, 0, 1), 0.5)),
        (work.mask, ("scratch", "Two dogs.", 5, 2, bytes([1] * 49), None)),
        (work.translate, ("dates", "3 May 1999", ((1, "0"),), {"max_new_tokens": 4, "beams": 2})),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_questions_and_answers_come_back_to_the_bit(name: Any, asked: Any) -> None:
    question = unpacked(packed((name.__name__, *asked)))
    assert same(question, (name.__name__, *asked))
    model = load_model(asked[0])
    answer, again = name(model, *asked[1:]), work.WORK[question[0]](model, *question[2:])
    sent = unpacked(packed(answer))
    assert same(sent, answer) and same(sent, again)


def test_what_layers_share_goes_once_and_nobody_can_write_into_it() -> None:
    mask = np.tri(5, dtype=bool)
    one, other, turned = unpacked(packed((mask, mask, mask.T)))
    assert one is other and not one.flags.writeable
    assert np.array_equal(one, mask) and np.array_equal(turned, mask.T)
    assert len(packed([mask] * 9)) < len(packed(mask)) + 9 * 20


def test_nothing_is_made_but_what_is_listed() -> None:
    with pytest.raises(TypeError):
        packed(load_model("scratch"))
    other = {"kind": "Popen", "of": {"args": "true"}}
    for told in (other, {"pickle": "0"}, {"kind": "Keys", "of": {"text": 1}}, {"array": "7"}):
        text = np.frombuffer(json.dumps(told).encode(), np.uint8)
        with pytest.raises(ValueError, match="no question"):
            unpacked(save({"told": text}))
    for data in (b"", b"\x80\x04N.", save({"other": np.zeros(1)})):
        with pytest.raises(ValueError, match="no question"):
            unpacked(data)
