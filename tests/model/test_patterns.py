"""Shares of attention: against rows written by hand."""

import numpy as np
import pytest

from model.patterns import share_at_offset

SPECIAL = np.array([True, False, False, False, True])
ROWS = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.7, 0.1, 0.2, 0.0, 0.0],
        [0.1, 0.5, 0.1, 0.3, 0.0],
        [0.0, 0.1, 0.6, 0.1, 0.2],
        [0.0, 0.0, 0.0, 1.0, 0.0],
    ]
)


@pytest.mark.parametrize(
    ("offset", "share"),
    [
        (-1, (0.5 + 0.6) / 2),  # not 0.7: [CLS] is no word's previous word
        (1, (0.2 + 0.3) / 2),
        (0, 0.1),
        (-2, 0.1),
        (2, 0.0),
    ],
)
def test_shares_count_words_alone(offset, share):
    assert share_at_offset(ROWS, SPECIAL, offset) == pytest.approx(share)


def test_every_head_has_its_own_share():
    heads = np.stack([ROWS, ROWS[::-1, ::-1]])[None]  # (1, 2, T, T)
    np.testing.assert_allclose(share_at_offset(heads, SPECIAL, -1), [[0.55, 0.25]])


def test_words_that_far_apart_may_not_exist():
    assert np.isnan(share_at_offset(ROWS, SPECIAL, 3))
    assert np.isnan(share_at_offset(ROWS, SPECIAL, -7))
