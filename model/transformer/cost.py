"""Cost of attention by sequence length: cells, floating-point operations and bytes.

Counts cover q k^T and the weights times v. The linear maps and the feed-forward part are left out:
their cost is proportional to n for every pattern. A multiply-add counts as two operations.

Letters: n tokens, d d_model, r reach, w = 2r + 1 the window, g global, b block, ρ random blocks,
s stride, k rank, m features.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

BITS = {"fp32": 32, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4}
"""Bits of a number by type; bf16 takes as much as fp16. The scales of a quantised model are not
counted.
"""

FLOATS = ("fp32", "fp16", "fp8")
"""Types in which attention weights are stored. Integer types are for the parameters of a model."""

Bound = Literal["exact", "at most"]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the attention patterns; each pattern uses some of them.

    Attributes:
        reach: Tokens that a window covers on either side, r.
        dilation: Distance between neighbouring tokens of a dilated window.
        n_global: Tokens, or blocks, that attend to all and receive attention from all, g.
        block: Tokens of a block, b.
        n_random: Random blocks for each block, ρ.
        stride: Stride of the strided pattern, s.
        rank: Number of rows to which the keys are projected, k.
        n_features: Random features of the kernel form, m.
    """

    reach: int = 2
    dilation: int = 2
    n_global: int = 1
    block: int = 2
    n_random: int = 1
    stride: int = 4
    rank: int = 4
    n_features: int = 64


@dataclass(frozen=True)
class Cost:
    """Cost of one attention pattern in a layer.

    Attributes:
        formula: Floating-point operations as a readable formula.
        numbers: Numbers stored by each head for n tokens: the weights, or their substitute.
        operations: Operations for n tokens and a width of d_model, all heads together.
        bound: Whether the count is exact or an upper bound.
    """

    formula: str
    numbers: Callable[[int], int]
    operations: Callable[[int, int], int]
    bound: Bound = "exact"


def costs(sizes: Sizes) -> dict[str, Cost]:
    """List the cost of each attention pattern by name.

    The cells of the sparse patterns are counted exactly. ``low_rank`` (Wang et al. 2020,
    "Linformer") and ``kernel`` (Choromanski et al. 2021, "Performer") have no cells.

    Args:
        sizes: Sizes of the patterns.
    """
    rank, features = sizes.rank, sizes.n_features
    return {
        "full": _of_cells("4 n² d", lambda n: n * n),
        "window": _of_cells(
            "4 n w d − 4 r (r + 1) d, r < n", partial(window_cells, reach=sizes.reach)
        ),
        "dilated": _of_cells(
            "≤ 4 n w d", partial(window_cells, reach=sizes.reach, dilation=sizes.dilation)
        ),
        "global": _of_cells("≤ 4 n (w + 2 g) d", partial(_longformer_cells, sizes)),
        "random": _of_cells("≤ 4 n (3 + 2 g + ρ) b d", partial(_big_bird_cells, sizes), "at most"),
        "block": _of_cells("≤ 4 n b d", partial(_block_cells, sizes.block)),
        "strided": _of_cells("≈ 4 n (2 s + n / s) d", partial(_strided_cells, sizes.stride)),
        # Keys and values are projected to k rows, 2 * 2 n k d; then 2 * 2 n k d instead of n^2.
        "low_rank": Cost(
            "8 n k d", lambda n: n * min(rank, n), lambda n, d: 8 * n * min(rank, n) * d
        ),
        # Features of q and of k, 2 * 2 n m d; then phi(k)^T v and phi(q) times it, the same again.
        "kernel": Cost("8 n m d", lambda n: 2 * n * features, lambda n, d: 8 * n * features * d),
    }


def _of_cells(formula: str, cells: Callable[[int], int], bound: Bound = "exact") -> Cost:
    """Cost of two products over the allowed cells, each 2 operations per cell and dimension."""
    return Cost(formula, cells, lambda n, d: 4 * cells(n) * d, bound)


def window_cells(n_tokens: int, reach: int, dilation: int = 1) -> int:
    """Count the cells of a window: n (2r + 1) - r (r + 1) without dilation and with r < n.

    Args:
        n_tokens: n.
        reach: Tokens on either side, r.
        dilation: Distance between neighbouring tokens of the window.
    """
    return n_tokens + 2 * _off_diagonal_cells(n_tokens, dilation, reach)


def _strided_cells(stride: int, n_tokens: int) -> int:
    near = _off_diagonal_cells(n_tokens, 1, stride - 1)
    return n_tokens + 2 * (near + _off_diagonal_cells(n_tokens, stride, n_tokens))


def _longformer_cells(sizes: Sizes, n_tokens: int) -> int:
    rest = max(n_tokens - sizes.n_global, 0)
    return n_tokens**2 - rest**2 + (window_cells(rest, sizes.reach) if rest else 0)


def _block_cells(block: int, n_tokens: int) -> int:
    whole, rest = divmod(n_tokens, block)
    return whole * block**2 + rest**2


def _big_bird_cells(sizes: Sizes, n_tokens: int) -> int:
    """Upper bound: blocks at the ends, and blocks chosen twice, have fewer cells."""
    n_keys = (3 + 2 * sizes.n_global + sizes.n_random) * sizes.block
    return min(n_tokens**2, n_tokens * n_keys)


def _off_diagonal_cells(n_tokens: int, step: int, most: int) -> int:
    """Count the cells of at most ``most`` diagonals on one side, at offsets step, 2 step, ..."""
    count = max(0, min(most, (n_tokens - 1) // step))
    return count * n_tokens - step * count * (count + 1) // 2  # (n - step) + (n - 2 step) + ...


def longest_that_fits(limit: int, n_matrices: int, number_bytes: int) -> int:
    """Compute the largest n for which the n x n weights of all matrices fit into a limit.

    Args:
        limit: Available bytes.
        n_matrices: Number of matrices held together: the heads of a layer, or of all layers.
        number_bytes: Bytes of each weight.
    """
    return math.isqrt(limit // (n_matrices * number_bytes))
