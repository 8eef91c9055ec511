import json
import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from viz.canvas import (
    FIRST_SIDE,
    MASKED,
    WHOLE,
    HeadCells,
    heads_of,
    join,
    pack,
    pooled,
    reduce_cells,
    rounded_to_odd,
)

unit_floats = st.floats(0, 1, width=32)


def unpack(message: bytes) -> tuple[dict, np.ndarray]:
    """Like `unpack` in common/unpack.js: length, header, then low and high bytes of the cells."""
    (length,) = struct.unpack_from("<I", message)
    header = json.loads(message[4 : 4 + length].decode("utf-8"))
    lower, upper = np.frombuffer(message, np.uint8, offset=4 + length).reshape(2, -1)
    return header, lower + upper.astype(np.uint16) * 256


def sent(parts: tuple[dict, np.ndarray]) -> tuple[dict, np.ndarray]:
    return unpack(join(*parts))


def row_stochastic(*shape: int) -> np.ndarray:
    raw = np.random.default_rng(5).random(shape, dtype=np.float32) ** 4
    return raw / raw.sum(axis=-1, keepdims=True)


@given(hnp.arrays(np.float32, st.integers(1, 30), elements=unit_floats), st.text())
def test_a_message_can_be_unpacked_for_any_header(weights, text):
    header, cells = unpack(pack({"text": text}, weights))
    assert header == {"text": text}
    np.testing.assert_array_equal(cells, rounded_to_odd(weights))


# L = 2, H = 3, Tq = 5, Tk = 7: queries and keys are different tokens.


def test_the_overview_is_ordered_by_layer_head_query_and_key_with_labels_of_both():
    weights = row_stochastic(2, 3, 5, 7)
    labels, keys = ["é", "🙂", "a", "b", "c"], list("tuvwxyz")
    payload = heads_of(weights, labels, key_labels=keys, side="left")
    header, cells = sent(payload)
    assert (header["layers"], header["heads"], header["size"]) == (2, 3, 5)
    assert (header["labels"], header["side"]) == (labels, "left")
    assert header["keys"] == {"size": 7, "labels": keys}
    for layer, head, query, key in ((0, 0, 0, 6), (1, 2, 4, 3), (0, 2, 4, 6)):
        # The index that capture_view/store.js uses.
        cell = cells[((layer * 3 + head) * 5 + query) * 7 + key]
        assert abs(cell - weights[layer, head, query, key] * 40_000) < 1


@given(unit_floats)
@example(0.0)
@example(1.0)
@example(0.03125)  # 312.5 ten-thousandths, exactly: a tie, to the even 312
@example(0.375)  # 37.5 hundredths: a tie, to the even 38
@example(float(np.float32(1.0000001)))
@example(float(np.float32(0.015)))  # a float32 next to a tie of two decimals
def test_cells_have_the_two_and_four_decimals_of_the_weight(weight):
    cells = rounded_to_odd(np.array([weight], dtype=np.float32))
    assert cells[0] <= WHOLE
    for digits in (2, 4):
        assert str(round(Decimal(int(cells[0])) / 40_000, digits)) == format(weight, f".{digits}f")


@pytest.mark.parametrize(
    ("size", "block", "side"), [(128, 1, 128), (129, 2, 65), (300, 3, 100), (512, 4, 128)]
)
def test_large_matrices_are_pooled_to_the_largest_weight_of_each_block(size, block, side):
    weights = row_stochastic(1, 2, size, size)
    thumbnails, found = pooled(weights)
    assert (found, thumbnails.shape) == ((block, block), (1, 2, side, side))
    by_hand = [
        [weights[0, 1, q : q + block, k : k + block].max() for k in range(0, size, block)]
        for q in range(0, size, block)
    ]
    np.testing.assert_array_equal(thumbnails[0, 1], by_hand)


