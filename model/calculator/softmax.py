"""The intermediate results of a softmax; the attention function itself returns only the weights.

Axes: Tq queries, Tk keys.
"""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class SoftmaxParts:
    """The intermediate results between scores and weights.

    Attributes:
        maxima: The largest score of each row, subtracted from the row to prevent an overflow;
            (..., Tq, 1), or (..., 1, Tk) for a softmax down the columns.
        exponentials: e^(score - maximum), (..., Tq, Tk); 0 where masked, nan if all are masked.
    """

    maxima: Tensor
    exponentials: Tensor
    sums: Tensor


def softmax_parts(scores: Tensor, dim: int = -1) -> SoftmaxParts:
    """Compute the parts of a softmax; ``exponentials / sums`` are its weights.

    Args:
        scores: Masked scores, -inf where masked, (..., Tq, Tk).
        dim: The axis of the sum: the keys by default, the queries in a classic mistake.
    """
    maxima = scores.amax(dim, keepdim=True)  # (..., Tq, 1), or (..., 1, Tk) over the queries
    exponentials = (scores - maxima).exp()  # (..., Tq, Tk)
    return SoftmaxParts(maxima, exponentials, exponentials.sum(dim, keepdim=True))
