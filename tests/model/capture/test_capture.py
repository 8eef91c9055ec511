"""Captures: true under threads and errors, read-only, and the same after a trip through a file."""

import dataclasses
import io
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import BertConfig, BertModel

from model import AttentionCapture, HeadlightError
from model.capture.hooks import AttentionSite, install_hooks, recording, split_heads
from tests.model.conftest import ANIMAL


def arrays_of(capture: AttentionCapture) -> list[np.ndarray]:
    masks = [mask for mask in capture.allowed if mask is not None]
    return [capture.weights, capture.special, *capture.q, *capture.k, *capture.v, *masks]


def assert_same(a: AttentionCapture, b: AttentionCapture) -> None:
    """Every field, bit for bit."""
    for field in dataclasses.fields(AttentionCapture):
        left, right = getattr(a, field.name), getattr(b, field.name)
        if isinstance(left, np.ndarray) or field.name in ("q", "k", "v"):
            assert all(np.array_equal(x, y) for x, y in zip(left, right, strict=True)), field.name
            assert [x.dtype for x in left] == [y.dtype for y in right]
        elif field.name == "allowed":
            assert [None if m is None else m.tolist() for m in left] == [
                None if m is None else m.tolist() for m in right
            ]
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


def test_what_the_arrays_hold_in_memory_is_counted(families):
    capture = families["modernbert"].attend("it was the book")
    special = capture.special.nbytes  # a byte a token: not worth counting
    assert capture.nbytes == sum(array.nbytes for array in arrays_of(capture)) - special


# The hooks are silent unless a capture asks.


def test_nothing_is_recorded_outside_of_a_capture(families):
    for model in families.values():
        with recording() as record:
            pass
        model.hidden_states("it was the book")
        assert not (record.weights or record.heads or record.allowed or record.projected)


def test_a_capture_records_each_layer_once_however_often_it_is_taken(families):
    for model in families.values():
        for _ in range(3):
            assert model.attend("it").n_layers == model.n_layers


def test_an_error_in_the_forward_pass_leaves_no_trace(minilm):
    before = minilm.attend(ANIMAL)
    records = []

    def breaks_off(token_ids, segment_ids):
        with recording() as record:
            records.append(record)
            minilm.encode(token_ids, segment_ids)
            raise MemoryError

    with pytest.raises(MemoryError):
        dataclasses.replace(minilm, encode=breaks_off).attend(ANIMAL)
    assert len(records[0].weights) == 6  # it did run, and recorded
    minilm.hidden_states(ANIMAL)
    assert len(records[0].weights) == 6  # and has stopped recording
    assert_same(minilm.attend(ANIMAL), before)


def test_another_threads_forward_pass_is_not_recorded(minilm):
    with recording() as record:
        thread = threading.Thread(target=minilm.hidden_states, args=(ANIMAL,))
        thread.start()
        thread.join()
    assert not record.weights and not record.projected


def test_a_model_without_eager_attention_says_so_instead_of_giving_nothing():
    sizes = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 1}
    config = BertConfig(vocab_size=9, intermediate_size=40, attn_implementation="sdpa", **sizes)
    module = BertModel(config).eval()
    attention = module.encoder.layer[0].attention.self
    projections = (attention.query, attention.key, attention.value)
    install_hooks([AttentionSite(attention, projections, lambda *args: split_heads(3, *args))])
    ids = torch.tensor([[1, 2, 3]])
    module(ids)  # unrecorded: no complaint
    with pytest.raises(RuntimeError, match="must be loaded with eager attention"), recording():
        module(ids)


def test_a_capture_that_missed_a_layer_is_not_handed_out(minilm):
    with pytest.raises(RuntimeError, match="6 of 7 layers"):
        dataclasses.replace(minilm, n_layers=7).attend("word")


def test_threads_that_share_a_model_get_what_they_would_get_alone(minilm, families):
    sentences = [f"{'very ' * i}different sentence number {i}" for i in range(6)]
    models = [minilm, families["albert"], families["modernbert"]]
    alone = [[model.attend(sentence) for model in models] for sentence in sentences]
    start = threading.Barrier(len(sentences))

    def work(i: int) -> None:
        start.wait()
        for _ in range(8):
            for model, expected in zip(models, alone[i], strict=True):
                model.hidden_states(sentences[i - 1])  # unrecorded runs in between
                assert_same(model.attend(sentences[i]), expected)

    with ThreadPoolExecutor(len(sentences)) as pool:
        list(pool.map(work, range(len(sentences))))


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
