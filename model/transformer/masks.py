"""Attention masks of efficient Transformers, and their receptive fields.

Every mask is boolean (T, T), queries down and keys across, True where attention is ALLOWED, as in
:mod:`model.transformer.attention`. That module has the padding mask and the causal mask.

Axes: T tokens, N blocks of tokens.
"""

import torch
from torch import Tensor

from model.errors import HeadlightError


def sliding_window(n_tokens: int, reach: int) -> Tensor:
    """Allow tokens at a distance of at most ``reach`` on either side: (T, T).

    Beltagy et al. 2020, "Longformer", section 3.1: a window of w = 2 reach + 1 tokens.

    Args:
        n_tokens: T, at least 1.
        reach: Largest distance, at least 0.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(0, reach=reach)
    return _offsets(n_tokens).abs() <= reach


def dilated_window(n_tokens: int, reach: int, dilation: int) -> Tensor:
    """Allow ``reach`` tokens on either side, ``dilation`` positions apart: (T, T).

    Beltagy et al. 2020, figure 2c. With a dilation of 1 it is :func:`sliding_window`.

    Args:
        n_tokens: T, at least 1.
        reach: Tokens on either side, at least 0.
        dilation: Distance between neighbouring tokens of the window, at least 1.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(0, reach=reach)
    _at_least(1, dilation=dilation)
    offsets = _offsets(n_tokens)
    return (offsets.abs() <= reach * dilation) & (offsets % dilation == 0)


def strided(n_tokens: int, stride: int) -> Tensor:
    """Allow tokens nearer than ``stride``, and every ``stride``-th token beyond: (T, T).

    Child et al. 2019, "Generating Long Sequences with Sparse Transformers", section 4.3, in both
    directions.

    Args:
        n_tokens: T, at least 1.
        stride: At least 1.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(1, stride=stride)
    offsets = _offsets(n_tokens)
    return (offsets.abs() < stride) | (offsets % stride == 0)


def block_sparse(n_tokens: int, block: int) -> Tensor:
    """Allow each token the tokens of its own block: (T, T).

    Qiu et al. 2019, "Blockwise Self-Attention for Long Document Understanding", section 3.

    Args:
        n_tokens: T, at least 1.
        block: Tokens of a block, at least 1.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(1, n_tokens=n_tokens, block=block)
    blocks = torch.arange(n_tokens) // block  # (T,)
    return blocks[:, None] == blocks  # (T, 1) == (T,) -> (T, T)


def with_global(mask: Tensor, n_global: int) -> Tensor:
    """Let the first ``n_global`` tokens attend to all tokens and all tokens attend to them.

    Beltagy et al. 2020, section 3.1, "Global Attention".

    Args:
        mask: (T, T). Not changed.
        n_global: Number of global tokens, at least 0.

    Returns:
        (T, T).

    Raises:
        HeadlightError: If the number is negative.
    """
    _at_least(0, n_global=n_global)
    mask = mask.clone()
    mask[:n_global] = True
    mask[:, :n_global] = True
    return mask


def global_and_random(
    n_tokens: int, block: int, n_global: int, n_random: int, seed: int = 0
) -> Tensor:
    """Allow neighbouring blocks, global blocks, and some random blocks: (T, T).

    Zaheer et al. 2020, "Big Bird", section 2 and figure 1, with a window of three blocks.

    Args:
        n_tokens: T, at least 1.
        block: Tokens of a block, at least 1. The last block may be shorter.
        n_global: Number of blocks that attend to all and receive attention from all.
        n_random: Further blocks for each other block of queries, if enough are left.
        seed: Seed of the random choice.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(1, n_tokens=n_tokens, block=block)
    _at_least(0, n_random=n_random)
    n_blocks = -(-n_tokens // block)
    blocks = with_global(sliding_window(n_blocks, 1), n_global)  # (N, N)
    generator = torch.Generator().manual_seed(seed)
    for row in blocks[n_global:]:
        free = (~row).nonzero().flatten()  # (free, 1) -> (free,)
        row[free[torch.randperm(len(free), generator=generator)[:n_random]]] = True
    # (N, N) -> (N * block, N * block) -> (T, T)
    cells = blocks.repeat_interleave(block, 0).repeat_interleave(block, 1)
    return cells[:n_tokens, :n_tokens]


def receptive_field(mask: Tensor, n_layers: int) -> Tensor:
    """Find the tokens whose information can reach each token after some layers.

    The field is a power of the mask: a token receives what its visible tokens had received one
    layer before. The residual connection keeps the token's own information under any mask.

    Args:
        mask: Mask of every layer, (T, T).
        n_layers: Number of layers. With 0, each token knows itself alone.

    Returns:
        Boolean (T, T): row t is True for the tokens that token t may know about.
    """
    field = torch.eye(len(mask), dtype=torch.bool)
    for _ in range(n_layers):
        field = _next_layer(mask, field)
    return field


def layers_needed(mask: Tensor) -> Tensor:
    """Count the layers after which each token may know about each other token.

    Args:
        mask: Mask of every layer, (T, T).

    Returns:
        Whole numbers (T, T): 0 for the token itself, -1 if no number of layers is enough.
    """
    field = receptive_field(mask, 0)
    needed = torch.where(field, 0, -1)
    for n_layers in range(1, len(mask)):  # no shortest path is longer
        before, field = field, _next_layer(mask, field)
        if field.equal(before):
            break
        needed[field & ~before] = n_layers
    return needed


def _next_layer(mask: Tensor, field: Tensor) -> Tensor:
    return field | (mask.double() @ field.double() > 0)  # counts of at most T: exact


def queries_without_keys(mask: Tensor) -> list[int]:
    """List the queries without an allowed key, whose softmax would be 0/0.

    Args:
        mask: (T, T).
    """
    return (~mask.any(dim=-1)).nonzero().flatten().tolist()  # (empty, 1) -> (empty,)


def allow_self_if_empty(mask: Tensor) -> Tensor:
    """Let queries without an allowed key attend to themselves, so that a forward pass can run.

    Args:
        mask: (T, T). Not changed.

    Returns:
        (T, T).
    """
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
