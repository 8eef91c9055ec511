"""Both norms are torch's own, and only one of them asks the neighbours."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from model.calculator import CellError, Place
from model.calculator.norms import (
    batch_norm,
    layer_norm,
    moved_by_padding,
    read,
    real_tokens,
    script,
)

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
def test_layer_norm_is_torchs(x):
    theirs = torch.nn.LayerNorm(x.shape[-1], dtype=torch.float64)(x)
    torch.testing.assert_close(layer_norm(x).output, theirs)


@given(batches().filter(lambda x: x.shape[0] * x.shape[1] > 1))
def test_batch_norm_is_torchs_while_it_trains(x):
    """Which puts features before tokens, and refuses a single number: its variance says nothing."""
    theirs = torch.nn.BatchNorm1d(x.shape[-1], dtype=torch.float64).train()
    torch.testing.assert_close(batch_norm(x).output, theirs(x.transpose(1, 2)).transpose(1, 2))
    # Its first running average has a tenth of this mean.
    torch.testing.assert_close(theirs.running_mean, 0.1 * batch_norm(x).mean)


@given(batches())
def test_a_token_alone_decides_on_its_layer_norm_and_all_on_its_batch_norm(x):
    other = x.clone()
    other[0, 0] += torch.arange(1.0, 1 + x.shape[2], dtype=torch.float64)
    changed = (layer_norm(x).output != layer_norm(other).output).any(-1)
    changed[0, 0] = False
    assert not changed.any()
    if x.shape[0] * x.shape[1] > 1:
        assert (batch_norm(x).mean != batch_norm(other).mean).all()


def test_padding_moves_the_real_tokens_of_batch_norm():
    real = real_tokens(X, 1)
    assert real.tolist() == [[True] * 3, [True, True, False]]
    without = torch.cat([X[0], X[1, :2]])  # five real tokens
    mean, variance = without.mean(0), without.var(0, unbiased=False)
    wanted = (without - mean) / (variance + 1e-5).sqrt()
    beside_padding = batch_norm(X).output.flatten(0, 1)[:5]
    moved = (wanted - beside_padding).abs().max().item()
    assert moved_by_padding(X, real) == pytest.approx(moved) and moved > 0.1
    assert moved_by_padding(X, real_tokens(X, 0)) == 0


@pytest.mark.parametrize("n_padded", [3, 7])
def test_a_sentence_keeps_a_token(n_padded):
    assert real_tokens(X, n_padded).sum(1).tolist() == [3, 1]


def test_sentences_that_differ_in_size_are_an_error_at_the_second():
    with pytest.raises(CellError, match="B is 1 x 2 and A 2 x 1") as said:
        read([[["1"], ["2"]], [["1", "2"]]])
    assert said.value.place.matrix == "B"


def test_a_cell_that_is_no_number_is_said_at_its_place():
    with pytest.raises(CellError, match="“x” is not a number") as said:
        read([[["1"]], [["x"]]])
    assert (said.value.place.matrix, said.value.place.row) == ("B", 0)


def test_a_number_whose_square_says_nothing_is_said_at_its_place():
    with pytest.raises(CellError, match="-1e\\+200 is too large") as said:
        read([[["1", "2"]], [["0", "-1e200"]]])
    assert said.value.place == Place("B", 0, 1)


def test_the_lines_to_take_away_run_and_hold_both_against_torch():
    made: dict = {}
    exec(script(X), made)
    torch.testing.assert_close(made["by_token"], layer_norm(X).output)
    torch.testing.assert_close(made["by_feature"], batch_norm(X).output)
