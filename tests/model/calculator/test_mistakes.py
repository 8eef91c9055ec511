import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from model import HeadlightError
from model.calculator import MISTAKES, CalculatorSettings, from_projections, from_qkv, mistake
from tests.model.calculator.tensors import drawn, matrix

CAUSAL = CalculatorSettings(mask="causal")
TQ, TK, K, KV, H, D = 3, 4, 2, 5, 2, 7
CUSTOM = CalculatorSettings(
    mask="custom", hidden=frozenset({(0, 1), (0, 3), (2, 0)})
)  # row 1 sees all keys


def exercise(settings=None):
    q, k = matrix([1, 0], [0, 1]), matrix([1, 0], [0.5, 0.5])
    return from_qkv(q, k, matrix([2, 0], [1, 1]), settings)


def unequal(settings=None):
    """A calculation whose sizes all differ."""
    return from_qkv(*drawn((TQ, K), (TK, K), (TK, KV)), settings)


def two_heads(settings=None):
    """Four tokens, two heads of d_k = 3 and d_v = 5."""
    weights = drawn((4, D), (D, H * 3), (D, H * 3), (D, H * KV))
    return from_projections(*weights, None, H, settings)


def softmax(scores, axis):
    with np.errstate(invalid="ignore", divide="ignore"):
        powers = np.exp(scores)
        return powers / powers.sum(axis=axis, keepdims=True)


def finding(made, words):
    """The only finding that contains these words."""
    (found,) = [sentence for sentence in made.findings if words in sentence.message]
    return found


def close(tensor, expected):
    np.testing.assert_allclose(tensor.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "settings", "findings"),
    [
        (  # Row 0 may see key 0 alone and gets key 1; row 1 may see both and gets neither.
            "inverted_mask",
            CAUSAL,
            [
                "Hidden keys should get no attention. They get 1.0000 of a query's attention on "
                "average, and at most 1.0000.",
                "1 of 2 queries may see every key: the inverted mask hides them all, and the row "
                "becomes nan (not a number), which no mean counts.",
                "The right context differs from this one by up to 1.0000.",
            ],
        ),
        (  # Column 0: e^0.7071 = 2.0281 and e^0 = 1. Column 1: two equal scores.
            "wrong_axis",
            None,
            [
                "The row sums are between 0.8302 and 1.1698. Every row should sum to 1.",
                "The columns sum to 1, not the rows.",
                "The right context differs from this one by up to 0.2520.",
            ],
        ),
        (  # The scores differ by a half: e^0.5 / (e^0.5 + 1) = 0.6225 rather than 0.5875.
            "unscaled",
            None,
            [
                "The largest weight of a row is 0.6225 on average. It should be 0.5875.",
                # -0.6225 ln 0.6225 - 0.3775 ln 0.3775, and likewise for 0.5875 and 0.4125
                "The mean entropy of a row is 0.6628 nats. It should be 0.6778. A saturated "
                "softmax has a small gradient.",
                "The right context differs from this one by up to 0.0350.",
            ],
        ),
        (
            "mask_after_softmax",
            CAUSAL,
            [
                "The row sums are between 0.5875 and 1.0000. Every row should sum to 1.",
                "0.2063 of the attention is lost on average, because the softmax already "
                "included the hidden keys.",
                "The right context differs from this one by up to 0.8250.",
            ],
        ),
    ],
)
def test_findings_in_the_exercise_by_hand(name, settings, findings):
    made = mistake(name, exercise(settings))
    assert [str(sentence) for sentence in made.findings] == findings


