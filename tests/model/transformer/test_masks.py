import torch
from torch import Tensor

from model import causal_mask, padding_mask
from model.transformer.masks import (
    allow_self_if_empty,
    queries_without_keys,
    sliding_window,
    with_global,
)


def drawn(*rows: str) -> Tensor:
    return torch.tensor([[cell == "#" for cell in row] for row in rows])


def test_each_pattern_equals_its_drawing() -> None:
    assert causal_mask(3).equal(drawn("#..", "##.", "###"))
    padding = padding_mask(torch.tensor([2, 4]), max_len=4)
    assert padding.shape == (2, 1, 1, 4)
    assert padding[:, 0, 0].equal(drawn("##..", "####"))
    assert sliding_window(5, 1).equal(drawn("##...", "###..", ".###.", "..###", "...##"))
    assert with_global(sliding_window(4, 0), 1).equal(drawn("####", "##..", "#.#.", "#..#"))


def test_queries_without_keys_are_found_and_see_themselves() -> None:
    mask = ~causal_mask(4)
    assert queries_without_keys(mask) == [3]
    repaired = allow_self_if_empty(mask)
    assert queries_without_keys(repaired) == []
    assert (repaired != mask).nonzero().tolist() == [[3, 3]]
    assert allow_self_if_empty(causal_mask(5)).equal(causal_mask(5))
