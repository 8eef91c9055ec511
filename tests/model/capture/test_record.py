"""Captures: read-only, of the size they say, and the same after a trip through a file."""

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
    """Every field, bit for bit."""
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


def test_a_later_sentence_leaves_an_earlier_capture_as_it_was(minilm):
    first = minilm.attend(ANIMAL)
    kept = [array.copy() for array in arrays_of(first)]
    minilm.attend("Quite another sentence, of about the same length, I would say.")
    assert all(np.array_equal(a, b) for a, b in zip(arrays_of(first), kept, strict=True))


def test_a_head_that_is_not_there_is_an_error_in_words(minilm):
    capture = minilm.attend("word")
    for layer, head in [(6, 0), (0, 12), (-1, 0), (0, -1)]:
        with pytest.raises(HeadlightError, match=f"there is no L{layer}·H{head}"):
            capture.head(layer, head)


def kept_alive(arrays: list[np.ndarray]) -> int:
    """Bytes of all the memory that arrays lie in, whole, however little of it they show."""
    memory = {}
    for array in arrays:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if isinstance(owner.base, torch.Tensor):  # the array shows a tensor, itself perhaps a view
            storage = owner.base.untyped_storage()
            memory[storage.data_ptr()] = storage.nbytes()
        else:
            assert owner.base is None
            memory[owner.ctypes.data] = owner.nbytes
    return sum(memory.values())


def test_a_view_keeps_all_of_what_it_shows_a_part_of_alive():
    """A guard on the measure above."""
    fused = torch.zeros(5, 3, 4)
    assert kept_alive([fused[:, 2].numpy(), fused[1:, 0].numpy()]) == 5 * 3 * 4 * 4
    assert kept_alive([np.zeros((5, 4))[1:]]) == 5 * 4 * 8


@pytest.mark.parametrize("text", ["it", "it was the book " * 9], ids=["short", "long"])
def test_the_bytes_of_a_capture_are_those_that_it_keeps_alive(families, text):
    for family, model in families.items():
        capture = model.attend(text)
        special = capture.special.nbytes  # a byte a token: not worth counting
        assert capture.nbytes == kept_alive(arrays_of(capture)) - special, family


def test_the_bytes_of_our_own_encoders_captures_and_of_one_from_a_file_are_true_too(minilm):
    model = load_model("scratch-untrained")
    for capture in (
        model.attend(ANIMAL),
        AttentionCapture.from_npz(minilm.attend(ANIMAL).to_npz()),
    ):
        assert capture.nbytes == kept_alive(arrays_of(capture)) - capture.special.nbytes


# To a file and back.

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
def test_a_capture_comes_back_from_a_file_unchanged(families, text):
    for pair in (None, f"{text}{text}"):
        capture = families["bert"].attend(text, pair)
        assert_same(AttentionCapture.from_npz(capture.to_npz()), capture)


@pytest.mark.parametrize("family", ["albert", "modernbert"])
def test_masks_and_what_was_cut_come_back_too(families, family):
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
def test_bytes_that_are_no_capture_are_an_error_in_words(data):
    for prefix in (b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00"):
        with pytest.raises(HeadlightError, match="not a capture"):
            AttentionCapture.from_npz(prefix + data)


@given(st.floats(0, 1, exclude_max=True))
def test_a_capture_cut_short_is_an_error_in_words(npz, share):
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


def test_a_file_with_a_pickle_in_it_is_never_opened():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("the pickle was opened",)

    file = io.BytesIO()
    np.savez(file, weights=np.array([Trap()], dtype=object), meta=np.array("{}"))
    with pytest.raises(HeadlightError, match="not a capture"):
        AttentionCapture.from_npz(file.getvalue())


def test_another_programs_npz_is_an_error_in_words():
    file = io.BytesIO()
    np.savez(file, weights=np.zeros((2, 3)))
    with pytest.raises(HeadlightError, match="not a capture"):
        AttentionCapture.from_npz(file.getvalue())
