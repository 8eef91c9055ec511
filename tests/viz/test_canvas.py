"""What the browser's own views receive: exact decimals, in a layout that JavaScript can read."""

import json
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from viz import lines_payload, overview_payload, thumbnails_payload
from viz.canvas import pack, pooled, ten_thousandths

unit_floats = st.floats(0, 1, width=32)


def unpack(message: bytes) -> tuple[dict, np.ndarray]:
    """What `unpack` of common/unpack.js does: length, header, then 16-bit cells."""
    (length,) = struct.unpack_from("<I", message)
    assert length % 2 == 0  # the cells that follow are read two bytes at a time
    header = json.loads(message[4 : 4 + length].decode("utf-8"))
    return header, np.frombuffer(message, "<u2", offset=4 + length)


def row_stochastic(*shape: int) -> np.ndarray:
    raw = np.random.default_rng(5).random(shape, dtype=np.float32) ** 4
    return raw / raw.sum(axis=-1, keepdims=True)


@given(hnp.arrays(np.float32, st.integers(1, 30), elements=unit_floats), st.text())
def test_a_message_is_read_back_whole_whatever_its_header_says(weights, text):
    header, cells = unpack(pack({"text": text}, weights))
    assert header == {"text": text}
    np.testing.assert_array_equal(cells, ten_thousandths(weights))


def test_the_overview_keeps_layer_head_query_key_in_this_order():
    weights = row_stochastic(2, 3, 5, 5)
    header, cells = unpack(overview_payload(weights, ["é", "🙂", "a", "b", "c"], side="left"))
    assert (header["layers"], header["heads"], header["size"], header["block"]) == (2, 3, 5, 1)
    assert header["labels"][:2] == ["é", "🙂"] and header["side"] == "left"
    for layer, head, query, key in ((0, 0, 0, 1), (1, 2, 4, 3), (0, 2, 3, 0)):
        cell = cells[((layer * 3 + head) * 5 + query) * 5 + key]  # as overview/lens.js finds it
        assert cell == round(float(weights[layer, head, query, key]) * 10_000)


def test_the_lines_carry_whole_heads_unpooled():
    weights = row_stochastic(2, 200, 200)
    header, cells = unpack(lines_payload(weights, ["a"] * 200, names=["L0·H0", "L1·H1"]))
    assert (header["heads"], header["size"], header["names"]) == (2, 200, ["L0·H0", "L1·H1"])
    np.testing.assert_array_equal(cells.reshape(2, 200, 200), ten_thousandths(weights))


def shown(cell: int) -> str:
    """Python's answer to (cell / 10000).toFixed(4): both print a double's exact value."""
    return format(int(cell) / 10_000, ".4f")


@given(unit_floats)
@example(0.0)
@example(1.0)
@example(0.03125)  # 312.5 ten-thousandths, exactly: a tie, to the even 312
@example(0.09375)  # 937.5: a tie, to the even 938
@example(float(np.float32(0.00005)))  # a float32 just beside a tie
def test_whole_ten_thousandths_print_the_four_decimals_of_the_weight(weight):
    cells = ten_thousandths(np.array([weight], dtype=np.float32))
    assert shown(cells[0]) == format(weight, ".4f")


def test_every_possible_tie_prints_as_python_prints_it():
    ties = np.arange(1, 32, 2, dtype=np.float32) / 32  # k/32 * 10000 = k * 312.5
    assert [shown(cell) for cell in ten_thousandths(ties)] == [
        f"{tie:.4f}" for tie in ties.tolist()
    ]


def test_no_weight_is_further_than_half_a_ten_thousandth_from_its_cell():
    weights = np.random.default_rng(1).random(1_000_000, dtype=np.float32)
    away = np.abs(ten_thousandths(weights) - weights.astype(np.float64) * 10_000)
    assert away.max() <= 0.5


@pytest.mark.parametrize(
    ("size", "block", "side"), [(128, 1, 128), (129, 2, 65), (300, 3, 100), (512, 4, 128)]
)
def test_large_matrices_are_pooled_to_the_largest_weight_of_each_block(size, block, side):
    weights = row_stochastic(1, 2, size, size)
    thumbnails, found = pooled(weights)
    assert (found, thumbnails.shape) == (block, (1, 2, side, side))
    by_hand = [
        [weights[0, 1, q : q + block, k : k + block].max() for k in range(0, size, block)]
        for q in range(0, size, block)
    ]
    np.testing.assert_array_equal(thumbnails[0, 1], by_hand)


@given(st.integers(1, 40), st.integers(1, 12))
def test_pooling_never_exceeds_its_limit_and_never_loses_the_maximum(size, max_side):
    weights = row_stochastic(size, size)
    thumbnails, block = pooled(weights, max_side)
    assert thumbnails.shape[0] == thumbnails.shape[1] == -(-size // block) <= max_side
    assert thumbnails.max() == weights.max()


def test_thumbnails_of_several_models_follow_one_another():
    ours, theirs = row_stochastic(3, 5, 5), row_stochastic(2, 130, 130)
    sides = [(ours, {"model": "a"}), (theirs, {"model": "b"})]
    header, cells = unpack(thumbnails_payload(sides, max_side=50))
    first, second = header["sides"]
    assert first == {"heads": 3, "size": 5, "block": 1, "model": "a"}
    assert second == {"heads": 2, "size": 44, "block": 3, "model": "b"}
    assert len(cells) == 3 * 5 * 5 + 2 * 44 * 44
    # As thumbnails.js finds them: the second model's first head after all of the first model's.
    np.testing.assert_array_equal(cells[2 * 25 : 3 * 25], ten_thousandths(ours[2]).ravel())
    assert cells[75] == ten_thousandths(theirs[0, :3, :3]).max()
