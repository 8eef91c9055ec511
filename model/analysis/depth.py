"""How attention adds up over heads and layers.

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
from model.capture.record import AttentionCapture
from model.catalogue.loaded import LoadedModel
from model.errors import HeadlightError

MAX_FLOW_TOKENS = 24
"""The most tokens that attention flow is offered for: there all layers take about 1.1 s in a model
of 6 of them and 2.2 s in one of 12 (python -m benchmarks.measures, one core). The time grows
faster than the cube of the tokens."""

FLOW_LAYERS = 12
"""Beyond so many layers, flow is offered for fewer tokens: see :func:`most_flow_tokens`."""

FLOW_UNIT = 2.0**-30
"""Step in which flow counts: scipy's maximum_flow takes whole numbers of 32 bits."""


def entropy_ceiling(capture: AttentionCapture) -> np.ndarray:
    """The mean entropy of rows that are spread evenly over all that they may see.

    Returns:
        Of each layer, in nats, (L,): ln T where nothing is masked; in a decoder the mean of
        ln 1, ln 2, ... ln T.
    """
    n_keys = len(capture.key_tokens)
    counts = [np.array([n_keys]) if mask is None else mask.sum(axis=-1) for mask in capture.allowed]
    return np.array([np.log(np.maximum(count, 1)).mean() for count in counts])


def head_mean(weights: np.ndarray) -> np.ndarray:
    """Average the heads of each layer: (L, H, Tq, Tk) -> (L, Tq, Tk)."""
    return weights.mean(axis=1)


def rollout(weights: np.ndarray) -> np.ndarray:
    """Follow attention from each layer down to the input tokens (Abnar & Zuidema 2020, section 3).

    The share of a token at some layer that comes from each input token, if every layer passed on
    its input in the proportions of its attention, half of it by the residual connection.

    Args:
        weights: (L, H, T, T).

    Returns:
        (L, T, T), rows sum to 1.

    Raises:
        HeadlightError: If tokens attend to those of another sequence.
    """
    check_one_sequence(weights)
    # In torch, which servers hold to one thread: NumPy's product would take all cores, and on busy
    # ones wait for them, a hundred times longer than it computes.
    mixed = torch.from_numpy(_with_residual(weights))
    mixed /= mixed.sum(dim=-1, keepdim=True)
    # R_0 = A_0 and R_l = A_l R_(l-1): (T, T) @ (T, T) -> (T, T)
    return torch.stack(list(accumulate(mixed, lambda below, layer: layer @ below))).numpy()


def most_flow_tokens(n_layers: int) -> int:
    """The most tokens that flow is offered for in a model of so many layers.

    All layers together ask for a network of one layer, of two, and so on: time grows with the
    square of their number, and with about the fourth power of the tokens'.
    """
    return min(MAX_FLOW_TOKENS, int(MAX_FLOW_TOKENS * (FLOW_LAYERS / n_layers) ** 0.5))


