"""The intermediate results of a softmax; the attention function itself returns only the weights.

Axes: Tq queries, Tk keys.
"""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class SoftmaxParts:
    """Row maxima (subtracted against overflow), powers of e and their sums.

    Maxima and sums are (..., Tq, 1), or (..., 1, Tk) for a softmax down the columns. Exponentials
    are (..., Tq, Tk): 0 where masked, nan if all are masked. ``exponentials / sums`` are the
    weights.
    """

    maxima: Tensor
    exponentials: Tensor
    sums: Tensor


def softmax_parts(scores: Tensor, dim: int = -1) -> SoftmaxParts:
    """Parts of a softmax over the keys of scores (..., Tq, Tk); in a mistake over the queries."""
    maxima = scores.amax(dim, keepdim=True)  # (..., Tq, 1), or (..., 1, Tk) over the queries
    exponentials = (scores - maxima).exp()  # (..., Tq, Tk)
    return SoftmaxParts(maxima, exponentials, exponentials.sum(dim, keepdim=True))
