import cmath
import math

import pytest
import torch
from torch.testing import assert_close

from model import HeadlightError, sinusoidal_encoding
from model.transformer.positions import (
    alibi_bias,
    alibi_slopes,
    cosines,
    relative_buckets,
    rotary,
)


@pytest.mark.parametrize(("d_model", "base"), [(512, 10_000), (8, 100)])
def test_it_is_the_papers_formula_even_at_large_positions(d_model, base):
    table = sinusoidal_encoding(5000, d_model, base=base, dtype=torch.float64)
    for position in (0, 1, 4999):
        for i in range(d_model // 2):
            angle = position / math.pow(base, 2 * i / d_model)
            assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-12)
            assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-12)
    assert sinusoidal_encoding(5000, d_model, base=base).equal(table.float())  # rounded at the end


def test_invalid_sizes_are_refused_in_words():
    for max_len, d_model, base, words in (
        (10, 7, 1e4, "even and at least 2, not 7"),
        (10, 0, 1e4, "even and at least 2, not 0"),
        (0, 8, 1e4, "not 0"),
        *((10, 8, base, "finite number above 0") for base in (0.0, math.inf, math.nan)),
    ):
        with pytest.raises(HeadlightError, match=words):
            sinusoidal_encoding(max_len, d_model, base=base)


def test_rotated_vectors_are_products_of_complex_numbers():
    """(1, 2) as 1 + 2i at position 4: (1 + 2i) e^4i. The product depends on the offset alone."""
    q, k = torch.tensor([[1.0, 2.0], [3.0, -1.0]], dtype=torch.float64)
    turned = rotary(q[None], torch.tensor([4]))[0]
    product = (1 + 2j) * cmath.exp(4j)
    assert turned.tolist() == pytest.approx([product.real, product.imag])
    for query_at, key_at in ((4, 9), (104, 109)):
        pair = rotary(torch.stack((q, k)), torch.tensor([query_at, key_at]))
        expected = ((1 - 2j) * (3 - 1j) * cmath.exp(5j)).real
        assert (pair[0] @ pair[1]).item() == pytest.approx(expected)


def test_another_base_turns_the_later_pairs_at_another_speed():
    """K 4, base 100: the second pair turns by 1 / 100^(2/4) for each position."""
    turned = rotary(torch.tensor([[1.0, 0.0, 1.0, 0.0]]).double(), torch.tensor([7]), base=100.0)
    angles = [7, 0.7]
    expected = [f(angle) for angle in angles for f in (math.cos, math.sin)]
    assert turned[0].tolist() == pytest.approx(expected)


def test_alibi_has_the_published_slopes_and_falls_with_distance_on_both_sides():
    assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    # Six heads: the four slopes for four heads, then the first and third for eight heads.
    assert alibi_slopes(6).tolist() == [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]
    assert alibi_bias(3, 0.5).tolist() == [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    with pytest.raises(HeadlightError, match="n_heads must be at least 1"):
        alibi_slopes(0)


def test_t5_buckets_equal_transformers():
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    positions = torch.arange(301)
    offset = positions - positions[:, None]
    theirs = t5.T5Attention._relative_position_bucket(offset, True, 32, 128)
    assert torch.equal(relative_buckets(301), theirs)


def test_cosines_are_1_on_the_diagonal_and_0_for_a_row_of_zeros():
    similar = cosines(torch.tensor([[3.0, 4.0], [0.0, 0.0], [4.0, -3.0]]))
    assert_close(similar, torch.tensor([[1.0, 0, 0], [0, 0, 0], [0, 0, 1]]).double())
