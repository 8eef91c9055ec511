import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from model.calculator import CellAddress, CellError
from model.calculator.norms import batch_norm, layer_norm, read


@st.composite
def batches(draw) -> Tensor:
    shape = [draw(st.integers(1, most)) for most in (3, 5, 4)]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 10_000)))
    return draw(st.sampled_from([1e-3, 1.0, 1e3])) * torch.randn(
        *shape, generator=generator, dtype=torch.float64
    )


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
        ([[["1"], ["2"]], [["1", "2"]]], CellAddress("B"), "B is 1 x 2 and A is 2 x 1"),
        ([[["1"]], [["x"]]], CellAddress("B", 0, 0), "“x” is not a number, or too large"),
        ([[["1", "2"]], [["0", "-1e200"]]], CellAddress("B", 0, 1), "-1e\\+200 is too large"),
    ],
)
def test_invalid_batches_are_errors_at_their_place(cells, place, words):
    with pytest.raises(CellError, match=words) as error:
        read(cells)
    assert error.value.place == place
