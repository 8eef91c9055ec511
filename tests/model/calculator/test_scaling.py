from dataclasses import fields

import numpy as np
import pytest
import torch

from model.calculator.scaling import MAX_SEED, SIZES, gradient_norm, spread
from model.errors import HeadlightError
from model.transformer.attention import scaled_dot_product_attention


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def arrays(found) -> dict[str, np.ndarray]:
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def test_score_spread_grows_with_root_d_k_and_the_division_removes_it():
    many = spread(0, n_queries=2_000)
    assert tuple(many.d_k) == SIZES == tuple(2**i for i in range(1, 11))
    np.testing.assert_allclose(many.std_raw, np.sqrt(SIZES), rtol=0.05)
    np.testing.assert_allclose(many.std_scaled, 1, rtol=0.05)
    np.testing.assert_allclose(many.std_raw, many.std_scaled * np.sqrt(SIZES), rtol=1e-12)


@pytest.mark.parametrize("factor", [1.0, 5.0, 1000.0])
def test_the_gradient_norm_equals_that_of_autograds_jacobian(factor):
    scores = factor * torch.randn(4, 5, dtype=torch.float64, generator=generator(1))
    jacobians = [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row) for row in scores]
    expected = torch.stack([jacobian.norm() for jacobian in jacobians])
    torch.testing.assert_close(gradient_norm(scores.softmax(-1)), expected, atol=1e-7, rtol=0)


def test_means_are_over_queries_of_separate_sequences():
    """The whole experiment, computed independently from the same draw."""
    found = spread(7, n_keys=5, n_queries=11)
    source = generator(7)
    scores = []
    for n_queries in (8, 3):
        vectors = torch.randn(8 + 5, 1024, generator=source, dtype=torch.float64)
        q, k = vectors[:n_queries, :64], vectors[8:, :64]
        scores.append(scaled_dot_product_attention(q, k, k).raw_scores)
    raw = torch.cat(scores)
    for name, divisor in (("raw", 1), ("scaled", 8)):
        weights = (raw / divisor).softmax(-1)
        entropy = torch.distributions.Categorical(weights).entropy().mean()
        at_64 = {key: values[5] for key, values in arrays(found).items()}
        assert at_64["d_k"] == 64
        assert at_64[f"std_{name}"] == pytest.approx(float((raw / divisor).std()))
        assert at_64[f"entropy_{name}"] == pytest.approx(float(entropy))
        assert at_64[f"largest_{name}"] == pytest.approx(float(weights.amax(-1).mean()))
        assert at_64[f"gradient_{name}"] == pytest.approx(float(gradient_norm(weights).mean()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spread(-1), "from 0 to 999999999, not -1"),
        (lambda: spread(MAX_SEED + 1), "not 1000000000"),
        (lambda: spread(0, 1), "n_keys must be a whole number from 2 to 64, not 1"),
        (lambda: spread(0, 65), "not 65"),
        (lambda: spread(0, n_queries=2_001), "n_queries must be .* from 1 to 2000, not 2001"),
    ],
)
def test_numbers_outside_the_ranges_are_errors(call, message):
    with pytest.raises(HeadlightError, match=message):
        call()
    for seed, n_keys in ((0, 2), (MAX_SEED, 64)):  # the ends of the ranges are valid
        assert spread(seed, n_keys, n_queries=1).n_keys == n_keys
