"""Measures of a head: results by hand, and parity with scipy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import entr

from model import AttentionCapture, HeadlightError
from model.analysis.measures import profile
from model.analysis.weight_statistics import (
    distance,
    entropy,
    share_at_offset,
    share_on,
    share_on_same,
)
from model.capture.tokens import Keys
from tests.model.analysis.test_labels import captured, causal

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


def test_shares_count_words_only():
    heads = np.stack([ROWS, np.eye(5)])[None]  # (1, 2, T, T)
    # -1: not 0.7, because [CLS] is not a previous word
    for offset, share in ((-1, (0.5 + 0.6) / 2), (1, (0.2 + 0.3) / 2), (0, 0.1), (-2, 0.1)):
        found = share_at_offset(heads, SPECIAL, offset)
        assert_allclose(found, [[share, float(offset == 0)]])
    assert np.isnan(share_at_offset(ROWS, SPECIAL, 3))  # no words at this distance


@st.composite
def heads(draw, n_tokens: int = 5):
    """(H, T, T) with rows that sum to 1; some rows consist of a single 1."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    powers = random.integers(0, 6, (draw(st.integers(1, 4)), n_tokens, n_tokens)) ** 4.0
    powers[..., 1] += powers.sum(axis=-1) == 0
    return (powers / powers.sum(axis=-1, keepdims=True)).astype(draw(st.sampled_from("fd")))


def test_attention_to_one_token_has_zero_entropy_without_a_sign():
    above_one = np.nextafter(np.float32(1), np.float32(2))  # a merged word's after rounding
    for weight in (1, above_one):
        assert f"{entropy(np.eye(4)[::-1] * weight):.2f}" == "0.00"  # not -0.00


@given(heads())
def test_entropy_equals_scipys(weights):
    assert_allclose(entropy(weights), entr(weights).sum(-1).mean(-1), atol=1e-6)


def test_shares_sum_over_key_tokens_and_average_over_queries():
    keys = np.array([True, False, False, True, False])
    assert share_on(ROWS, keys) == pytest.approx((1.0 + 0.7 + (0.1 + 0.3) + 0.1 + 1.0) / 5)
    # The keys can be of another text; distances then have no meaning.
    across = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    assert entropy(across) == pytest.approx(math.log(2) / 2)
    assert share_on(across, keys[2:]) == pytest.approx(0.25)
    special = np.zeros(2, bool)
    for ask in (
        lambda: distance(across),
        lambda: share_at_offset(across, special, -1),
        lambda: share_on_same(across, special, [1, 2]),
    ):
        with pytest.raises(HeadlightError, match="tokens of another text"):
            ask()


def by_hand(weights: np.ndarray) -> AttentionCapture:
    """A capture of "hi !" and "»a." with special tokens; weights (L, H, 7, 7)."""
    words = (None, 0, 0, None, 0, 1, None)
    return replace(
        captured(weights),
        text="hi !",
        text_pair="»a.",
        tokens=("[CLS]", "hi", "▁!", "[SEP]", "»", "a.", "[SEP]"),
        token_ids=(1, 5, 6, 2, 5, 7, 2),  # "hi" and "»" have the same id
        offsets=((0, 0), (0, 2), (2, 4), (0, 0), (0, 1), (1, 3), (0, 0)),
        word_ids=words,
        segment_ids=(0, 0, 0, 0, 1, 1, 1),
        special=np.array([word is None for word in words]),
    )


