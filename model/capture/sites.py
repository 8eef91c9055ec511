"""Attention sites: the modules that compute attention, and how to read their values.

Axes: H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K d_head.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention

Stack = Literal["encoder", "decoder", "cross"]
"""A stack of attention layers. A decoder layer of an encoder-decoder has two attentions:
``decoder`` among its own tokens, ``cross`` to the encoder's. Without an encoder it has ``decoder``
alone.
"""

Attentions = Mapping[Stack, tuple[tuple[nn.Module, nn.Module], ...]]
"""The attention modules of each stack, each with its W^O, in the order of the layers."""

QKV = tuple[Tensor, Tensor, Tensor]
"""q (Tq, H, K), k and v (Tk, G, K) of all heads of one layer; H / G neighbouring query heads share
a head of keys and values (grouped queries, Ainslie et al. 2023).
"""


@dataclass(frozen=True)
class Call:
    """One call of a module."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any


Read = Callable[[Call], Tensor | None]
"""Reads one value of a call; None if the module has none."""


def to_cpu(x: Tensor) -> Tensor:
    """Convert a result of a network to float32 on the CPU, where everything after it computes."""
    return x.to("cpu", torch.float32)


def own_mask(call: Call) -> Tensor | None:
    """Read the mask of our attention: ``forward(x, mask, ...)``."""
    given: Tensor | None = call.kwargs.get("mask", call.args[1] if len(call.args) > 1 else None)
    return given


@dataclass(frozen=True)
class AttentionSite:
    """A module that computes attention, and how to read its values.

    Attributes:
        projections: The linear maps whose outputs are q, k and v; W^Q first. A recorded pass runs
            all of them, because it covers all tokens without a cache.
        split_heads: From the projections' outputs to (q, k, v), (Tq, H, K), (Tk, G, K) and (Tk, G,
            K), exactly as they enter the dot product; None if they are unknown.
        weights: Reads the weights (1, H, Tq, Tk), after softmax.
        mask: Reads the mask, broadcastable to (1, 1, Tq, Tk): boolean, True where attention is
            allowed, or numbers, 0 where it is allowed.
        around: The module with the projections, if ``module`` is a part of it; None: ``module``.
        hooked: False if the module records itself (:mod:`model.capture.attention_interface`).
        other_calls: Whether calls without weights are for something else; otherwise they are
            errors.
    """

    module: nn.Module
    stack: Stack = "encoder"
    projections: tuple[nn.Module, ...] = ()
    split_heads: Callable[[list[Tensor]], QKV] | None = None
    weights: Read = lambda call: call.output[1]  # of ours: (output, weights, ...)
    mask: Read = own_mask
    around: nn.Module | None = None
    hooked: bool = True
    other_calls: bool = False

    @property
    def has_steps(self) -> bool:
        """Whether q, k and v are recorded."""
        return self.split_heads is not None or not self.hooked


def own_site(attention: MultiHeadAttention, stack: Stack = "encoder") -> AttentionSite:
    """Describe how to read an attention module of ours; ``cross``: keys are the encoder's."""
    return AttentionSite(
        attention,
        stack,
        (attention.query, attention.key, attention.value),
        partial(split_heads, attention.n_heads),
    )


def split_heads(n_heads: int, projected: list[Tensor]) -> QKV:
    """Split three projections into heads, (1, T, H*K) each -> (T, H, K); T is Tq, Tk and Tk."""
    # (1, T, H*K) -> (T, H*K) -> (T, H, K)
    q, k, v = (x[0].unflatten(-1, (n_heads, -1)) for x in projected)
    return q, k, v


def layer_list(network: nn.Module, attention: nn.Module) -> nn.ModuleList:
    """Find the layers: the outermost list of modules that contains an attention; empty if none."""
    lists = (module for module in network.modules() if isinstance(module, nn.ModuleList))
    return next((each for each in lists if attention in set(each.modules())), nn.ModuleList())
