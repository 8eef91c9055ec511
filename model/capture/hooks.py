"""Forward hooks: one mechanism to see, and to change, the attention of every model.

The hooks are installed once, when a model is loaded, and write to an observation that lives in a
context variable. Without one they do nothing; with one, each thread writes to its own, so many
users can share one model.

Axes: L n_layers, H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K d_head.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

from model.capture.sites import AttentionSite, Call, Heads, Stack


@dataclass(frozen=True)
class HeadsOff:
    """Heads to switch off in a forward pass.

    Attributes:
        heads: Pairs (layer, head).
        how: ``"zero"``: nothing of the head's context enters W^O; its weights stay as they are.
            ``"uniform"``: it attends to every allowed token alike (but for a bias on the scores,
            which stays).
        d_head: K, of the model's heads.
        stack: Whose layers are counted.
    """

    heads: frozenset[tuple[int, int]]
    how: Literal["zero", "uniform"]
    d_head: int
    stack: Stack = "encoder"

    def silenced(self, layer: int, x: Tensor) -> Tensor:
        """Put zeros where the heads of a layer stand: (..., H*K) with heads side by side."""
        if all(off_layer != layer for off_layer, _ in self.heads):
            return x
        x = x.clone()
        for off_layer, head in self.heads:
            if off_layer == layer:
                x[..., head * self.d_head : (head + 1) * self.d_head] = 0
        return x


@dataclass(frozen=True)
class SeenLayer:
    """What one layer's attention did.

    Attributes:
        stack: Whose layer it is.
        weights: (H, Tq, Tk), after softmax.
        heads: q (Tq, H, K), k and v (Tk, G, K).
        allowed: Boolean (Tq, Tk), True where the mask allows attention; None if it hides nothing.
        scale: What the raw scores were multiplied by; None: 1 / sqrt(K).
        bias: What was added to them then, (H, Tq, Tk); None: nothing.
    """

    stack: Stack
    weights: Tensor
    heads: Heads
    allowed: Tensor | None
    scale: float | None
    bias: Tensor | None


@dataclass
class Observed:
    """What the hooks saw in one forward pass, in the order in which it ran, and what they change.

    One pass through an encoder and a decoder runs all layers of the encoder, then by turns a
    decoder's attention among its own tokens and the one to the encoder's: :meth:`stack` sorts them.
    """

    layers: list[SeenLayer] = field(default_factory=list)
    projected: list[Tensor] = field(default_factory=list)  # of the layer now running
    joined: Counter[Stack] = field(default_factory=Counter)  # layers whose heads entered W^O
    off: HeadsOff | None = None
    n_layers: int = 0  # of each stack; 0: nobody said
    gathered: dict[Stack, Tensor] = field(default_factory=dict)  # their weights, (L, H, Tq, Tk)
    # The mask last seen, for which shape, and what was read off it: one serves a stack's layers.
    mask: tuple[Tensor, torch.Size, Tensor | None] | None = None

    def stack(self, name: Stack) -> list[SeenLayer]:
        """The layers of one stack, in their order."""
        return [layer for layer in self.layers if layer.stack == name]

    def gather(self, name: Stack, weights: Tensor) -> Tensor:
        """Move a layer's weights (H, Tq, Tk) to where those of its stack lie one behind another.

        The next layer can then compute in the memory that these leave: those of 30 layers of 512
        tokens would otherwise be held twice when they are put together.
        """
        if not self.n_layers:
            return weights
        if name not in self.gathered:
            self.gathered[name] = weights.new_empty((self.n_layers, *weights.shape))
        return self.gathered[name][len(self.stack(name))].copy_(weights)

    @property
    def weights(self) -> list[Tensor]:
        """Those of all layers that ran, (H, Tq, Tk) each."""
        return [layer.weights for layer in self.layers]


_observed: ContextVar[Observed | None] = ContextVar("attention_observed", default=None)


@contextmanager
def recording(off: HeadsOff | None = None, n_layers: int = 0) -> Iterator[Observed]:
    """Record the attention of one forward pass of this thread inside the block.

    Args:
        off: Heads that are switched off meanwhile, for this thread alone.
        n_layers: Of each stack that runs, so that their weights are gathered as they come.
    """
    observed = Observed(off=off, n_layers=n_layers)
    token = _observed.set(observed)
    try:
        yield observed
    finally:
        _observed.reset(token)


def install_hooks(
    sites: Iterable[AttentionSite], outputs: Iterable[nn.Module] = (), stack: Stack = "encoder"
) -> None:
    """Make the sites write to what the thread that runs them observes, if it observes anything.

    A module that is shared by several layers (ALBERT) gets its hook once, and fires per layer.
    Stacks may be hooked in one call or several.

    Args:
        sites: The modules that compute attention, of any stacks.
        outputs: W^O of each layer of one stack: where its heads are switched off.
        stack: Which one that is.
    """
    for site in sites:
        for projection in site.projections:
            projection.register_forward_hook(partial(_keep_projection, site.stack))
        site.module.register_forward_hook(partial(_keep_attention, site), with_kwargs=True)
    for output in dict.fromkeys(outputs):
        output.register_forward_pre_hook(partial(_join_heads, stack))


def _keep_projection(stack: Stack, module: nn.Module, args: Any, output: Tensor) -> Tensor:
    observed = _observed.get()
    if observed is None:
        return output
    off = observed.off
    # The first map is W^Q, also where all three are fused. Queries of zeros score every key alike:
    # softmax then spreads the weights evenly over whatever the model's own mask allows.
    if off and off.stack == stack and off.how == "uniform" and not observed.projected:
        output = off.silenced(len(observed.stack(stack)), output)
    observed.projected.append(output)
    return output


def _join_heads(stack: Stack, module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Concat(head_1, ..., head_H) is about to enter W^O (Vaswani et al. 2017, section 3.2.2)."""
    observed = _observed.get()
    if observed is None or observed.off is None:
        return args
    if observed.off.how != "zero" or observed.off.stack != stack:
        return args
    observed.joined[stack] += 1
    return observed.off.silenced(observed.joined[stack] - 1, args[0]), *args[1:]