def reachable(allowed: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
    """Which input tokens a token of each layer may have been mixed from, by masks and residuals.

    Args:
        allowed: What each layer's mask allows, boolean (T, T); None where it hides nothing.

    Returns:
        Boolean (T, T) for each layer; None where every token can be reached.
    """
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
        # The same triangle is the same array: what shows it is then sent once.
        same = reached[-1] is not None and np.array_equal(through, reached[-1])
        reached.append(reached[-1] if same else through)
    return reached


def flow(weights: np.ndarray, layer: int) -> np.ndarray:
    """Find how much could reach a layer from each input token (Abnar & Zuidema 2020, section 3).

    Attention weights, averaged over heads and with the residual connection, are the capacities of
    pipes between the tokens of neighbouring layers: the maximum flow from each token at ``layer``
    to each input token, every pair on its own.

    Args:
        weights: (L, H, T, T), T at most what :func:`most_flow_tokens` says.
        layer: From which layer's output the flow goes down, from 0.

    Returns:
        (T, T), rows the tokens at the layer, columns those of the input. Each value is at most 1,
        what one token's pipes carry together. The pairs of a row share those pipes, so a row is no
        distribution: it may sum to anything up to T. (The authors' code divides it by its sum.)
        Capacities are rounded to :data:`FLOW_UNIT`.

    Raises:
        HeadlightError: If there are too many tokens, no such layer, or tokens attend to those of
            another sequence.
    """
    check_one_sequence(weights)
    n_layers, _, n_tokens, _ = weights.shape
    if n_tokens > most_flow_tokens(n_layers):
        raise HeadlightError(
            "Attention flow is offered up to {max_tokens} tokens, and here are {n_tokens}: it "
            "would take too long. Shorten the sentence, or choose rollout.",
            max_tokens=most_flow_tokens(n_layers),
            n_tokens=n_tokens,
        )
    if not 0 <= layer < n_layers:
        raise HeadlightError(
            "There are layers 0 to {last_layer}, and no layer {layer}.",
            last_layer=n_layers - 1,
            layer=layer,
        )
    capacities = np.rint(_with_residual(weights[: layer + 1]) / FLOW_UNIT).astype(np.int32)
    # Level 0 is the input and level l + 1 the output of layer l; token i of a level is node
    # level * T + i. Pipes lead one level down: the layers' blocks stand one block row below the
    # diagonal, ((layer + 2) * T, (layer + 2) * T).
    down = np.pad(block_diag(*capacities), ((n_tokens, 0), (0, n_tokens)))
    graph = csr_array(down)
    top = (layer + 1) * n_tokens
    found = [
        [maximum_flow(graph, top + i, j).flow_value for j in range(n_tokens)]
        for i in range(n_tokens)
    ]
    return np.array(found) * FLOW_UNIT


def _with_residual(weights: np.ndarray) -> np.ndarray:
    """0.5 A + 0.5 I, A the mean over heads: (L, H, T, T) -> (L, T, T) (section 3)."""
    return 0.5 * head_mean(weights) + 0.5 * np.eye(weights.shape[-1])


@dataclass(frozen=True)
class ValueNorms:
    """How long the vectors are that tokens receive from one another. All float32.

    Attributes:
        heads: ||alpha_ij f(x_j)|| of each head, (L, H, Tq, Tk).
        layers: ||sum over h of alpha^h_ij f^h(x_j)||, (L, Tq, Tk): at most the sum over heads, less
            where the heads' vectors point apart.
    """

    heads: np.ndarray
    layers: np.ndarray


def value_norms(capture: AttentionCapture, output_weights: Sequence[Tensor]) -> ValueNorms:
    """Measure what attention moves: the weighted vectors' lengths (Kobayashi et al. 2020).

    A large weight on a short vector moves little. Lengths are Euclidean, in the units of the
    model's hidden states, before the residual connection and the norm; rows sum to nothing special.

    Args:
        capture: The captured sentence.
        output_weights: The same model's :meth:`model.catalogue.loaded.LoadedModel.output_weights`.
    """
    heads, layers = [], []
    for weights, v, output in zip(capture.weights, capture.v, output_weights, strict=True):
        # ||sum_h a_h f_h||^2 = sum_hg a_h a_g <f_h, f_g>: with the inner products of a token's
        # heads at hand, no vector need be added up per pair of tokens. In double precision,
        # because vectors that point apart may almost cancel.
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
    """f(x) = (x W^V + b^V) W^O of each head of one layer (Kobayashi et al. 2020, section 3).

    Attention's output is the sum of alpha_ij f(x_j) over keys and heads, plus the bias of W^O,
    which belongs to no token.

    Args:
        v: x W^V + b^V as captured, (T, G, K); each of the G heads serves H / G that stand side by
            side.
        output: W^O by heads, (H, K, D).

    Returns:
        (H, T, D).
    """
    # torch.tensor copies: the capture's own arrays stay read-only.
    values = torch.tensor(v).repeat_interleave(len(output) // v.shape[1], dim=1)  # (T, H, K)
    return values.transpose(0, 1) @ output  # (H, T, K) @ (H, K, D) -> (H, T, D)


def by_layer(model: LoadedModel, capture: AttentionCapture, kind: str) -> np.ndarray:
    """What every layer shows, seen in one of four ways.

    Args:
        model: Whose capture it is.
        capture: The captured sentence.
        kind: ``mean``, ``rollout``, ``flow``, or ``norm``: the lengths of :func:`value_norms`, as
            shares of their row.

    Returns:
        (L, Tq, Tk), nothing in it larger than 1.

    Raises:
        HeadlightError: As :func:`flow` does; rollout and flow, if the keys are another text's.
        KeyError: If there is no such kind.
    """
    if kind in ("rollout", "flow"):
        check_own_keys(capture)

    def flows() -> np.ndarray:
        return np.stack([flow(capture.weights, layer) for layer in range(capture.n_layers)])

    def shares() -> np.ndarray:
        lengths = value_norms(capture, model.output_weights()).layers
        totals = lengths.sum(axis=-1, keepdims=True)
        return np.divide(lengths, totals, out=np.zeros_like(lengths), where=totals > 0)

    return {
        "mean": lambda: head_mean(capture.weights),
        "rollout": lambda: rollout(capture.weights),
        "flow": flows,
        "norm": shares,
    }[kind]()
