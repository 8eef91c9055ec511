"""Labels of heads: captures with one known pattern each, and the shipped models."""

import dataclasses
from unittest.mock import Mock

import numpy as np
import pytest

from model import AttentionCapture, head_labels, load_model
from model.analysis.labels import THRESHOLDS, label, labels, labels_of
from model.analysis.measures import profile
from model.analysis.weight_statistics import share_on_same

# [CLS] the cat , the dog . [SEP]
IDS = (101, 7, 8, 9, 7, 10, 11, 102)
TEXT = "the cat, the dog."
OFFSETS = ((0, 0), (0, 3), (4, 7), (7, 8), (9, 12), (13, 16), (16, 17), (0, 0))
SPECIAL = np.array([True, *[False] * 6, True])
COMMA, STOP = 3, 6


def captured(weights: np.ndarray) -> AttentionCapture:
    """A capture with these weights, (L, H, 8, 8)."""
    nothing = (np.zeros((8, weights.shape[1], 2)),) * len(weights)
    return AttentionCapture(
        model="by hand",
        text=TEXT,
        text_pair=None,
        tokens=("[CLS]", "the", "cat", ",", "the", "dog", ".", "[SEP]"),
        token_ids=IDS,
        offsets=OFFSETS,
        word_ids=(None, 0, 1, 2, 3, 4, 5, None),
        segment_ids=(0,) * 8,
        special=SPECIAL,
        left_out=("", ""),
        weights=weights,
        q=nothing,
        k=nothing,
        v=nothing,
        allowed=(None,) * len(weights),
    )


def pointing(keys: list[int], share: float) -> np.ndarray:
    """Every token gives ``share`` to its key, and the rest equally to all others: (8, 8)."""
    weights = np.full((8, 8), (1 - share) / 7)
    weights[np.arange(8), keys] = share
    return weights


ONE_PATTERN = {
    "previous": pointing([0, *range(7)], 0.9),
    "next": pointing([*range(1, 8), 7], 0.9),
    "self": pointing(list(range(8)), 0.9),
    "same": pointing([2, 4, 2, 2, 1, 2, 2, 2], 0.9),  # the two "the" attend to each other
    "cls": pointing([0] * 8, 0.9),
    "sep": pointing([7] * 8, 0.9),
    "punctuation": pointing([COMMA, STOP] * 4, 0.9),
    "broad": np.full((8, 8), 1 / 8),
    "mixed": pointing([5, 0, 7, 1, 2, 2, 5, 1], 0.6),
}


def test_heads_of_one_pattern_get_its_name(minilm):
    heads = np.stack(list(ONE_PATTERN.values()))[:, None]
    found = [row[0] for row in head_labels(minilm, captured(heads))]
    assert [each.name for each in found] == list(ONE_PATTERN)
    assert set(ONE_PATTERN) == set(labels_of("encoder"))
    for each in found[:-2]:  # all but broad and mixed
        assert each.measure == each.name
        assert each.value > each.threshold == THRESHOLDS[each.name]


# "the" three times, a comma and a full stop; causal, and without special tokens
CAUSAL_IDS = (6, 7, 8, 9, 7, 10, 11, 7)
CAUSAL_TEXT = "On the cat, the dog. the"
CAUSAL_OFFSETS = ((0, 2), (2, 6), (6, 10), (10, 11), (11, 15), (15, 19), (19, 20), (20, 24))


def looking_back(keys: list[int], share: float) -> np.ndarray:
    """Every token gives ``share`` to its key, and the rest equally to all visible keys: (8, 8)."""
    weights = (1 - share) * np.tril(np.ones((8, 8))) / np.arange(1, 9)[:, None]
    weights[np.arange(8), keys] += share
    return weights


CAUSAL_PATTERN = {
    "induction": looking_back([0, 0, 0, 0, 2, 0, 0, 5], 0.8),
    "previous": looking_back([0, *range(7)], 0.8),
    "self": looking_back(list(range(8)), 0.8),
    "duplicate": looking_back([0, 0, 0, 0, 1, 0, 0, 4], 0.8),
    "first": looking_back([0] * 8, 0.8),
    "punctuation": looking_back([0, 0, 0, 3, 3, 3, 6, 6], 0.95),
    "broad": looking_back([0] * 8, 0),
    "mixed": looking_back([0, 0, 2, 1, 0, 4, 1, 6], 0.7),
}


