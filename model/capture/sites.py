"""Where a model computes attention, and how each thing is read there.

Axes: H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K d_head.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention

Stack = Literal["encoder", "decoder", "cross"]
"""Whose layers: those that read a text, those that write one, and what the writing ones see of it.

A decoder has two attentions a layer: ``decoder`` is the one among its own tokens, ``cross`` the one
to the encoder's. A model that is a decoder alone has ``decoder`` only.
"""

Heads = tuple[Tensor, Tensor, Tensor]
"""q (Tq, H, K), k and v (Tk, G, K) of all heads of one layer.

G is H, or divides it: with grouped queries (Ainslie et al. 2023) H / G query heads that stand side
by side share one head of keys and values.
"""


@dataclass(frozen=True)
class Call:
    """One run of a module that computes attention: what went in, and what came out."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any


Read = Callable[[Call], Tensor | None]
"""Reads one thing off a call; None if there is none."""


def second_output(call: Call) -> Tensor | None:
    """The weights of our attention, and of most of transformers': ``(output, weights, ...)``."""
    weights: Tensor | None = call.output[1]
    return weights


def attention_mask(call: Call) -> Tensor | None:
    """The mask of most of transformers' attentions, by its name."""
    return call.kwargs.get("attention_mask")


def own_mask(call: Call) -> Tensor | None:
    """The mask of ours: ``forward(x, mask, ...)``, by its name or its place."""
    given: Tensor | None = call.kwargs.get("mask", call.args[1] if len(call.args) > 1 else None)
    return given


def no_bias(call: Call) -> Tensor | None:
    """Nothing is added to the scores, as in most models."""
    return None


@dataclass(frozen=True)
class AttentionSite:
    """A module that computes attention, and how to read it.

    Attributes:
        module: It runs once a layer, on a batch of one.
        projections: The linear maps whose outputs are q, k and v (or all three, fused), all of
            them run by the module itself, W^Q first. Where keys and values come out of a cache
            they do not run: a pass that is recorded is one over all tokens, without a cache.
        split_heads: From the projections' outputs and the module's keyword arguments to
            (q, k, v), (Tq, H, K), (Tk, G, K) and (Tk, G, K), exactly as they enter the dot product.
        stack: Whose layer it is.
        scale: What the raw scores are multiplied by; 1 / sqrt(K) unless given (T5: 1).
        weights: Reads the weights (1, H, Tq, Tk), after softmax.
        mask: Reads the mask, broadcastable to (1, 1, Tq, Tk): boolean, True where attention is
            allowed, or of numbers, 0 there.
        bias: Reads what is added to the scaled scores, broadcastable to (1, H, Tq, Tk), before
            the mask (T5: by distance).
    """

    module: nn.Module
    projections: tuple[nn.Module, ...]
    split_heads: Callable[[list[Tensor], dict[str, Any]], Heads]
    stack: Stack = "encoder"
    scale: float | None = None
    weights: Read = second_output
    mask: Read = attention_mask
    bias: Read = no_bias


def own_site(attention: MultiHeadAttention, stack: Stack = "encoder") -> AttentionSite:
    """How to read one of our own: its maps see x for the queries, and x or a memory for the rest.

    Args:
        attention: ``forward(x, mask, ...)`` gives ``(output, weights)``.
        stack: Whose layer it is; ``cross`` where keys and values are of the encoder's tokens.
    """
    return AttentionSite(
        attention,
        (attention.query, attention.key, attention.value),
        partial(split_heads, attention.n_heads),
        stack=stack,
        mask=own_mask,
    )


def split_heads(n_heads: int, projected: list[Tensor], kwargs: dict[str, Any]) -> Heads:
    """Read q, k and v off three separate projections, (1, T, H*K) each -> (T, H, K).

    T is Tq for q and Tk for k and v; they differ where a decoder looks at an encoder.
    """
    q, k, v = (x[0].unflatten(-1, (n_heads, -1)) for x in projected)
    return q, k, v
