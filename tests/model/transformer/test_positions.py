import cmath
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from model import HeadlightError, sinusoidal_encoding
from model.transformer.positions import (
    alibi_bias,
    alibi_slopes,
    cosines,
    products_by_offset,
    relative_buckets,
    rotary,
    rotary_score,
    rotary_scores_by_offset,
    rotation,
    shift_deviation,
    sinusoids_at,
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


@given(
    d_model=st.integers(1, 40).map(lambda pairs: 2 * pairs),
    offset=st.integers(-300, 5000),
    base=st.sampled_from([2.0, 100.0, 10_000.0]),
)
def test_one_rotation_shifts_every_position(d_model, offset, base):
    positions = torch.arange(0, 5000, 613)
    turn = rotation(offset, d_model, base)
    turned = sinusoids_at(positions, d_model, base) @ turn.T
    blocks = torch.block_diag(*[torch.ones(2, 2)] * (d_model // 2)).bool()
    assert (turn[~blocks] == 0).all()
    assert_close(turned, sinusoids_at(positions + offset, d_model, base), atol=1e-10, rtol=0)


def test_the_shift_is_exact_at_every_position_except_for_rounding(monkeypatch):
    assert shift_deviation(5000, 6, -300) < 1e-11
    assert shift_deviation(50, 8, 3, base=3.0) < 1e-11
    # With R for another offset: the worst |sin(pos) - sin(pos + 1)| over all positions.
    monkeypatch.setattr("model.transformer.positions.rotation", lambda *_: torch.eye(2).double())
    steps = [abs(f(pos) - f(pos + 1)) for pos in range(9) for f in (math.sin, math.cos)]
    assert shift_deviation(9, 2, 1) == pytest.approx(max(steps))
    assert max(steps) > max(steps[:2])  # position 0 alone is not the worst


@given(
    d_head=st.integers(1, 20).map(lambda pairs: 2 * pairs),
    query_at=st.integers(0, 2000),
    offset=st.integers(-500, 500),
    moved=st.integers(1, 3000),
    seed=st.integers(0, 99),
)
def test_rotated_products_depend_on_the_offset_alone(d_head, query_at, offset, moved, seed):
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, d_head, generator=generator, dtype=torch.float64)
    here = rotary_score(q, k, query_at, query_at + offset)
    there = rotary_score(q, k, query_at + moved, query_at + offset + moved)
    assert there == pytest.approx(here, abs=1e-9)
    assert rotary_scores_by_offset(q, k, torch.tensor([offset])).item() == pytest.approx(
        here, abs=1e-9
    )
    if offset == 0:
        assert here == pytest.approx((q @ k).item(), abs=1e-9)


def test_rotated_scores_are_products_of_complex_numbers():
    """(1, 2) and (3, -1) as 1 + 2i and 3 - i: the score is Re(conj(q) k e^(i (n - m)))."""
    q, k = torch.tensor([[1.0, 2.0], [3.0, -1.0]], dtype=torch.float64)

    def expected(offset):
        return ((1 - 2j) * (3 - 1j) * cmath.exp(1j * offset)).real

    assert rotary_score(q, k, 4, 9) == pytest.approx(expected(5))
    offsets = torch.tensor([-3, 0, 5])
    assert rotary_scores_by_offset(q, k, offsets).tolist() == pytest.approx(
        [expected(-3), expected(0), expected(5)]
    )


def test_another_base_turns_the_later_pairs_at_another_speed():
    """K 4, base 100: the second pair turns by 1 / 100^(2/4) for each position."""
    q = k = torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=torch.float64)
    assert rotary_score(q, k, 0, 7, base=100.0) == pytest.approx(math.cos(0.7))
    scores = rotary_scores_by_offset(q, k, torch.tensor([7]), base=100.0)
    assert scores.item() == pytest.approx(math.cos(0.7))
    turned = rotary(torch.tensor([[1.0, 0.0, 0.0, 5.0]], dtype=torch.float64), torch.tensor([2]))
    assert turned[0, :2].tolist() == pytest.approx([math.cos(2), math.sin(2)])


def test_alibi_has_the_published_slopes_and_falls_with_distance_on_both_sides():
    assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    # Six heads: the four slopes for four heads, then the first and third for eight heads.
    assert alibi_slopes(6).tolist() == [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]
    assert alibi_bias(3, 0.5).tolist() == [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    with pytest.raises(HeadlightError, match="at least one head"):
        alibi_slopes(0)


def test_t5_buckets_equal_transformers():
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    positions = torch.arange(301)
    offset = positions - positions[:, None]
    theirs = t5.T5Attention._relative_position_bucket(offset, True, 32, 128)
    assert torch.equal(relative_buckets(301), theirs)


def test_products_by_offset_match_a_table_calculated_by_hand():
    table = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    mean, low, high = products_by_offset(table)
    # Offset 0: 1, 5, 9. Offset 1: 2, 3. Offset 2: 0.
    assert mean.tolist() == [5, 2.5, 0]
    assert low.tolist() == [1, 2, 0]
    assert high.tolist() == [9, 3, 0]


def test_cosines_are_1_on_the_diagonal_and_0_for_a_row_of_zeros():
    similar = cosines(torch.tensor([[3.0, 4.0], [0.0, 0.0], [4.0, -3.0]]))
    assert_close(similar, torch.tensor([[1.0, 0, 0], [0, 0, 0], [0, 0, 1]]).double())