def causal(weights: np.ndarray, n_tokens: int = 8) -> AttentionCapture:
    """A capture of a decoder with these weights, (L, H, T, T)."""
    return dataclasses.replace(
        captured(weights),
        stack="decoder",
        text=CAUSAL_TEXT,
        tokens=tuple(CAUSAL_TEXT[a:b].strip() for a, b in CAUSAL_OFFSETS[:n_tokens]),
        token_ids=CAUSAL_IDS[:n_tokens],
        offsets=CAUSAL_OFFSETS[:n_tokens],
        word_ids=tuple(range(n_tokens)),
        segment_ids=(0,) * n_tokens,
        special=np.zeros(n_tokens, bool),
        allowed=(np.tril(np.ones((n_tokens, n_tokens), bool)),) * len(weights),
    )


def test_heads_of_decoders_have_their_own_labels():
    heads = np.stack(list(CAUSAL_PATTERN.values()))[:, None]
    found = labels(profile(causal(heads)))
    assert [row[0].name for row in found] == list(CAUSAL_PATTERN)
    assert set(CAUSAL_PATTERN) == set(labels_of("decoder"))


@pytest.mark.parametrize("n_tokens", [1, 8])
def test_a_uniform_head_is_even_for_any_number_of_visible_keys(n_tokens):
    alike = np.tril(np.ones((n_tokens, n_tokens))) / np.arange(1, n_tokens + 1)[:, None]
    found = profile(causal(alike[None, None], n_tokens))
    assert found["evenness"][0, 0] == pytest.approx(float(n_tokens > 1))
    assert labels(found)[0][0].name == ("broad" if n_tokens > 1 else "mixed")


def test_induction_by_chance_needs_a_confirmation_on_random_tokens():
    heads = np.stack([CAUSAL_PATTERN["induction"]] * 2)[None]
    found = labels(profile(causal(heads)), lambda: {"induction": np.array([[0.51, 0.5]])})
    assert [each.name for each in found[0]] == ["induction", "first"]
    assert found[0][0].value == pytest.approx(0.8 + 0.2 * np.mean([1 / 5, 2 / 8]))
    # Random tokens are not run without a candidate.
    never = Mock(side_effect=AssertionError)
    assert labels(profile(causal(CAUSAL_PATTERN["first"][None, None])), never)[0][0].name == "first"


def test_a_decoder_too_small_for_random_tokens_has_no_induction_heads(decoders):
    """As on the Heads page; the next label that applies decides."""
    heads = np.stack([CAUSAL_PATTERN["induction"], CAUSAL_PATTERN["previous"]])[None]
    found = head_labels(decoders["llama"], causal(heads))
    assert [each.name for each in found[0]] == ["first", "previous"]


NOTHING = dict.fromkeys(THRESHOLDS, 0.0)


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_value_equal_to_the_threshold_gives_no_label(name):
    expected = "broad" if name == "evenness" else name
    at, above = THRESHOLDS[name], np.nextafter(THRESHOLDS[name], 1)
    assert label({**NOTHING, name: at}).name == "mixed"
    assert label({**NOTHING, name: float(above)}).name == expected


def test_a_pattern_precedes_evenness_and_the_clearer_pattern_wins():
    assert label({**NOTHING, "evenness": 0.99, "next": 0.51}).name == "next"
    # 0.64 / 0.6 is a smaller ratio than 0.6 / 0.5, although the value is larger.
    assert label({**NOTHING, "cls": 0.64, "self": 0.6}).name == "self"
    # A mixed head names the nearest label; a measure that does not apply is none.
    found = label({**NOTHING, "sep": 0.4, "next": 0.3, "evenness": 0.5, "same": float("nan")})
    assert (found.name, found.measure, found.value, found.threshold) == ("mixed", "sep", 0.4, 0.6)


def test_the_share_on_the_same_word_counts_repeated_words_only():
    weights = np.zeros((8, 8))
    weights[1, 4], weights[1, 1] = 0.3, 0.6  # the token itself does not count
    weights[4, 1] = 0.2
    weights[2, 1] = 1.0  # "cat" occurs once
    assert share_on_same(weights, SPECIAL, IDS) == pytest.approx((0.3 + 0.2) / 2)
    even, words = np.full((3, 3), 1 / 3), np.zeros(3, dtype=bool)
    assert share_on_same(even, words, [4, 4, 4]) == pytest.approx(2 / 3)  # two equal words each
    special = np.array([True, False, True])
    assert np.isnan(share_on_same(even, special, [5, 6, 5]))
    capture = load_model("scratch").attend("字 🙂 字 ok")  # an unknown word equals only itself
    twice = share_on_same(capture.weights, capture.special, [0, 1, 2, 1, 3, 4])
    np.testing.assert_array_equal(profile(capture)["same"], twice)
