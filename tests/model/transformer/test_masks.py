"""Attention masks: cells by hand, and receptive fields."""

import pytest
import torch
from torch import Tensor

from model import HeadlightError, causal_mask
from model.transformer.masks import (
    allow_self_if_empty,
    dilated_window,
    queries_without_keys,
    sliding_window,
    with_global,
)


def drawn(*rows: str) -> Tensor:
    return torch.tensor([[cell == "#" for cell in row] for row in rows])


def test_each_pattern_equals_its_drawing() -> None:
    assert sliding_window(5, 1).equal(drawn("##...", "###..", ".###.", "..###", "...##"))
    assert dilated_window(6, 1, 2).equal(
        drawn("#.#...", ".#.#..", "#.#.#.", ".#.#.#", "..#.#.", "...#.#")
    )
    assert with_global(sliding_window(4, 0), 1).equal(drawn("####", "##..", "#.#.", "#..#"))


def test_a_window_of_dilation_one_is_a_plain_window() -> None:
    assert dilated_window(9, 3, 1).equal(sliding_window(9, 3))


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
        lambda: with_global(sliding_window(4, 1), -1),
    ],
)
def test_a_size_that_is_too_small_is_refused_in_words(make) -> None:
    with pytest.raises(HeadlightError, match="must be at least"):
        make()
