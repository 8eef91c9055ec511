"""Captures are read-only, report their size, and survive a round trip through a file."""

import dataclasses
import io

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model import AttentionCapture, HeadlightError, load_model
from model.capture import serialisation


def arrays_of(capture: AttentionCapture) -> list[np.ndarray]:
    masks = [mask for mask in capture.allowed if mask is not None]
    return [capture.weights, capture.special, *capture.q, *capture.k, *capture.v, *masks]


def assert_same(a: AttentionCapture, b: AttentionCapture) -> None:
    """Compare every field, bit for bit."""
    np.testing.assert_equal(dataclasses.asdict(a), dataclasses.asdict(b))
    assert [x.dtype for x in arrays_of(a)] == [x.dtype for x in arrays_of(b)]


def retained_bytes(arrays: list[np.ndarray]) -> int:
    """Bytes of the memory behind the arrays, whole buffers included."""
    memory = {}
    for array in arrays:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if isinstance(owner.base, torch.Tensor):  # the base of a view
            storage = owner.base.untyped_storage()
            memory[storage.data_ptr()] = storage.nbytes()
        else:
            assert owner.base is None
            memory[owner.ctypes.data] = owner.nbytes
    return sum(memory.values())


@pytest.mark.parametrize("text", ["it", "it was the book " * 9], ids=["short", "long"])
def test_arrays_are_read_only_own_and_counted(families, text):
    captures = [model.attend(text) for model in families.values()]
    captures.append(load_model("scratch-untrained").attend(text))
    captures.append(AttentionCapture.from_npz(captures[0].to_npz()))
    kept = [[array.copy() for array in arrays_of(capture)] for capture in captures]
    for model in families.values():
        model.attend("was it")  # a later sentence changes no earlier capture
    for capture, copies in zip(captures, kept, strict=True):
        special = capture.special.nbytes  # one byte for each token is not counted
        assert capture.nbytes == retained_bytes(arrays_of(capture)) - special, capture.model
        for array, before in zip(arrays_of(capture), copies, strict=True):
            assert array.dtype in (np.float32, bool)
            assert not array.flags.writeable
            assert np.array_equal(array, before)


def test_a_missing_head_is_an_error_in_words(minilm):
    capture = minilm.attend("word")
    for layer, head in [(6, 0), (0, 12), (-1, 0), (0, -1)]:
        with pytest.raises(HeadlightError, match=f"has no head L{layer}·H{head}"):
            capture.head(layer, head)


def test_odd_text_masks_and_cut_text_survive_a_round_trip(families):
    odd = 'a\x00 👩‍👩‍👧 \ud83d "quoted" \\ {} %s שלום\nbreak'
    for pair in (None, f"{odd}{odd}"):
        capture = families["bert"].attend(odd, pair)
        assert_same(AttentionCapture.from_npz(capture.to_npz()), capture)
    capture = families["modernbert"].attend("the animal was too tired " * 9, "it slept " * 9)
    back = AttentionCapture.from_npz(capture.to_npz())
    assert all(capture.left_out)
    assert_same(back, capture)
    assert np.array_equal(back.head(1, 2).masked_scores, capture.head(1, 2).masked_scores)


@pytest.fixture(scope="module")
def npz(families) -> bytes:
    return families["bert"].attend("it was").to_npz()


@given(st.binary(max_size=200), st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_other_bytes_and_a_damaged_capture_are_errors_in_words(npz, data, share, flip):
    at = int(share * len(npz))
    for content in (data, b"PK\x03\x04" + data, b"\x93NUMPY\x01\x00" + data, npz[:at]):
        with pytest.raises(HeadlightError, match="not a capture"):
            AttentionCapture.from_npz(content)
    damaged = bytearray(npz)
    damaged[at] ^= flip
    try:
        capture = AttentionCapture.from_npz(bytes(damaged))
    except HeadlightError:
        return
    assert capture.weights.shape[2] == len(capture.tokens)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("weights", lambda x: x.astype(complex)),
        ("weights", lambda x: x.astype(str)),
        ("allowed", lambda x: x[:1]),
        ("q", lambda x: x[..., :1]),
        ("offsets", lambda x: [[0]] * len(x)),
        ("stack", lambda x: "other"),
    ],
)
def test_arrays_that_do_not_fit_the_tokens_are_refused_in_words(npz, name, change, tmp_path):
    meta, arrays = serialisation.read_file(npz)
    held = arrays if name in arrays else meta
    held[name] = change(held[name])
    file = tmp_path / "it.npz"
    file.write_bytes(serialisation.write_npz(meta, arrays))
    with pytest.raises(HeadlightError, match="type, the shape or the numbers of"):
        AttentionCapture.from_npz(file)
    with pytest.raises(HeadlightError, match="unpacks to more than 900 bytes"):
        AttentionCapture.from_npz(str(file), max_bytes=900)
    with pytest.raises(HeadlightError, match="There is no file"):
        AttentionCapture.from_npz(tmp_path / "none.npz")


def test_a_file_with_a_pickle_is_never_opened():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("the pickle was opened",)

    trap = {"weights": np.array([Trap()], dtype=object), "meta": np.array("{}")}
    for arrays in (trap, {"weights": np.zeros((2, 3))}):
        file = io.BytesIO()
        np.savez(file, **arrays)
        with pytest.raises(HeadlightError, match="not a capture"):
            AttentionCapture.from_npz(file.getvalue())


def test_a_table_has_a_row_for_each_weight(families):
    capture = families["bert"].attend("it was")
    table = capture.to_frame()
    assert len(table) == capture.weights.size
    for row in table.sample(20, random_state=1).itertuples():
        assert row.weight == capture.weights[row.layer, row.head, row.query, row.key]
        assert row.query_token == capture.tokens[row.query]
        assert row.key_token == capture.key_tokens[row.key]