CASES = {
    "custom mask": lambda: unequal(CUSTOM),
    "temperature": lambda: unequal(CalculatorSettings(temperature=3.0, mask="padding", padding=2)),
    "two heads": lambda: two_heads(CAUSAL),
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def calculation(request):
    return request.param()


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_contains_the_unchanged_right_result(name, calculation):
    before = {part: getattr(calculation.steps, part).clone() for part in ("weights", "context")}
    made = mistake(name, calculation)
    assert made.assumed is None  # the calculation has a mask
    for part, right in before.items():
        assert torch.equal(getattr(made.right, part), right)
        assert torch.equal(getattr(calculation.steps, part), right)
    close(made.context, made.weights.numpy() @ calculation.v.numpy())
    off = np.abs(made.context.numpy() - before["context"].numpy())
    if not np.isnan(off).all():
        assert finding(made, "right context").values["most"] == pytest.approx(np.nanmax(off))


@pytest.mark.parametrize("name", ["inverted_mask", "wrong_axis", "unscaled", "mask_after_softmax"])
def test_the_source_and_the_wrong_weights_equal_numpys(name, calculation):
    scaled, allowed = calculation.steps.scaled_scores.numpy(), calculation.allowed.numpy()
    undivided = scaled * math.sqrt(calculation.q.shape[-1])  # but divided by the temperature
    source = {
        "inverted_mask": np.where(allowed, -np.inf, scaled),
        "wrong_axis": np.where(allowed, scaled, -np.inf),
        "unscaled": np.where(allowed, undivided, -np.inf),
        "mask_after_softmax": softmax(scaled, -1),
    }[name]
    made = mistake(name, calculation)
    close(made.source, source)
    if name == "mask_after_softmax":
        close(made.factor, np.broadcast_to(allowed, source.shape))
        close(made.weights, source * allowed)
    else:
        close(made.weights, softmax(source, -2 if name == "wrong_axis" else -1))


def test_softmax_over_the_wrong_axis_counts_columns_of_padding():
    calculation = unequal(CalculatorSettings(mask="padding", padding=2))
    seen = softmax(calculation.steps.scaled_scores.numpy()[..., :-2], -2)
    made = mistake("wrong_axis", calculation)
    rows = finding(made, "The row sums").values
    expected = seen.sum(-1).min(), seen.sum(-1).max()
    assert (rows["low"], rows["high"]) == pytest.approx(expected)
    columns = finding(made, "columns sum to 1")
    assert columns.values == {"count": 2, "total": TK}
    assert "2 of 4 keys are hidden from every query" in str(columns)
    assert str(made.findings[-1]) == "Every number of the context is nan."


@pytest.mark.parametrize("temperature", [0.3, math.sqrt(K)])
def test_the_right_result_is_divided_even_if_the_calculation_is_not(temperature):
    calculation = unequal(CalculatorSettings(scaled=False, temperature=temperature))
    made = mistake("unscaled", calculation)
    assert torch.equal(made.weights, calculation.steps.weights)
    raw = calculation.steps.raw_scores.numpy()
    close(made.right.weights, softmax(raw / (math.sqrt(K) * temperature), -1))
    # A temperature that cancels the root does not count as a missing division.
    calculation = from_qkv(*drawn((TQ, 4), (TK, 4), (TK, KV)), CalculatorSettings(temperature=0.5))
    made = mistake("unscaled", calculation)
    assert torch.equal(made.right.weights, calculation.steps.weights)
    close(made.weights, softmax(calculation.steps.raw_scores.numpy() / 0.5, -1))


def test_dropout_removes_some_weights_and_doubles_the_others(calculation):
    right = calculation.steps.weights.numpy()
    made = mistake("after_dropout", calculation)
    factor = made.factor.numpy()
    assert set(np.unique(factor)) == {0, 2}
    close(made.weights, right * factor)
    dropped = finding(made, "Dropout with p").values
    gone = (factor == 0) & (right > 0)  # masked weights are 0 before dropout
    assert gone.any()
    expected = {"p": 0.5, "factor": 2, "dropped": gone.sum(), "total": (right > 0).sum()}
    assert expected.items() <= dropped.items()
    sums = (right * factor).sum(-1)
    rows = finding(made, "The row sums").values
    assert (rows["low"], rows["high"]) == pytest.approx((sums.min(), sums.max()))
    again = mistake("after_dropout", calculation)
    assert torch.equal(again.factor, made.factor)  # the draw is deterministic


def test_dropout_removes_a_visible_weight_even_if_there_is_only_one():
    """A draw that keeps the only visible key would have no effect."""
    for seen in (0, 3, 7):
        hidden = frozenset((0, key) for key in range(8) if key != seen)
        settings = CalculatorSettings(mask="custom", hidden=hidden)
        calculation = from_qkv(*drawn((1, K), (8, K), (8, KV)), settings)
        assert (mistake("after_dropout", calculation).weights == 0).all()


@pytest.mark.parametrize(
    "settings",
    [
        CalculatorSettings(temperature=5.0),
        CalculatorSettings(temperature=5.0, mask="padding", padding=0),
    ],
)
@pytest.mark.parametrize("name", ["inverted_mask", "mask_after_softmax"])
def test_a_missing_mask_is_assumed_and_reported(name, settings):
    for given, masked, words in (
        (two_heads, replace(settings, mask="causal"), "uses a causal one."),
        (
            unequal,
            CalculatorSettings(temperature=5.0, mask="padding"),
            "hides the last key as padding.",
        ),
    ):
        made, expected = mistake(name, given(settings)), given(masked)
        assert str(made.assumed) == f"There is no mask, so this example {words}"
        assert torch.equal(made.right.weights, expected.steps.weights)
        close(made.weights, mistake(name, expected).weights.numpy())
    assert mistake("wrong_axis", unequal()).assumed is None


def test_a_single_key_is_an_error():
    with pytest.raises(HeadlightError, match=r"With one key every weight is 1\. Add a key"):
        mistake("unscaled", from_qkv(*drawn((TQ, K), (1, K), (1, KV))))