def _keep_attention(
    site: AttentionSite, module: nn.Module, args: Any, kwargs: dict[str, Any], output: Any
) -> None:
    observed = _observed.get()
    if observed is None:
        return
    call = Call(args, kwargs, output)
    weights, bias = site.weights(call), site.bias(call)
    if weights is None:
        raise RuntimeError(
            f"{type(module).__name__} gave no attention weights: it must be loaded with eager "
            "attention."
        )
    seen = SeenLayer(
        stack=site.stack,
        weights=observed.gather(site.stack, weights[0]),  # (1, H, Tq, Tk) -> (H, Tq, Tk)
        heads=site.split_heads(observed.projected, kwargs),
        allowed=_read_once(observed, site.mask(call), weights.shape),
        scale=site.scale,
        bias=None if bias is None else bias.expand(weights.shape)[0],
    )
    observed.layers.append(seen)
    observed.projected = []


def _read_once(observed: Observed, mask: Tensor | None, shape: torch.Size) -> Tensor | None:
    if mask is None:
        return None
    # A mask of the keys alone fits the queries of an encoder and, of another number, a decoder's.
    if observed.mask is None or observed.mask[0] is not mask or observed.mask[1] != shape:
        observed.mask = mask, shape, _allowed(mask, shape)
    return observed.mask[2]


def _allowed(mask: Tensor | None, shape: torch.Size) -> Tensor | None:
    """transformers adds 0 where attention is allowed; our masks are boolean, True there.

    Args:
        mask: Broadcastable to (1, 1, Tq, Tk).
        shape: Of the weights, (1, H, Tq, Tk).
    """
    if mask is None or (mask.dtype != torch.bool and mask.ndim != 4):
        return None
    allowed = mask if mask.dtype == torch.bool else mask == 0
    if allowed.all():
        return None
    if allowed.ndim == 4 and not (allowed[0] == allowed[0, :1]).all():
        raise RuntimeError("The heads of a layer have masks of their own: a capture holds one.")
    # (..., Tq or 1, Tk or 1) -> (1, H, Tq, Tk) -> (Tq, Tk), in memory of its own
    return allowed.expand(shape)[0, 0].clone(memory_format=torch.contiguous_format)
