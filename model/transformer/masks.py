"""Attention masks of efficient Transformers.

Every mask is boolean (T, T), queries down and keys across, True where attention is ALLOWED, as in
:mod:`model.transformer.attention`. That module has the padding mask and the causal mask.

Axes: T tokens.
"""

import torch
from torch import Tensor

from model.errors import HeadlightError


def sliding_window(n_tokens: int, reach: int) -> Tensor:
    """Allow tokens at a distance of at most ``reach`` on either side: (T, T).

    Beltagy et al. 2020, "Longformer", section 3.1: a window of w = 2 reach + 1 tokens.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(0, reach=reach)
    return _offsets(n_tokens).abs() <= reach


def dilated_window(n_tokens: int, reach: int, dilation: int) -> Tensor:
    """Allow ``reach`` tokens on either side, ``dilation`` positions apart: (T, T).

    Beltagy et al. 2020, figure 2c. With a dilation of 1 it is :func:`sliding_window`.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(0, reach=reach)
    _at_least(1, dilation=dilation)
    offsets = _offsets(n_tokens)
    return (offsets.abs() <= reach * dilation) & (offsets % dilation == 0)


def with_global(mask: Tensor, n_global: int) -> Tensor:
    """Let the first ``n_global`` tokens attend to all tokens and all tokens attend to them.

    Beltagy et al. 2020, section 3.1, "Global Attention".

    Raises:
        HeadlightError: If the number is negative.
    """
    _at_least(0, n_global=n_global)
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


def _offsets(n_tokens: int) -> Tensor:
    """Key position less query position, (T, T)."""
    _at_least(1, n_tokens=n_tokens)
    positions = torch.arange(n_tokens)  # (T,)
    return positions - positions[:, None]  # (T,) - (T, 1) -> (T, T)


def _at_least(least: int, **sizes: int) -> None:
    for name, value in sizes.items():
        if value < least:
            raise HeadlightError(
                "{name} must be at least {least}, not {value}.",
                name=name,
                least=least,
                value=value,
            )
