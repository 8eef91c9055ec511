"""What attention costs: cells, floating-point operations and bytes, by the sequence's length.

Counted is the heart of a layer, q k^T and the weights times v; its four linear maps and its
feed-forward part grow with n alone, whatever the pattern. A multiplication with its addition is two
operations.

Letters: n tokens, d d_model, r reach, w = 2r + 1 the window, g global, b block, ρ random blocks,
s stride, k rank, m features.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

BITS = {"fp32": 32, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4}
"""Of a number, by its type; bf16 takes as much as fp16. What a quantised model keeps beside them
(scales) is extra."""

FLOATS = ("fp32", "fp16", "fp8")
"""Types in which attention weights are kept; whole numbers are for a model's parameters."""

Bound = Literal["exact", "at most"]


@dataclass(frozen=True)
class Sizes:
    """The sizes that patterns are made with; each reads those that it needs.

    Attributes:
        reach: Tokens on either side that a window shows, r.
        dilation: Places from one of them to the next.
        n_global: Tokens, or blocks, that see all and are seen by all, g.
        block: Tokens of a block, b.
        n_random: Blocks drawn at random for each block.
        stride: Of the strided pattern, s.
        rank: To which the keys are projected, k.
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
    """What a way to attend needs in a layer.

    Attributes:
        formula: Floating-point operations, as a person writes them.
        numbers: Kept for n tokens by each head: the weights, or what stands in for them.
        operations: For n tokens and a width of d_model, all heads together.
        bound: Whether the count is exact, or what it is at most.
    """

    formula: str
    numbers: Callable[[int], int]
    operations: Callable[[int, int], int]
    bound: Bound = "exact"


def costs(sizes: Sizes) -> dict[str, Cost]:
    """Say what each way to attend needs, by its name.

    The patterns of cells are counted cell by cell; ``low_rank`` (Wang et al. 2020, "Linformer") and
    ``kernel`` (Choromanski et al. 2021, "Performer") have no cells.
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
    """Two products over the cells that survive: 2 operations for each cell and dimension, twice."""
    return Cost(formula, cells, lambda n, d: 4 * cells(n) * d, bound)


def window_cells(n_tokens: int, reach: int, dilation: int = 1) -> int:
    """Count the cells of a window, exactly: n (2r + 1) - r (r + 1) without dilation and r < n."""
    return n_tokens + 2 * _beside_the_diagonal(n_tokens, dilation, reach)


def _strided_cells(stride: int, n_tokens: int) -> int:
    near = _beside_the_diagonal(n_tokens, 1, stride - 1)
    return n_tokens + 2 * (near + _beside_the_diagonal(n_tokens, stride, n_tokens))


def _longformer_cells(sizes: Sizes, n_tokens: int) -> int:
    rest = max(n_tokens - sizes.n_global, 0)
    return n_tokens**2 - rest**2 + (window_cells(rest, sizes.reach) if rest else 0)


def _block_cells(block: int, n_tokens: int) -> int:
    whole, rest = divmod(n_tokens, block)
    return whole * block**2 + rest**2


def _big_bird_cells(sizes: Sizes, n_tokens: int) -> int:
    """At most: at the ends, and where blocks fall together, there are fewer."""
    seen = (3 + 2 * sizes.n_global + sizes.n_random) * sizes.block
    return min(n_tokens**2, n_tokens * seen)


def _beside_the_diagonal(n_tokens: int, step: int, most: int) -> int:
    """Count the cells at offsets step, 2 step, ... on one side, ``most`` of these diagonals."""
    count = max(0, min(most, (n_tokens - 1) // step))
    return count * n_tokens - step * count * (count + 1) // 2  # (n - step) + (n - 2 step) + ...


def longest_that_fits(limit: int, n_matrices: int, number_bytes: int) -> int:
    """The most tokens whose full n x n weights fit: the largest n with n^2 matrices <= limit.

    Args:
        limit: Bytes there are.
        n_matrices: Heads, of a layer or of all, whose weights are held together.
        number_bytes: Of each weight.
    """
    return math.isqrt(limit // (n_matrices * number_bytes))
