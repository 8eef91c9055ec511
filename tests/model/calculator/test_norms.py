"""LayerNorm and BatchNorm: parity with torch, independence of tokens, errors."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from model.calculator import CellError, Place
from model.calculator.norms import batch_norm, layer_norm, read

# Two sentences of three tokens with four features.
ROWS = ("1 2 0 5", "3 -1 2 0", "0,5 0 4 -2"), ("2 1 1 8", "-3 0 6 1", "0 0 0 0")
X = read([[row.split() for row in rows] for rows in ROWS])


@st.composite
def batches(draw) -> Tensor:
    shape = [draw(st.integers(1, most)) for most in (3, 5, 4)]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 10_000)))
    return draw(st.sampled_from([1e-3, 1.0, 1e3])) * torch.randn(
        *shape, generator=generator, dtype=torch.float64
    )


def test_a_token_and_a_feature_by_hand():
    by_token, by_feature = layer_norm(X), batch_norm(X)
    assert by_token.mean[0, 1] == (3 - 1 + 2 + 0) / 4
    assert by_token.variance[0, 1] == (2**2 + 2**2 + 1 + 1) / 4
    assert by_token.output[0, 1, 2].item() == pytest.approx((2 - 1) / (2.5 + 1e-5) ** 0.5)
    assert by_feature.mean[2].item() == pytest.approx((0 + 2 + 4 + 1 + 6 + 0) / 6)
    assert by_feature.variance[2].item() == pytest.approx((0 + 4 + 16 + 1 + 36) / 6 - (13 / 6) ** 2)
    assert by_feature.output[0, 1, 2].item() == pytest.approx(-0.0760, abs=5e-5)


@given(batches())
def test_layer_norm_equals_torch(x):
    theirs = torch.nn.LayerNorm(x.shape[-1], dtype=torch.float64)(x)
    torch.testing.assert_close(layer_norm(x).output, theirs)


@given(batches().filter(lambda x: x.shape[0] * x.shape[1] > 1))
def test_batch_norm_equals_torch_in_training(x):
    """torch expects features before tokens, and rejects a single number."""
    theirs = torch.nn.BatchNorm1d(x.shape[-1], dtype=torch.float64).train()
    torch.testing.assert_close(batch_norm(x).output, theirs(x.transpose(1, 2)).transpose(1, 2))
    # Its first running average contains a tenth of this mean.
    torch.testing.assert_close(theirs.running_mean, 0.1 * batch_norm(x).mean)


@pytest.mark.parametrize(
    ("cells", "place", "words"),
    [
        ([[["1"], ["2"]], [["1", "2"]]], Place("B"), "B is 1 x 2 and A is 2 x 1"),
        ([[["1"]], [["x"]]], Place("B", 0, 0), "“x” is not a number"),
        ([[["1", "2"]], [["0", "-1e200"]]], Place("B", 0, 1), "-1e\\+200 is too large"),
    ],
)
def test_invalid_batches_are_errors_at_their_place(cells, place, words):
    with pytest.raises(CellError, match=words) as error:
        read(cells)
    assert error.value.place == place
