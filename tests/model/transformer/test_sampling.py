import math
from collections import Counter
from unittest.mock import patch

import pytest
import torch
from torch.testing import assert_close

from model import HeadlightError
from model.transformer.sampling import Sampling, draw, most_probable, sampling_distribution

# 0.5, 0.2, 0.2, 0.1, not in order; tokens 1 and 4 are equally probable.
PROBABILITIES = torch.tensor([0.1, 0.2, 0.0, 0.5, 0.2], dtype=torch.float64)
LOGITS = PROBABILITIES.log() + 7  # softmax ignores a constant


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, [0, 0, 0, 1, 0]),
        ({"top_k": 3, "top_p": 0.9}, [0, 0, 0, 1, 0]),
        # Squares: 0.01, 0.04, 0.25, 0.04, together 0.34.
        ({"temperature": 0.5}, [1 / 34, 4 / 34, 0, 25 / 34, 4 / 34]),
        ({"temperature": 1.0, "top_k": 2}, [0, 2 / 7, 0, 5 / 7, 0]),  # the first of equals
        ({"temperature": 1e-300}, [0, 0, 0, 1, 0]),
        ({"temperature": 1.0, "top_p": 0.6}, [0, 2 / 7, 0, 5 / 7, 0]),  # 0.5 is too little, 0.7 not
    ],
    ids=str,
)
def test_the_distribution_follows_the_definition(how, expected):
    found = sampling_distribution(LOGITS, Sampling(**how)).tolist()
    assert found == pytest.approx(expected, abs=1e-12)


def test_top_p_reached_exactly_keeps_no_more_tokens():
    quarters = torch.full((4,), 0.25, dtype=torch.float64).log()
    kept = sampling_distribution(quarters, Sampling(temperature=1.0, top_p=0.5))
    assert kept.tolist() == [0.5, 0.5, 0, 0]


@pytest.mark.parametrize(
    "how", [{}, {"top_k": 200}, {"top_p": 0.6}, {"top_k": 900, "top_p": 0.999}]
)
def test_a_large_vocabulary_gives_the_result_of_a_full_sort(how):
    """Half of the tokens are in pairs of equals; the first of a pair comes first."""
    generator = torch.Generator().manual_seed(3)
    logits = torch.randn(1500, generator=generator).repeat_interleave(2)
    logits[::3] = torch.randn(1000, generator=generator)
    for temperature in (0.2, 1.0, 40.0):  # top-p keeps a few tokens, then hundreds, then thousands
        ids = sorted(range(3000), key=lambda i: -logits[i].item())
        odds = [math.exp((logits[i] - logits[ids[0]]).item() / temperature) for i in ids]
        odds = odds[: how.get("top_k", 3000)]
        n, reached = 0, 0.0
        while n < len(odds) and reached < how.get("top_p", 2.0):
            n, reached = n + 1, reached + odds[n] / sum(odds)
        found = sampling_distribution(logits, Sampling(temperature, **how))
        kept = torch.tensor(odds[:n], dtype=torch.float64)
        assert (found > 0).sum() == n
        assert_close(found[ids[:n]], kept / kept.sum())


def test_draws_are_as_frequent_as_the_distribution():
    expected = sampling_distribution(LOGITS, Sampling(temperature=0.8, top_p=0.95))
    generator, n = torch.Generator().manual_seed(11), 4000
    drawn = Counter(draw(expected, generator) for _ in range(n))
    for token, p in enumerate(expected.tolist()):  # 4 standard deviations
        assert abs(drawn[token] - n * p) <= 4 * math.sqrt(n * p * (1 - p))


def test_tokens_of_probability_zero_are_never_drawn():
    """Also if the random number is 0, or almost 1."""
    weights = torch.tensor([0, 0.3, 0.2, 0], dtype=torch.float64)
    for number in (0.0, 1 - 2**-53):
        drawn = torch.tensor([number], dtype=torch.float64)
        with patch("torch.rand", return_value=drawn):
            assert weights[draw(weights, torch.Generator())] > 0


def test_the_most_probable_tokens_come_first_without_impossible_ones():
    assert most_probable(PROBABILITIES, 3) == ((3, 0.5), (1, 0.2), (4, 0.2))
    assert [id_ for id_, _ in most_probable(PROBABILITIES, 9)] == [3, 1, 4, 0]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"temperature": -0.1}, "at least 0, not -0.1"),
        ({"temperature": math.nan}, "at least 0, not nan"),
        ({"top_k": 0}, "top_k must be at least 1, not 0"),
        ({"top_p": 0.0}, "above 0 and at most 1, not 0.0"),
        ({"top_p": 1.5}, "above 0 and at most 1, not 1.5"),
        ({"seed": 2**63}, "not 9223372036854775808"),
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused_in_words(how, words):
    with pytest.raises(HeadlightError, match=words):
        Sampling(**how)
