"""LayerNorm and BatchNorm: parity with torch, independence of tokens, errors."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from model.calculator import CellError, Place
from model.calculator.norms import batch_norm, layer_norm, read

# Two sentences of three tokens with four features.
X = read(
    [
        [["1", "2", "0", "5"], ["3", "-1", "2", "0"], ["0,5", "0", "4", "-2"]],
        [["2", "1", "1", "8"], ["-3", "0", "6", "1"], ["0", "0", "0", "0"]],
    ]
)


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


@given(batches())
def test_layer_norm_depends_on_one_token_and_batch_norm_on_all(x):
    other = x.clone()
    other[0, 0] += torch.arange(1.0, 1 + x.shape[2], dtype=torch.float64)
    changed = (layer_norm(x).output != layer_norm(other).output).any(-1)
    changed[0, 0] = False
    assert not changed.any()
    if x.shape[0] * x.shape[1] > 1:
        assert (batch_norm(x).mean != batch_norm(other).mean).all()


def test_sentences_of_different_sizes_are_an_error_of_the_second():
    with pytest.raises(CellError, match="B is 1 x 2 and A is 2 x 1") as error:
        read([[["1"], ["2"]], [["1", "2"]]])
    assert error.value.place.matrix == "B"


def test_text_without_a_number_is_an_error_at_its_cell():
    with pytest.raises(CellError, match="“x” is not a number") as error:
        read([[["1"]], [["x"]]])
    assert (error.value.place.matrix, error.value.place.row) == ("B", 0)


def test_a_number_too_large_to_square_is_an_error_at_its_cell():
    with pytest.raises(CellError, match="-1e\\+200 is too large") as error:
        read([[["1", "2"]], [["0", "-1e200"]]])
    assert error.value.place == Place("B", 0, 1)
