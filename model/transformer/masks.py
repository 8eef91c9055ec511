"""Which keys a query may see: the patterns of efficient attention, and how far they reach.

Every mask is boolean (T, T), queries down and keys across, True where attention is ALLOWED, as in
:mod:`model.transformer.attention`, which has the two that every Transformer needs.

Axes: T tokens, N blocks of tokens.
"""

import torch
from torch import Tensor

from model.errors import HeadlightError


def sliding_window(n_tokens: int, reach: int) -> Tensor:
    """Allow what stands at most ``reach`` tokens away on either side: (T, T).

    Beltagy et al. 2020, "Longformer", section 3.1: a window of w = 2 reach + 1 tokens.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(0, reach=reach)
    return _offsets(n_tokens).abs() <= reach


def dilated_window(n_tokens: int, reach: int, dilation: int) -> Tensor:
    """Allow ``reach`` tokens on either side, each ``dilation`` places from the next: (T, T).

    Beltagy et al. 2020, figure 2c. With a dilation of 1 it is :func:`sliding_window`.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(0, reach=reach)
    _at_least(1, dilation=dilation)
    offsets = _offsets(n_tokens)
    return (offsets.abs() <= reach * dilation) & (offsets % dilation == 0)


def strided(n_tokens: int, stride: int) -> Tensor:
    """Allow what is nearer than ``stride``, and every ``stride``-th token beyond: (T, T).

    Child et al. 2019, "Generating Long Sequences with Sparse Transformers", section 4.3, both ways.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(1, stride=stride)
    offsets = _offsets(n_tokens)
    return (offsets.abs() < stride) | (offsets % stride == 0)


def block_sparse(n_tokens: int, block: int) -> Tensor:
    """Allow each token its own block of ``block`` tokens and nothing else: (T, T).

    Qiu et al. 2019, "Blockwise Self-Attention for Long Document Understanding", section 3.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(1, n_tokens=n_tokens, block=block)
    of = torch.arange(n_tokens) // block
    return of[:, None] == of


def with_global(mask: Tensor, n_global: int) -> Tensor:
    """Let the first ``n_global`` tokens see all and be seen by all: (T, T) -> (T, T).

    Beltagy et al. 2020, section 3.1, "Global Attention".

    Raises:
        HeadlightError: If there are fewer than none.
    """
    _at_least(0, n_global=n_global)
    mask = mask.clone()
    mask[:n_global] = True
    mask[:, :n_global] = True
    return mask


def global_and_random(
    n_tokens: int, block: int, n_global: int, n_random: int, seed: int = 0
) -> Tensor:
    """Allow neighbouring blocks, the first blocks, and some drawn at random: (T, T).

    Zaheer et al. 2020, "Big Bird", section 2 and figure 1, whose window is of three blocks.

    Args:
        n_tokens: T.
        block: Tokens of a block; the last one may be shorter.
        n_global: Blocks that see all and are seen by all.
        n_random: Blocks more for each other block of queries, as far as there are any.
        seed: Of their choice.

    Raises:
        HeadlightError: If a size is too small.
    """
    _at_least(1, n_tokens=n_tokens, block=block)
    _at_least(0, n_random=n_random)
    n_blocks = -(-n_tokens // block)
    blocks = with_global(sliding_window(n_blocks, 1), n_global)  # (N, N)
    generator = torch.Generator().manual_seed(seed)
    for row in blocks[n_global:]:
        free = (~row).nonzero().flatten()
        row[free[torch.randperm(len(free), generator=generator)[:n_random]]] = True
    # (N, N) -> (N * block, N * block) -> (T, T)
    cells = blocks.repeat_interleave(block, 0).repeat_interleave(block, 1)
    return cells[:n_tokens, :n_tokens]


def receptive_field(mask: Tensor, n_layers: int) -> Tensor:
    """Say what each token may know of after some layers: (T, T) -> (T, T).

    A power of the mask: a token knows what those that it sees knew a layer before. The residual
    connection keeps what it knew itself, whatever the mask says.

    Args:
        mask: Of every layer.
        n_layers: How many; after none, each token knows itself.

    Returns:
        Boolean, row by row what a token of the last layer may have heard of.
    """
    field = torch.eye(len(mask), dtype=torch.bool)
    for _ in range(n_layers):
        field = _a_layer_on(mask, field)
    return field


def layers_needed(mask: Tensor) -> Tensor:
    """Count the layers after which each token may know of each other: (T, T) -> (T, T).

    Returns:
        Whole numbers, 0 for itself; -1 where no number of layers is enough.
    """
    field = receptive_field(mask, 0)
    needed = torch.where(field, 0, -1)
    for n_layers in range(1, len(mask)):  # no shortest way is longer
        before, field = field, _a_layer_on(mask, field)
        if field.equal(before):
            break
        needed[field & ~before] = n_layers
    return needed


def _a_layer_on(mask: Tensor, field: Tensor) -> Tensor:
    return field | (mask.double() @ field.double() > 0)  # counts of at most T: exact


def without_keys(mask: Tensor) -> list[int]:
    """The queries that have no key left, whose softmax would be 0/0."""
    return (~mask.any(dim=-1)).nonzero().flatten().tolist()


def seeing_themselves(mask: Tensor) -> Tensor:
    """Let queries without any key see themselves, so that a pass can be run: (T, T) -> (T, T)."""
    empty = ~mask.any(dim=-1, keepdim=True)  # (T, 1)
    return mask | (empty & torch.eye(len(mask), dtype=torch.bool))


def _offsets(n_tokens: int) -> Tensor:
    """How far each key stands behind each query, (T, T)."""
    _at_least(1, n_tokens=n_tokens)
    places = torch.arange(n_tokens)
    return places - places[:, None]


def _at_least(least: int, **sizes: int) -> None:
    for name, value in sizes.items():
        if value < least:
            raise HeadlightError(
                "{name} must be at least {least}, not {value}.",
                name=name,
                least=least,
                value=value,
            )
