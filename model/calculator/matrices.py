"""One head of a calculation as named arrays, for the cards.

Axes: T tokens (Tq queries, Tk keys), K d_k of a head, Kv d_v of a head, H n_heads.
"""

import numpy as np
from torch import Tensor

from model.calculator.mistakes import Mistake
from model.calculator.settings import CalculatorSettings
from model.calculator.steps import Calculation

Matrices = dict[str, np.ndarray]


def head_matrices(calculation: Calculation, head: int) -> Matrices:
    """Name every matrix of one head, and the matrices of all heads before and after it.

    Returns:
        Q (Tq, K), K (Tk, K), V (Tk, Kv); raw_scores, scaled_scores, allowed (boolean),
        masked_scores, exponentials and weights (Tq, Tk); maxima and row_sums (Tq, 1); context (Tq,
        Kv). With a projection also X, W_Q, W_K, W_V and, of all heads side by side, Q_heads,
        K_heads, V_heads (T, H*K). With several heads concatenated (Tq, H*Kv). With an output
        projection W_O and output. If the model adds a bias, bias (Tq, Tk).
    """
    steps = calculation.steps
    matrices = {
        "Q": calculation.q[head],
        "K": calculation.k[head],
        "V": calculation.v[head],
        "raw_scores": steps.raw_scores[head],
        "scaled_scores": steps.scaled_scores[head],
        "masked_scores": steps.masked_scores[head],
        "maxima": calculation.maxima[head, :, None],  # (H, Tq) -> (Tq, 1)
        "exponentials": calculation.exponentials[head],
        "row_sums": calculation.row_sums[head, :, None],  # (H, Tq) -> (Tq, 1)
        "weights": steps.weights[head],
        "context": steps.context[head],
        **_matrices_of_all_heads(calculation),
    }
    found = {name: matrix.numpy() for name, matrix in matrices.items()}
    no_mask = np.ones(found["raw_scores"].shape, dtype=bool)
    allowed = calculation.allowed
    return {**found, "allowed": no_mask if allowed is None else allowed.numpy()}


def _matrices_of_all_heads(calculation: Calculation) -> dict[str, Tensor]:
    """The matrices before and after the followed head."""
    given = {
        "X": calculation.x,
        "W_Q": calculation.w_q,
        "W_K": calculation.w_k,
        "W_V": calculation.w_v,
        "W_O": calculation.w_o,
    }
    matrices = {name: matrix for name, matrix in given.items() if matrix is not None}
    if calculation.x is not None:
        heads = {"Q": calculation.q, "K": calculation.k, "V": calculation.v}
        # (H, T, K) -> (T, H, K) -> (T, H*K)
        matrices |= {f"{n}_heads": each.transpose(0, 1).flatten(1) for n, each in heads.items()}
    if calculation.bias is not None:
        matrices["bias"] = calculation.bias
    if calculation.n_heads > 1:
        matrices["concatenated"] = calculation.concatenated
    if calculation.w_o is not None:
        matrices["output"] = calculation.output
    return matrices


def matrices_up_to_mask(
    unmasked: Calculation, head: int, settings: CalculatorSettings
) -> Matrices | None:
    """Name the matrices of a calculation whose mask hides all keys from some query.

    After the mask they are those of the unmasked calculation; None without a mask.
    """
    matrices = head_matrices(unmasked, head)
    own = settings.allowed(*matrices["raw_scores"].shape)
    if own is None:
        return None
    allowed = matrices["allowed"] & own.numpy()
    masked_scores = np.where(allowed, matrices["scaled_scores"], -np.inf)
    return {**matrices, "allowed": allowed, "masked_scores": masked_scores}


def mistake_matrices(made: Mistake, head: int) -> Matrices:
    """Name the matrices of a mistake in one head.

    source and wrong_weights (Tq, Tk), wrong_context (Tq, Kv). If the wrong weights are the source
    times a factor, factor (Tq, Tk). If they are its softmax, the parts of that softmax:
    wrong_exponentials (Tq, Tk), and wrong_maxima and wrong_sums, (Tq, 1) or (1, Tk).
    """
    matrices = {"source": made.source, "wrong_weights": made.weights, "wrong_context": made.context}
    if made.factor is not None:
        matrices["factor"] = made.factor
    if made.parts is not None:
        matrices["wrong_maxima"] = made.parts.maxima
        matrices["wrong_exponentials"] = made.parts.exponentials
        matrices["wrong_sums"] = made.parts.sums
    return {name: matrix[head].numpy() for name, matrix in matrices.items()}
