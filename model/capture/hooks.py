"""Forward hooks: one mechanism to see, and to change, the attention of every model.

The hooks are installed once, when a model is loaded, and write to an observation that lives in a
context variable. Without one they do nothing; with one, each thread writes to its own, so many
users can share one model.

Axes: L n_layers, H n_heads, T tokens, K d_head.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

Heads = tuple[Tensor, Tensor, Tensor]
"""q, k and v of all heads of one layer, each (T, H, K)."""


@dataclass(frozen=True)
class AttentionSite:
    """A module that computes attention, and how to read it.

    Attributes:
        module: Its forward returns ``(output, weights, ...)``, weights (1, H, T, T) after softmax.
        projections: The linear maps whose outputs are q, k and v (or all three, fused).
        split_heads: From the projections' outputs and the module's keyword arguments to
            (q, k, v), each (T, H, K), exactly as they enter the dot product.
    """

    module: nn.Module
    projections: tuple[nn.Module, ...]
    split_heads: Callable[[list[Tensor], dict[str, Any]], Heads]


@dataclass(frozen=True)
class HeadsOff:
    """Heads to switch off in a forward pass.

    Attributes:
        heads: Pairs (layer, head).
        how: ``"zero"``: nothing of the head's context enters W^O; its weights stay as they are.
            ``"uniform"``: it attends to every allowed token alike.
        d_head: K, of the model's heads.
    """

    heads: frozenset[tuple[int, int]]
    how: Literal["zero", "uniform"]
    d_head: int

    def silenced(self, layer: int, x: Tensor) -> Tensor:
        """Put zeros where the heads of a layer stand: (..., H*K) with heads side by side."""
        if all(off_layer != layer for off_layer, _ in self.heads):
            return x
        x = x.clone()
        for off_layer, head in self.heads:
            if off_layer == layer:
                x[..., head * self.d_head : (head + 1) * self.d_head] = 0
        return x


@dataclass
class Observed:
    """What the hooks saw in one forward pass, in the order of the layers, and what they change."""

    weights: list[Tensor] = field(default_factory=list)
    heads: list[Heads] = field(default_factory=list)
    allowed: list[Tensor | None] = field(default_factory=list)
    projected: list[Tensor] = field(default_factory=list)  # of the layer now running
    joined: int = 0  # layers whose heads have entered W^O
    off: HeadsOff | None = None


_observed: ContextVar[Observed | None] = ContextVar("attention_observed", default=None)


@contextmanager
def recording(off: HeadsOff | None = None) -> Iterator[Observed]:
    """Record the attention of one forward pass of this thread inside the block.

    Args:
        off: Heads that are switched off meanwhile, for this thread alone.
    """
    observed = Observed(off=off)
    token = _observed.set(observed)
    try:
        yield observed
    finally:
        _observed.reset(token)


def install_hooks(sites: Iterable[AttentionSite], outputs: Iterable[nn.Module] = ()) -> None:
    """Make the sites write to what the thread that runs them observes, if it observes anything.

    A module that is shared by several layers (ALBERT) gets its hook once, and fires per layer.

    Args:
        sites: The modules that compute attention.
        outputs: W^O of each layer: where heads are switched off.
    """
    for site in sites:
        for projection in site.projections:
            projection.register_forward_hook(_keep_projection)
        site.module.register_forward_hook(partial(_keep_attention, site), with_kwargs=True)
    for output in dict.fromkeys(outputs):
        output.register_forward_pre_hook(_join_heads)


def _keep_projection(module: nn.Module, args: Any, output: Tensor) -> Tensor:
    observed = _observed.get()
    if observed is None:
        return output
    # The first map is W^Q, also where all three are fused. Queries of zeros score every key alike:
    # softmax then spreads the weights evenly over whatever the model's own mask allows.
    if observed.off and observed.off.how == "uniform" and not observed.projected:
        output = observed.off.silenced(len(observed.weights), output)
    observed.projected.append(output)
    return output


def _join_heads(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Concat(head_1, ..., head_H) is about to enter W^O (Vaswani et al. 2017, section 3.2.2)."""
    observed = _observed.get()
    if observed is None or observed.off is None or observed.off.how != "zero":
        return args
    observed.joined += 1
    return observed.off.silenced(observed.joined - 1, args[0]), *args[1:]


def _keep_attention(
    site: AttentionSite, module: nn.Module, args: Any, kwargs: dict[str, Any], output: Any
) -> None:
    observed = _observed.get()
    if observed is None:
        return
    weights = output[1]
    if weights is None:
        raise RuntimeError(
            f"{type(module).__name__} gave no attention weights: it must be loaded with eager "
            "attention."
        )
    observed.weights.append(weights[0])  # (1, H, T, T) -> (H, T, T)
    observed.heads.append(site.split_heads(observed.projected, kwargs))
    observed.allowed.append(_allowed(kwargs.get("attention_mask")))
    observed.projected = []


def _allowed(mask: Tensor | None) -> Tensor | None:
    """transformers adds 0 where attention is allowed; our masks are boolean, True there."""
    if mask is None or mask.ndim != 4:
        return None
    allowed = mask[0, 0] if mask.dtype == torch.bool else mask[0, 0] == 0  # (1, 1, T, T) -> (T, T)
    return None if allowed.all() else allowed


def split_heads(n_heads: int, projected: list[Tensor], kwargs: dict[str, Any]) -> Heads:
    """Read q, k and v off three separate projections, (1, T, H*K) each -> (T, H, K)."""
    q, k, v = (x[0].unflatten(-1, (n_heads, -1)) for x in projected)
    return q, k, v
