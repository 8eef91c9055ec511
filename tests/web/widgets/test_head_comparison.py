"""Heads are compared on words, by hand."""

import io

import numpy as np
import pytest

from web.cache import uploaded_captures
from web.subject import Subject
from web.widgets.head_comparison import most_similar

OURS = [[1, 0, 0], [0.8, 0.05, 0.15], [0.8, 0.1, 0.1]]  # of what is not on [CLS]: 1/4, 3/4; halves
AS_MUCH = [[1, 0, 0], [0.8, 0.2, 0], [0.8, 0, 0.2]]  # on [CLS], and other words
AS_SHARED = [[0, 0, 1], [0.2, 0.2, 0.6], [0, 0.5, 0.5]]  # the same words, and less on [CLS]


def side(*heads: list) -> Subject:
    file = io.BytesIO()
    tokens, special = np.array(["[CLS]", "a", "b"]), np.array([True, False, False])
    np.savez(file, weights=np.float32([heads]), tokens=tokens, special=special)
    return Subject("left", uploaded_captures.add(file.getvalue(), "made.npz"), "")


def test_the_most_similar_head_shares_its_attention_between_words_alike() -> None:
    place, distance = most_similar(side(OURS), (0, 0), side(AS_MUCH, AS_SHARED))
    assert place == (0, 1) and distance == pytest.approx(0, abs=1e-3)
    _, distance = most_similar(side(OURS), (0, 0), side(AS_MUCH))
    # JS(1/4 3/4, 1 0) and JS(1/2 1/2, 0 1), by their middles 5/8 3/8 and 1/4 3/4.
    first = (0.25 * np.log2(0.4) + 0.75 * np.log2(2) + np.log2(1.6)) / 2
    second = (0.5 * np.log2(2) + 0.5 * np.log2(2 / 3) + np.log2(4 / 3)) / 2
    assert distance == pytest.approx((first**0.5 + second**0.5) / 2, abs=1e-6)
