"""The softmax taken apart, for whoever wants to read its numbers.

The weights themselves come from the attention function; here is what they went through.
"""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class SoftmaxParts:
    """What stands between scores and their softmax.

    Attributes:
        maxima: The largest score of each row (or column), subtracted from all of it so that no
            exponential overflows; one along the axis summed over, else as the scores.
        exponentials: e^(score - largest), 0 where masked, as the scores; nan where all are masked.
        sums: Their sums, the softmax's denominators; as the maxima.
    """

    maxima: Tensor
    exponentials: Tensor
    sums: Tensor


def softmax_parts(scores: Tensor, dim: int = -1) -> SoftmaxParts:
    """Take the softmax over an axis apart: ``exponentials / sums`` are its weights.

    Args:
        scores: -inf where masked, (..., Tq, Tk).
        dim: The axis summed over: the keys, unless it is taken for another by mistake.
    """
    maxima = scores.amax(dim, keepdim=True)  # (..., Tq, 1), or (..., 1, Tk) over the queries
    exponentials = (scores - maxima).exp()  # (..., Tq, Tk)
    return SoftmaxParts(maxima, exponentials, exponentials.sum(dim, keepdim=True))
