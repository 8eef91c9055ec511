"""Aggregation of attention over heads and layers: mean, rollout, flow and value norms.

Axes: L n_layers, H n_heads, G heads of values, T tokens (Tq queries, Tk keys), D d_model, K d_head.
Layer 0 reads the input tokens.

Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3; Kobayashi et al.
2020, "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms", section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch
from scipy.linalg import block_diag
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow
from torch import Tensor

from model.analysis.units import check_one_sequence, check_own_keys
from model.capture.record import AttentionCapture, some_attention
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError, check_range

MAX_FLOW_TOKENS = 24
"""Maximum tokens for attention flow. At this length all layers take about 1.1 s in a model of 6
layers and 2.2 s in one of 12 (python -m benchmarks.measures, one core). Time grows faster than
the cube of the tokens."""

FLOW_LAYERS = 12
"""Models with more layers get a lower token limit: see :func:`most_flow_tokens`."""

FLOW_UNIT = 2.0**-30
"""Resolution of flow values: scipy's maximum_flow computes with 32-bit integers."""


def head_mean(weights: np.ndarray) -> np.ndarray:
    """Average the heads of each layer: (L, H, Tq, Tk) -> (L, Tq, Tk)."""
    return weights.mean(axis=1)


def rollout(weights: np.ndarray) -> np.ndarray:
    """Follow attention from each layer down to the input tokens (Abnar & Zuidema 2020, section 3).

    The result is the share of each input token in a token at some layer, if every layer mixes its
    input in the proportions of its attention, and the residual connection carries half. The weight
    on a sink, which has no value, is left out of the proportions.

    (L, H, T, T) -> (L, T, T), rows sum to 1. Raises a HeadlightError for keys of another sequence.
    """
    check_one_sequence(weights)
    # torch runs on one thread on servers. NumPy's product uses all cores; on a busy machine it
    # waits for them a hundred times longer than it computes.
    mixed = torch.from_numpy(_with_residual(weights))
    mixed /= mixed.sum(dim=-1, keepdim=True)
    # R_0 = A_0 and R_l = A_l R_(l-1): (T, T) @ (T, T) -> (T, T)
    return torch.stack(list(accumulate(mixed, lambda below, layer: layer @ below))).numpy()


def most_flow_tokens(n_layers: int) -> int:
    """Maximum number of tokens for attention flow; deeper models have more and larger networks."""
    return min(MAX_FLOW_TOKENS, int(MAX_FLOW_TOKENS * (FLOW_LAYERS / n_layers) ** 0.5))


