"""Induction, duplicates and the first token: results by hand, and a model that has them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from model import HeadlightError
from model.analysis.induction import (
    attend_to_repeated,
    duplicates,
    first_token,
    prefix_matching,
    repeated_tokens,
)
from model.analysis.labels import labels
from model.analysis.measures import profile

IDS = (7, 3, 7, 9, 7)


def on_random(model, seed=0):
    """Prefix matching of each head on repeated random tokens."""
    capture = attend_to_repeated(model, seed)
    return prefix_matching(capture.weights, capture.token_ids)


def rows():
    """Two heads of one layer for five tokens; the second head attends to itself only."""
    head = np.array(
        [
            [1, 0, 0, 0, 0],
            [0.25, 0.75, 0, 0, 0],
            [0.5, 0.125, 0.375, 0, 0],
            [0.1, 0.2, 0.3, 0.4, 0],
            [0.0625, 0.25, 0.125, 0.5, 0.0625],
        ],
        dtype=np.float32,
    )
    return np.stack([head, np.eye(5, dtype=np.float32)])[None]


def test_scores_by_hand():
    """Token 7 repeats at 2 and at 4; the token after it was 3, then 9."""
    weights = rows()
    assert_allclose(prefix_matching(weights, IDS), [[(0.125 + (0.25 + 0.5)) / 2, 0]])
    assert_allclose(duplicates(weights, IDS), [[(0.5 + (0.0625 + 0.125)) / 2, 0]])
    assert_allclose(first_token(weights), [[(0.25 + 0.5 + 0.1 + 0.0625) / 4, 0]])
    # Of two equal adjacent tokens the second one follows the first one.
    assert_allclose(prefix_matching(weights[..., :2, :2], (4, 4)), [[0.75, 1]])
    # Without repetitions there is no score.
    assert np.isnan(prefix_matching(weights, range(5))).all()
    assert np.isnan(duplicates(weights, range(5))).all()
    assert np.isnan(first_token(weights[..., :1, :1])).all()


def test_a_model_of_48_tokens_is_too_small_for_the_induction_score(decoders):
    with pytest.raises(HeadlightError, match="too small for 25 different tokens twice"):
        on_random(decoders["gpt2"])


@pytest.mark.slow
def test_smollm2_has_the_same_induction_heads_for_any_random_tokens(smollm2):
    tokens = repeated_tokens(smollm2)
    assert len(tokens.ids) == 101 and tokens.ids[1:26] == tokens.ids[76:]
    assert len(set(tokens.ids[1:26])) == 25
    scores = on_random(smollm2)
    assert scores.shape == (30, 9)
    assert scores.max() > 0.8
    assert np.median(scores) < 0.1
    other = on_random(smollm2, seed=1)
    assert scores.argmax() in np.argsort(other.ravel())[-5:]
    # Among five words, L13·H2 attends two tokens back, which coincides with induction.
    assert (scores > 0.5).sum() == 8
    few = profile(smollm2.attend("one two three one two"))
    assert few["induction"][13, 2] > 0.6 and scores[13, 2] < 0.01
    assert "induction" not in {
        each.name for row in labels(few, lambda: {"induction": scores}) for each in row
    }
    many = "red blue seven green cat red blue seven green cat"  # an example of the Heads page
    found = labels(profile(smollm2.attend(many)), lambda: {"induction": scores})
    called = [(i, j) for i in range(30) for j in range(9) if found[i][j].name == "induction"]
    assert called == [(17, 4), (17, 5), (18, 6)]