def test_masked_cells_are_distinct_from_zeros():
    allowed = np.tri(5, 7, dtype=bool)
    weights = np.where(allowed, row_stochastic(2, 3, 5, 7), 0)
    weights[0, 0, 4, 1] = 0  # allowed, with a weight of 0
    _, cells = sent(heads_of(weights, ["a"] * 5, key_labels=["b"] * 7, allowed=allowed))
    cells = cells.reshape(weights.shape)
    np.testing.assert_array_equal(cells == MASKED, np.broadcast_to(~allowed, weights.shape))
    assert cells[0, 0, 4, 1] == 0
    each = np.stack([allowed, np.ones((5, 7), bool)])[:, None]  # (L, 1, Tq, Tk), of each layer
    _, cells = sent(heads_of(weights, ["a"] * 5, key_labels=["b"] * 7, allowed=each))
    masked = (cells == MASKED).reshape(2, 3, 5, 7)
    np.testing.assert_array_equal(masked[0, 2], ~allowed)
    assert not masked[1].any()


# The first message of an overview for a long sentence, and later requests.


def test_a_reduced_cell_shows_its_largest_weight_and_is_masked_if_all_cells_are():
    cells = np.array([[1, 9, 0], [0, 2, 3], [MASKED, MASKED, 5]], dtype=np.uint16)
    # Two of three rows share a reduced row, and two of three columns a reduced column.
    np.testing.assert_array_equal(reduce_cells(cells, 2), [[9, 3], [MASKED, 5]])


@given(st.integers(1, 90), st.integers(1, 90), st.integers(1, 40))
def test_the_first_message_reduces_cells_like_the_browser(rows, columns, side):
    cells = np.random.default_rng(rows).integers(0, 10_001, (rows, columns), dtype=np.uint16)
    by_hand = np.zeros((min(rows, side), min(columns, side)), dtype=np.uint16)
    for (query, key), cell in np.ndenumerate(cells):  # like `shrunk` in capture_view/thumbnails.js
        at = query * len(by_hand) // rows, key * by_hand.shape[1] // columns
        by_hand[at] = max(by_hand[at], cell)
    np.testing.assert_array_equal(reduce_cells(cells, side), by_hand)


def test_a_long_sentence_is_sent_reduced_and_stored_exactly():
    weights = row_stochastic(2, 3, 50, 70)
    allowed = np.tril(np.ones((50, 70), dtype=bool))
    options = {"labels": ["a"] * 50, "key_labels": ["b"] * 70, "allowed": allowed}
    kept: list[HeadCells] = []
    stored = {"store": lambda each: kept.append(each) or "/there"}
    header, cells = sent(heads_of(weights, **options, **stored, whole=(1, 1)))
    assert (header["exact"], header["whole"]) == ("/there", 4)
    assert header["first"] == {"rows": FIRST_SIDE, "columns": FIRST_SIDE}
    assert (header["size"], header["keys"]["size"]) == (50, 70)
    whole, exact = sent(heads_of(weights, **options))
    assert "exact" not in whole and "first" not in whole
    np.testing.assert_array_equal(np.frombuffer(kept[0][0 : len(kept[0])], "<u2"), exact)
    by_hand = reduce_cells(exact.reshape(2, 3, 50, 70))
    np.testing.assert_array_equal(cells, [*by_hand.ravel(), *exact.reshape(6, 3500)[4]])
    short = row_stochastic(1, 2, FIRST_SIDE, FIRST_SIDE)
    header, cells = sent(heads_of(short, ["a"] * FIRST_SIDE, **stored))
    assert cells.size == short.size and "exact" not in header and len(kept) == 1


def test_the_cells_of_a_requested_head_are_those_of_all_heads_at_its_place():
    rng = np.random.default_rng(7)
    weights = np.float32(rng.dirichlet(np.ones(5), (2, 3, 4)))
    allowed = rng.random((2, 1, 4, 5)) < 0.7
    cells, head = HeadCells(weights, allowed, weights), 2 * 4 * 5
    low, high = np.split(np.frombuffer(pack({}, weights, allowed)[6:], np.uint8), 2)
    every = (low + 256 * high.astype("<u2")).tobytes()
    assert len(cells) == len(every) == 6 * head
    assert cells[4 * head : 5 * head] == every[4 * head : 5 * head]
    assert cells[head + 6 : 3 * head - 2] == every[head + 6 : 3 * head - 2]
    other = weights.copy()
    other[1, 2, 3, 0] += 0.01
    assert HeadCells(other, allowed, weights).fingerprint() != cells.fingerprint()