def reachable(allowed: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
    """Input tokens that can influence a token of each layer, (T, T), None where none is hidden."""
    reached: list[np.ndarray | None] = []
    for mask in allowed:
        if mask is None or (reached and reached[-1] is None):
            reached.append(None)
            continue
        own = mask | np.eye(len(mask), dtype=bool)
        if not reached:
            reached.append(own)
            continue
        # (T, T) @ (T, T): through any token of the layer below
        through = own.astype(np.float32) @ np.asarray(reached[-1], dtype=np.float32) > 0
        # Reusing an equal array lets the payload carry it once.
        same = reached[-1] is not None and np.array_equal(through, reached[-1])
        reached.append(reached[-1] if same else through)
    return reached


def flow(weights: np.ndarray, layer: int) -> np.ndarray:
    """Compute the attention flow from each input token (Abnar & Zuidema 2020, section 3).

    The capacity between two tokens of neighbouring layers is the attention weight, averaged over
    heads, with the residual connection, rounded to :data:`FLOW_UNIT`. A pair's flow is the maximum
    flow from a token at ``layer`` to an input token; it is at most 1.

    Args:
        weights: (L, H, T, T), T at most :func:`most_flow_tokens`.

    Returns (T, T): rows are tokens at the layer, columns input tokens. Each pair is computed alone,
    so a row may sum to up to T. (The authors' code divides it by its sum.)

    Raises:
        HeadlightError: If there are too many tokens, no such layer, or keys of another sequence.
    """
    check_one_sequence(weights)
    n_layers, _, n_tokens, _ = weights.shape
    if n_tokens > most_flow_tokens(n_layers):
        raise HeadlightError(
            "Flow takes too long for more than {max_tokens} tokens, and the text has {n_tokens}. "
            "Choose Rollout, or a shorter sentence.",
            max_tokens=most_flow_tokens(n_layers),
            n_tokens=n_tokens,
        )
    check_range("layer", layer, 0, n_layers - 1)
    capacities = np.rint(_with_residual(weights[: layer + 1]) / FLOW_UNIT).astype(np.int32)
    # Level 0 is the input and level l + 1 the output of layer l; token i of a level is node
    # level * T + i. Edges lead one level down, so the layers' blocks fill the block row below the
    # diagonal: (layer + 1) x (T, T) -> ((layer + 2) * T, (layer + 2) * T).
    graph = csr_array(np.pad(block_diag(*capacities), ((n_tokens, 0), (0, n_tokens))))
    top = (layer + 1) * n_tokens
    flows = [
        [maximum_flow(graph, top + i, j).flow_value for j in range(n_tokens)]
        for i in range(n_tokens)
    ]
    return np.array(flows) * FLOW_UNIT


def _with_residual(weights: np.ndarray) -> np.ndarray:
    """0.5 A + 0.5 I with A the mean over heads (section 3), (L, H, T, T) -> (L, T, T)."""
    if not weights.any(axis=(1, 2, 3)).all():
        raise HeadlightError(
            "Some layers have no attention and mix tokens in another way. This measure is defined "
            "only for attention in every layer."
        )
    return 0.5 * head_mean(weights) + 0.5 * np.eye(weights.shape[-1])


@dataclass(frozen=True)
class ValueNorms:
    """Lengths of the vectors that tokens receive from each other, float32.

    Attributes:
        heads: ||alpha_ij f(x_j)|| of each head, (L, H, Tq, Tk).
        layers: ||sum over h of alpha^h_ij f^h(x_j)||, (L, Tq, Tk): at most the sum over heads.
    """

    heads: np.ndarray
    layers: np.ndarray


def value_norms(capture: AttentionCapture, output_weights: Sequence[Tensor]) -> ValueNorms:
    """Compute the lengths of the weighted value vectors (Kobayashi et al. 2020).

    A large weight on a short vector contributes little. Lengths are Euclidean, in the units of the
    model's hidden states, before the residual connection and the norm. Rows are not normalised.
    ``output_weights`` are :meth:`LoadedModel.output_weights` of the same model, (H, K, D) for each
    layer. Raises a HeadlightError if the values of the capture are unknown.
    """
    capture.check_steps()
    heads, layers = [], []
    for weights, v, output in zip(capture.weights, capture.v, output_weights, strict=True):
        # ||sum_h a_h f_h||^2 = sum_hg a_h a_g <f_h, f_g>: the inner products of a token's heads
        # replace one vector sum per pair of tokens. Double precision, because opposite vectors
        # may almost cancel.
        values = transformed_values(v, output).transpose(0, 1).double()  # (H, Tk, D) -> (Tk, H, D)
        inner = values @ values.mT  # (Tk, H, D) @ (Tk, D, H) -> (Tk, H, H)
        lengths = inner.diagonal(dim1=1, dim2=2).sqrt()  # ||f^h(x_j)||, (Tk, H)
        alpha = torch.tensor(weights)  # (H, Tq, Tk)
        heads.append(alpha * lengths.T[:, None].float())  # (H, Tq, Tk) * (H, 1, Tk)
        alpha = alpha.permute(2, 1, 0).double()  # (H, Tq, Tk) -> (Tk, Tq, H)
        squares = (alpha @ inner * alpha).sum(-1)  # (Tk, Tq, H) @ (Tk, H, H) -> (Tk, Tq)
        layers.append(squares.clamp(min=0).sqrt().T.float())  # (Tk, Tq) -> (Tq, Tk)
    return ValueNorms(torch.stack(heads).numpy(), torch.stack(layers).numpy())


def transformed_values(v: np.ndarray, output: Tensor) -> Tensor:
    """Compute f(x) = (x W^V + b^V) W^O of each head of one layer (Kobayashi et al. 2020).

    The output of attention is the sum of alpha_ij f(x_j) over keys and heads, plus the bias of W^O.
    """
    # torch.tensor copies, because the capture's arrays are read-only. (T, G, K) -> (T, H, K)
    values = torch.tensor(v).repeat_interleave(len(output) // v.shape[1], dim=1)
    return values.transpose(0, 1) @ output  # (H, T, K) @ (H, K, D) -> (H, T, D)


def by_layer(model: LoadedModel, capture: AttentionCapture, kind: str) -> np.ndarray:
    """Compute one map for every layer of a capture, (L, Tq, Tk), values at most 1.

    Raises a HeadlightError as :func:`flow`; rollout and flow need attention in every layer.
    """
    if kind in ("rollout", "flow"):
        check_own_keys(capture)
        capture.check_every_layer()
        if model.mixes_elsewhere:
            raise some_attention(model.name)

    def flows() -> np.ndarray:  # L x (T, T) -> (L, T, T)
        return np.stack([flow(capture.weights, layer) for layer in range(capture.n_layers)])

    def norm_shares() -> np.ndarray:
        lengths = value_norms(capture, model.output_weights()).layers
        totals = lengths.sum(axis=-1, keepdims=True)
        return np.divide(lengths, totals, out=np.zeros_like(lengths), where=totals > 0)

    return {
        "mean": lambda: head_mean(capture.weights),
        "rollout": lambda: rollout(capture.weights),
        "flow": flows,
        "norm": norm_shares,
    }[kind]()
