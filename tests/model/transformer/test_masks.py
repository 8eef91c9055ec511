"""Attention masks: cells by hand, and receptive fields."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from model import HeadlightError, causal_mask
from model.transformer.masks import (
    allow_self_if_empty,
    block_sparse,
    dilated_window,
    global_and_random,
    layers_needed,
    queries_without_keys,
    receptive_field,
    sliding_window,
    strided,
    with_global,
)


def drawn(*rows: str) -> Tensor:
    return torch.tensor([[cell == "#" for cell in row] for row in rows])


def test_each_pattern_equals_its_drawing() -> None:
    assert sliding_window(5, 1).equal(drawn("##...", "###..", ".###.", "..###", "...##"))
    assert dilated_window(6, 1, 2).equal(
        drawn("#.#...", ".#.#..", "#.#.#.", ".#.#.#", "..#.#.", "...#.#")
    )
    assert strided(6, 3).equal(drawn("####..", "#####.", "######", "######", ".#####", "..####"))
    assert strided(7, 2)[0].tolist() == [True, True, True, False, True, False, True]
    assert block_sparse(5, 2).equal(drawn("##...", "##...", "..##.", "..##.", "....#"))
    assert with_global(sliding_window(4, 0), 1).equal(drawn("####", "##..", "#.#.", "#..#"))


def test_a_window_of_dilation_one_is_a_plain_window() -> None:
    assert dilated_window(9, 3, 1).equal(sliding_window(9, 3))


def test_global_and_random_blocks_are_seeded_and_counted() -> None:
    mask = global_and_random(24, block=3, n_global=1, n_random=2, seed=5)  # 8 blocks
    assert mask.equal(global_and_random(24, 3, 1, 2, 5))
    assert not mask.equal(global_and_random(24, 3, 1, 2, 6))
    blocks = mask.view(8, 3, 8, 3)[:, 0, :, 0]
    assert mask.equal(blocks.repeat_interleave(3, 0).repeat_interleave(3, 1))
    assert bool(blocks[0].all()) and bool(blocks[:, 0].all())
    # The global block, three of the window, two random ones; fewer at the ends of the row.
    assert blocks.sum(dim=1).tolist() == [8, 5, 6, 6, 6, 6, 6, 5]


def test_more_random_blocks_than_exist_allow_everything() -> None:
    assert bool(global_and_random(7, 2, 0, 9).all())


@given(n=st.integers(1, 30), reach=st.integers(0, 9), n_layers=st.integers(0, 6))
def test_the_reach_of_a_window_is_the_sum_over_its_layers(
    n: int, reach: int, n_layers: int
) -> None:
    field = receptive_field(sliding_window(n, reach), n_layers)
    assert field.equal(sliding_window(n, reach * n_layers))
    middle = field.sum(dim=1).max().item()
    assert middle == min(n, 2 * reach * n_layers + 1) or n < 2 * reach * n_layers + 1


@given(
    n=st.integers(1, 20),
    seed=st.integers(0, 99),
    share=st.floats(0, 1),
    n_layers=st.integers(0, 5),
)
def test_layers_needed_are_the_first_power_with_the_cell(
    n: int, seed: int, share: float, n_layers: int
) -> None:
    mask = torch.rand(n, n, generator=torch.Generator().manual_seed(seed)) < share
    needed = layers_needed(mask)
    assert receptive_field(mask, n_layers).equal((needed >= 0) & (needed <= n_layers))
    assert receptive_field(mask, n).equal(needed >= 0)
    assert (needed.diagonal() == 0).all()


@given(n=st.integers(1, 20), reach=st.integers(0, 5), stride=st.integers(1, 5))
def test_a_causal_pattern_never_looks_ahead(n: int, reach: int, stride: int) -> None:
    for mask in (sliding_window(n, reach), strided(n, stride)):
        field = receptive_field(mask & causal_mask(n), n)
        assert not (field & ~causal_mask(n)).any()


def test_blocks_never_meet_and_a_global_token_joins_all_in_two_layers() -> None:
    assert (layers_needed(block_sparse(6, 3)) == -1).sum() == 18
    needed = layers_needed(with_global(sliding_window(9, 0), 1))
    assert needed.max() == 2 and (needed >= 0).all()


def test_queries_without_keys_are_found_and_see_themselves() -> None:
    mask = ~causal_mask(4)
    assert queries_without_keys(mask) == [3]
    repaired = allow_self_if_empty(mask)
    assert queries_without_keys(repaired) == []
    assert (repaired != mask).nonzero().tolist() == [[3, 3]]
    assert allow_self_if_empty(causal_mask(5)).equal(causal_mask(5))


@pytest.mark.parametrize(
    "make",
    [
        lambda: sliding_window(4, -1),
        lambda: sliding_window(0, 1),
        lambda: dilated_window(4, 1, 0),
        lambda: strided(4, 0),
        lambda: block_sparse(4, 0),
        lambda: with_global(sliding_window(4, 1), -1),
        lambda: global_and_random(4, 0, 1, 1),
        lambda: global_and_random(4, 1, 1, -1),
    ],
)
def test_a_size_that_is_too_small_is_refused_in_words(make) -> None:
    with pytest.raises(HeadlightError, match="must be at least"):
        make()
