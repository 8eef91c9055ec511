"""Sinusoidal positions against the formula, and the property they were chosen for."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from model import HeadlightError, sinusoidal_encoding


@pytest.mark.parametrize("d_model", [6, 512])
@pytest.mark.parametrize("position", [0, 1, 4999])
def test_it_is_the_papers_formula_even_at_far_positions(position, d_model):
    table = sinusoidal_encoding(5000, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        angle = position / math.pow(10_000, 2 * i / d_model)
        assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-12)
        assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-12)


def test_float32_is_the_float64_table_rounded_once():
    exact = sinusoidal_encoding(5000, 64, dtype=torch.float64)
    table = sinusoidal_encoding(5000, 64)
    assert table.dtype == torch.float32
    assert torch.equal(table, exact.float())


@given(
    d_model=st.integers(1, 64).map(lambda pairs: 2 * pairs),
    offset=st.integers(0, 100),
    position=st.integers(0, 1000),
)
def test_the_dot_product_of_two_positions_depends_on_their_distance_only(d_model, offset, position):
    table = sinusoidal_encoding(1101, d_model, dtype=torch.float64)
    here = table[position] @ table[position + offset]
    at_the_start = table[0] @ table[offset]
    assert_close(here, at_the_start, atol=1e-9, rtol=0)
    if offset == 0:
        assert here.item() == pytest.approx(d_model / 2)


def test_a_smaller_base_turns_faster():
    """base 100 at d_model 4: the second pair's angle is position / 100^(2/4)."""
    table = sinusoidal_encoding(8, 4, base=100.0, dtype=torch.float64)
    assert table[7, 2].item() == pytest.approx(math.sin(0.7), abs=1e-12)


@pytest.mark.parametrize("d_model", [7, 1, 0, -2])
def test_a_d_model_that_makes_no_pairs_is_an_error_in_words(d_model):
    with pytest.raises(HeadlightError, match=f"even and at least 2, not {d_model}"):
        sinusoidal_encoding(10, d_model)


@pytest.mark.parametrize("max_len", [0, -1])
def test_a_table_of_no_positions_is_an_error_in_words(max_len):
    with pytest.raises(HeadlightError, match=f"not {max_len}"):
        sinusoidal_encoding(max_len, 8)
