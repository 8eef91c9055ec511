"""Captures are read-only, report their size, and survive a round trip through a file."""

import dataclasses
import io

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model import AttentionCapture, HeadlightError, load_model
from model.capture.tokens import Keys
from tests.model.conftest import ANIMAL


def arrays_of(capture: AttentionCapture) -> list[np.ndarray]:
    masks = [mask for mask in capture.allowed if mask is not None]
    return [capture.weights, capture.special, *capture.q, *capture.k, *capture.v, *masks]


def assert_same_keys(a: Keys, b: Keys) -> None:
    for field in dataclasses.fields(Keys):
        assert np.array_equal(getattr(a, field.name), getattr(b, field.name)), field.name


def assert_same(a: AttentionCapture, b: AttentionCapture) -> None:
    """Compare every field, bit for bit."""
    for field in dataclasses.fields(AttentionCapture):
        left, right = getattr(a, field.name), getattr(b, field.name)
        if isinstance(left, np.ndarray) or field.name in ("q", "k", "v"):
            assert all(np.array_equal(x, y) for x, y in zip(left, right, strict=True)), field.name
            assert [x.dtype for x in left] == [y.dtype for y in right]
        elif field.name in ("allowed", "bias"):
            assert [None if m is None else m.tolist() for m in left or ()] == [
                None if m is None else m.tolist() for m in right or ()
            ]
        elif isinstance(left, Keys):
            assert_same_keys(left, right)
        else:
            assert left == right, field.name


def test_every_array_is_read_only(families):
    for model in families.values():
        for array in arrays_of(model.attend("it was the book")):
            assert array.dtype in (np.float32, bool)
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_a_later_sentence_does_not_change_an_earlier_capture(minilm):
    first = minilm.attend(ANIMAL)
    kept = [array.copy() for array in arrays_of(first)]
    minilm.attend("Quite another sentence, of about the same length, I would say.")
    assert all(np.array_equal(a, b) for a, b in zip(arrays_of(first), kept, strict=True))


def test_a_missing_head_is_an_error_in_words(minilm):
    capture = minilm.attend("word")
    for layer, head in [(6, 0), (0, 12), (-1, 0), (0, -1)]:
        with pytest.raises(HeadlightError, match=f"has no head L{layer}·H{head}"):
            capture.head(layer, head)


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


def test_retained_bytes_count_the_whole_buffer_of_a_view():
    """Tests the helper above."""
    fused = torch.zeros(5, 3, 4)
    assert retained_bytes([fused[:, 2].numpy(), fused[1:, 0].numpy()]) == 5 * 3 * 4 * 4
    assert retained_bytes([np.zeros((5, 4))[1:]]) == 5 * 4 * 8


@pytest.mark.parametrize("text", ["it", "it was the book " * 9], ids=["short", "long"])
def test_nbytes_equals_the_retained_memory(families, text):
    for family, model in families.items():
        capture = model.attend(text)
        special = capture.special.nbytes  # one byte for each token is not counted
        assert capture.nbytes == retained_bytes(arrays_of(capture)) - special, family


def test_nbytes_is_correct_for_our_encoder_and_for_a_capture_from_a_file(minilm):
    model = load_model("scratch-untrained")
    for capture in (
        model.attend(ANIMAL),
        AttentionCapture.from_npz(minilm.attend(ANIMAL).to_npz()),
    ):
        assert capture.nbytes == retained_bytes(arrays_of(capture)) - capture.special.nbytes


# Round trip through a file.

ODD_TEXTS = [
    "\x00",
    "a\x00",
    "👩‍👩‍👧 it",
    "\ud83d",
    '"quoted" \\ {} %s',
    "שלום",
    "line\nbreak",
    "  it ",
]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_a_capture_survives_a_round_trip_through_npz(families, text):
    for pair in (None, f"{text}{text}"):
        capture = families["bert"].attend(text, pair)
        assert_same(AttentionCapture.from_npz(capture.to_npz()), capture)


@pytest.mark.parametrize("family", ["albert", "modernbert"])
def test_masks_and_cut_text_survive_a_round_trip(families, family):
    capture = families[family].attend("the animal was too tired " * 9, "it slept " * 9)
    back = AttentionCapture.from_npz(capture.to_npz())
    assert all(capture.left_out)
    assert_same(back, capture)
    assert np.array_equal(back.head(1, 2).masked_scores, capture.head(1, 2).masked_scores)
    assert not any(array.flags.writeable for array in arrays_of(back))


@pytest.fixture(scope="module")
def npz(families) -> bytes:
    return families["bert"].attend("it was").to_npz()


@given(st.binary(max_size=200))
def test_other_bytes_are_an_error_in_words(data):
    for prefix in (b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00"):
        with pytest.raises(HeadlightError, match="not a capture"):
            AttentionCapture.from_npz(prefix + data)


@given(st.floats(0, 1, exclude_max=True))
def test_a_truncated_capture_is_an_error_in_words(npz, share):
    with pytest.raises(HeadlightError, match="not a capture"):
        AttentionCapture.from_npz(npz[: int(share * len(npz))])


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_a_capture_with_a_damaged_byte_is_read_or_refused_in_words(npz, share, flip):
    damaged = bytearray(npz)
    damaged[int(share * len(npz))] ^= flip
    try:
        capture = AttentionCapture.from_npz(bytes(damaged))
    except HeadlightError:
        return
    assert capture.weights.shape[2] == len(capture.tokens)


def test_a_file_with_a_pickle_is_never_opened():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("the pickle was opened",)

    file = io.BytesIO()
    np.savez(file, weights=np.array([Trap()], dtype=object), meta=np.array("{}"))
    with pytest.raises(HeadlightError, match="not a capture"):
        AttentionCapture.from_npz(file.getvalue())


def test_the_npz_of_another_program_is_an_error_in_words():
    file = io.BytesIO()
    np.savez(file, weights=np.zeros((2, 3)))
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