def test_a_profile_by_hand():
    """Two layers of three heads with equal rows; the last head attends to the next token."""
    row = np.array([0.05, 0.1, 0.2, 0.25, 0.3, 0.02, 0.08])
    weights = np.tile(row, (2, 3, 7, 1))
    weights[1, 2] = np.eye(7, k=1)
    weights[1, 2, 6, 0] = 1
    found = profile(by_hand(weights))
    assert {values.shape for values in found.values()} == {(2, 3)}
    first = {name: values[0, 1] for name, values in found.items()}
    assert first == pytest.approx(
        {
            "entropy": -sum(p * math.log(p) for p in row),
            "distance": sum(abs(i - j) * row[j] for i in range(7) for j in range(7)) / 7,
            "cls": 0.05,
            "sep": 0.25 + 0.08,
            "punctuation": 0.2 + 0.3,  # " !" and "»" are punctuation; "a." is not
            "self": (0.1 + 0.2 + 0.3 + 0.02) / 4,
            "previous": (0.1 + 0.3) / 2,  # of "!" and of "a."
            "next": (0.2 + 0.02) / 2,
            "same": (0.3 + 0.1) / 2,
            "evenness": -sum(p * math.log(p) for p in row) / math.log(7),
        }
    )
    on = {name: values[1, 2] for name, values in found.items() if values[1, 2] != 0}
    expected = {"distance": 12 / 7, "cls": 1 / 7, "sep": 2 / 7, "punctuation": 2 / 7, "next": 1}
    assert on == pytest.approx(expected)
    # A profile needs one text, even if two have equal lengths.
    capture = by_hand(weights)
    of_tokens = {name: getattr(capture, name) for name in Keys.__dataclass_fields__}
    with pytest.raises(HeadlightError, match="another text"):
        profile(replace(capture, other_keys=Keys(**of_tokens)))


def test_measures_of_a_head_with_an_attention_sink_by_hand():
    """The sink (gpt-oss) is a key of each row, but no token: its weight has no distance."""
    rows = [[0.5], [0.2, 0.4], [0.1, 0.3, 0.2], [0.25] * 3, [0.1, 0.2, 0.3, 0.1, 0.1]]
    weights = np.tile(np.eye(5), (2, 3, 1, 1))  # tokens: On the cat , the
    weights[0, 1] = [row + [0] * (5 - len(row)) for row in rows]
    found = profile(replace(causal(weights, 5), sink=1 - weights.sum(axis=-1)))
    entropies = [-sum(p * math.log(p) for p in (*row, 1 - sum(row))) for row in rows]
    assert {name: values[0, 1] for name, values in found.items()} == pytest.approx(
        {
            "entropy": sum(entropies) / 5,
            "distance": (0.2 + 0.5 + 1.5 + 1.7) / 5 / (1 - (0.5 + 0.4 + 0.4 + 0.25 + 0.2) / 5),
            "evenness": sum(e / math.log(n) for n, e in enumerate(entropies, start=2)) / 5,
            "induction": 0.3,  # from the second "the" to "cat"
            "duplicate": 0.2,
            "previous": (0.3 + 0.25 + 0.1) / 3,
            "self": (0.4 + 0.2 + 0 + 0.1) / 4,
            "first": (0.2 + 0.1 + 0.25 + 0.1) / 4,
            "punctuation": 0.1 / 4,
        }
    )
    assert (found["self"][1, 2], found["distance"][1, 2], found["entropy"][1, 2]) == (1, 0, 0)
    assert np.isnan(profile(causal(weights[..., :4, :4], 4))["induction"]).all()  # no repeats


@pytest.mark.parametrize("family", ["roberta", "albert"])
def test_every_familys_opening_token_closing_tokens_and_punctuation_are_found(families, family):
    capture = families[family].attend("it was?!", "the book...")
    found = profile(capture)
    closing = [i for i, token in enumerate(capture.tokens) if token in ("[SEP]", "</s>")]
    points = [i for i, token in enumerate(capture.tokens) if token.strip("▁#") in {"?", "!", "."}]
    assert len(closing) == (3 if family == "roberta" else 2)
    assert len(points) == 5
    received = capture.weights.mean(axis=2)  # (L, H, T)
    assert_allclose(found["cls"], received[..., 0], atol=1e-6)
    assert_allclose(found["sep"], received[..., closing].sum(axis=-1), atol=1e-6)
    assert_allclose(found["punctuation"], received[..., points].sum(axis=-1), atol=1e-6)
