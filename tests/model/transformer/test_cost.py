"""Cost of attention: counted cell by cell, or by hand for patterns without cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.transformer import masks
from model.transformer.cost import Sizes, costs, longest_that_fits, window_cells

SIZES = Sizes(reach=3, dilation=2, n_global=2, block=5, n_random=1, stride=4, rank=6, n_features=10)


@given(n=st.integers(1, 40))
def test_counted_cells_match_the_masks(n: int) -> None:
    known = costs(SIZES)
    window = masks.sliding_window(n, 3)
    made = {
        "window": window,
        "dilated": masks.dilated_window(n, 3, 2),
        "global": masks.with_global(window, 2),
        "block": masks.block_sparse(n, 5),
        "strided": masks.strided(n, 4),
    }
    for name, mask in made.items():
        assert known[name].numbers(n) == mask.sum().item(), name
        assert known[name].operations(n, 7) == 4 * mask.sum().item() * 7, name
        assert known[name].bound == "exact"
    assert known["full"].numbers(n) == n * n
    assert known["random"].bound == "at most"
    assert masks.global_and_random(n, 5, 2, 1).sum() <= known["random"].numbers(n) <= n * n


def test_the_displayed_formulas_equal_the_counts() -> None:
    n, d, r, w = 1000, 64, 3, 7
    known = costs(SIZES)
    assert known["full"].operations(n, d) == 4 * n**2 * d
    assert known["window"].operations(n, d) == 4 * n * w * d - 4 * r * (r + 1) * d
    assert known["dilated"].operations(n, d) <= 4 * n * w * d
    assert known["global"].operations(n, d) <= 4 * n * (w + 2 * 2) * d
    assert known["random"].operations(n, d) == 4 * n * (3 + 2 * 2 + 1) * 5 * d
    assert known["block"].operations(n, d) == 4 * n * 5 * d
    assert known["strided"].operations(n, d) == pytest.approx(4 * n * (2 * 4 + n / 4) * d, rel=0.05)
    assert known["low_rank"].operations(n, d) == 8 * n * 6 * d
    assert known["kernel"].operations(n, d) == 8 * n * 10 * d
    assert (known["low_rank"].numbers(n), known["kernel"].numbers(n)) == (6 * n, 2 * 10 * n)


def test_a_long_window_is_counted_without_a_mask() -> None:
    assert window_cells(1_000_000, 256) == 1_000_000 * 513 - 256 * 257


def test_the_stated_limit_of_full_attention_is_exact() -> None:
    # 12 layers x 12 heads in 32 bits: 6454^2 * 144 * 4 = 23,992,770,816 bytes, the next is more.
    assert longest_that_fits(24 * 10**9, 144, 4) == 6454
    assert 6454**2 * 576 <= 24 * 10**9 < 6455**2 * 576
    assert longest_that_fits(16, 1, 4) == 2 and longest_that_fits(15, 1, 4) == 1
    assert longest_that_fits(3, 1, 4) == 0


@given(limit=st.integers(0, 10**15), matrices=st.integers(1, 10**4))
def test_the_longest_length_fits_and_the_next_does_not(limit: int, matrices: int) -> None:
    most = longest_that_fits(limit, matrices, 2)
    assert most**2 * matrices * 2 <= limit < (most + 1) ** 2 * matrices * 2
