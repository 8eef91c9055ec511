"""A whole layer as named arrays, for the cards.

Axes: T tokens (Tq queries, Tk keys), D d_model, F d_ff, H n_heads, K d_head.
"""

import torch
from torch import Tensor

from model.calculator.layer_parts import Affine, Attended, Fed, WholeLayer
from model.calculator.matrices import Matrices
from model.calculator.softmax import softmax_parts


def layer_matrices(whole: WholeLayer, head: int) -> Matrices:
    """Name every matrix of a layer.

    Args:
        whole: The computed layer.
        head: The head to follow in each attention, from 0.

    Returns:
        X (T, D), and the matrices of each sublayer with the prefix ``self_``, ``cross_`` or
        ``ffn_``. All: mean and variance (T, 1), gain and bias (1, D), norm, output and added
        (T, D). Attention: W_Q, W_K, W_V (D, H*K), b_Q, b_K, b_V (1, H*K), Q (Tq, H*K), K and V
        (Tk, H*K), concatenated (Tq, H*K), W_O (H*K, D), b_O (1, D). The followed head:
        raw_scores, scaled_scores, masked_scores, exponentials, weights (Tq, Tk), maxima and
        row_sums (Tq, 1), context (Tq, K), and allowed (Tq, Tk) if a key is hidden. The
        feed-forward network: W_in (D, F), b_in (1, F), hidden and activated (T, F), W_out (F, D),
        b_out (1, D), and with GELU share (T, F). Cross-attention: memory (Tk, D).
    """
    found = {"X": whole.x}
    for sublayer in whole.sublayers:
        norm, inner = sublayer.norm, sublayer.inner
        named = _attended(inner, head) if isinstance(inner, Attended) else _fed(inner)
        if sublayer.part == "cross" and isinstance(inner, Attended):
            named["memory"] = inner.k.x
        named |= {
            "output": inner.output.result,
            "added": sublayer.added,
            "mean": norm.mean,
            "variance": norm.variance,
            "gain": norm.gain[None],  # (D,) -> (1, D)
            "bias": norm.bias[None],  # (D,) -> (1, D)
            "norm": norm.result,
        }
        found |= {f"{sublayer.part}_{name}": matrix for name, matrix in named.items()}
    return {name: matrix.numpy() for name, matrix in found.items()}


def _attended(inner: Attended, head: int) -> dict[str, Tensor]:
    steps = inner.steps
    parts = softmax_parts(steps.masked_scores[head])
    named = {
        **_linear("Q", "Q", inner.q),
        **_linear("K", "K", inner.k),
        **_linear("V", "V", inner.v),
        "raw_scores": steps.raw_scores[head],
        "scaled_scores": steps.scaled_scores[head],
        "masked_scores": steps.masked_scores[head],
        "maxima": parts.maxima,
        "exponentials": parts.exponentials,
        "row_sums": parts.sums,
        "weights": steps.weights[head],
        "context": steps.context[head],
        "concatenated": inner.concatenated,
        **_linear("O", "output", inner.output),
    }
    if inner.allowed is not None and not inner.allowed.all():
        named["allowed"] = inner.allowed
    return named


def _fed(inner: Fed) -> dict[str, Tensor]:
    named = {
        **_linear("in", "hidden", inner.hidden),
        "activated": inner.activated,
        **_linear("out", "output", inner.output),
    }
    if inner.activation == "gelu":  # x Phi(x), Hendrycks & Gimpel 2016, eq. 1 of section 2
        named["share"] = torch.special.ndtr(inner.hidden.result)
    return named


def _linear(letter: str, result: str, affine: Affine) -> dict[str, Tensor]:
    return {
        f"W_{letter}": affine.weight,
        f"b_{letter}": affine.bias[None],  # (O,) -> (1, O)
        result: affine.result,
    }
