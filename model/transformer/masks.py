"""Attention masks of efficient Transformers, boolean (T, T), True where attention is ALLOWED.

Queries are rows and keys are columns. :mod:`model.transformer.attention` has the padding mask and
the causal mask.
"""

import torch
from torch import Tensor


def sliding_window(n_tokens: int, reach: int) -> Tensor:
    """Allow tokens at a distance of at most ``reach`` on either side: (T, T).

    Beltagy et al. 2020, "Longformer", section 3.1: a window of w = 2 reach + 1 tokens.
    """
    positions = torch.arange(n_tokens)  # (T,)
    return (positions - positions[:, None]).abs() <= reach  # (T,) - (T, 1) -> (T, T)


def with_global(mask: Tensor, n_global: int) -> Tensor:
    """Let the first ``n_global`` tokens attend to all tokens and all tokens attend to them.

    Beltagy et al. 2020, section 3.1, "Global Attention".
    """
    mask = mask.clone()
    mask[:n_global] = True
    mask[:, :n_global] = True
    return mask


def queries_without_keys(mask: Tensor) -> list[int]:
    """List the queries without an allowed key, whose softmax would be 0/0."""
    return (~mask.any(dim=-1)).nonzero().flatten().tolist()  # (empty, 1) -> (empty,)


def allow_self_if_empty(mask: Tensor) -> Tensor:
    """Let queries without an allowed key attend to themselves, so that a forward pass can run."""
    empty = ~mask.any(dim=-1, keepdim=True)  # (T, 1)
    return mask | (empty & torch.eye(len(mask), dtype=torch.bool))
