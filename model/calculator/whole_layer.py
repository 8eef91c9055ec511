"""A whole layer of an encoder or a decoder, with everything between its entrance and its exit.

Axes: T tokens (Tq queries, Tk keys), D d_model, F d_ff, H n_heads, K d_head; I and O, the width of
what goes into a linear map and of what comes out.

Vaswani et al. 2017, section 3.1 and figure 1. Everything is worked out in float64.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from model.calculator.layer_parts import Affine, Attended, Fed, Normed, Part, Sublayer, WholeLayer
from model.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from model.transformer.decoder import DecoderLayer
from model.transformer.encoder import EncoderLayer, FeedForward

OurLayer = EncoderLayer | DecoderLayer


def whole_layer(
    layer: OurLayer,
    x: Tensor,
    mask: Tensor | None = None,
    memory: Tensor | None = None,
    memory_mask: Tensor | None = None,
) -> WholeLayer:
    """Work a layer out anew from what enters it, and keep every step.

    Args:
        layer: One of ours, whatever its weights are.
        x: What enters, (T, D).
        mask: Of the attention to the layer's own tokens: boolean, broadcastable to (T, T).
        memory: What the encoder put out, (Ts, D), for a decoder layer that looks at a source.
        memory_mask: Of the attention to it, broadcastable to (T, Ts).

    Raises:
        HeadlightError: If a query has every key masked.
    """
    entrance = stream = x.double()
    source = None if memory is None else memory.double()
    sublayers = []
    for part, module, norm in _modules(layer):
        work: Callable[[Tensor], Attended | Fed]
        if isinstance(module, FeedForward):
            work = partial(_feed_forward, module)
        elif part == "cross":
            work = partial(_attention, module, memory_mask, source)
        else:
            work = partial(_attention, module, mask, None)
        sublayers.append(_add_and_norm(part, stream, norm, work, pre_norm=layer.pre_norm))
        stream = sublayers[-1].result
    return WholeLayer(entrance, layer.pre_norm, tuple(sublayers))


def from_inputs(layer: OurLayer, inputs: tuple[Any, ...]) -> WholeLayer:
    """Work a layer out anew from what it was called with in a forward pass.

    Args:
        layer: One of ours.
        inputs: As its stack calls it, (T, D) without the batch; see
            :func:`model.capture.states.passages`.

    Raises:
        HeadlightError: If a query has every key masked.
    """
    if isinstance(layer, DecoderLayer):
        x, memory, mask, memory_mask, *_ = inputs
        return whole_layer(layer, x, mask, memory, memory_mask)
    x, mask = inputs
    return whole_layer(layer, x, mask)


@dataclass(frozen=True)
class Checkpoint:
    """Where a forward pass can be held to a calculation.

    Attributes:
        matrix: The name of what is worked out, as :func:`layer_matrices` has it.
        module: Whose output it is in the model.
        worked_out: (T, D).
    """

    matrix: str
    module: nn.Module
    worked_out: Tensor


def checkpoints(layer: OurLayer, whole: WholeLayer) -> tuple[Checkpoint, ...]:
    """What a forward pass through a layer can be held to: sublayers, norms, and the layer itself.

    Args:
        layer: That was worked out.
        whole: All of it.
    """
    found = []
    for (part, module, norm), sublayer in zip(_modules(layer), whole.sublayers, strict=True):
        found.append(Checkpoint(f"{part}_output", module, sublayer.inner.output.result))
        found.append(Checkpoint(f"{part}_norm", norm, sublayer.norm.result))
    last = "ffn_added" if whole.pre_norm else "ffn_norm"
    return (*found, Checkpoint(last, layer, whole.output))


def modules(layer: OurLayer) -> list[nn.Module]:
    """The modules of a layer that a forward pass can be held to, the layer itself left out."""
    return [module for _, *pair in _modules(layer) for module in pair]


def _modules(
    layer: OurLayer,
) -> list[tuple[Part, MultiHeadAttention | FeedForward, nn.LayerNorm]]:
    found: list[tuple[Part, MultiHeadAttention | FeedForward, nn.LayerNorm]]
    found = [("self", layer.attention, layer.attention_norm)]
    if isinstance(layer, DecoderLayer) and layer.cross_attention is not None:
        found.append(("cross", layer.cross_attention, layer.cross_attention_norm))
    return [*found, ("ffn", layer.feed_forward, layer.feed_forward_norm)]


def _add_and_norm(
    part: Part,
    x: Tensor,
    norm: nn.LayerNorm,
    work: Callable[[Tensor], Attended | Fed],
    *,
    pre_norm: bool,
) -> Sublayer:
    if pre_norm:  # x + Sublayer(LayerNorm(x)), Xiong et al. 2020, figure 1b
        normed = _layer_norm(norm, x)
        inner = work(normed.result)
        added = x + inner.output.result
        return Sublayer(part, x, inner, added, normed, added)
    inner = work(x)  # LayerNorm(x + Sublayer(x)), section 3.1
    added = x + inner.output.result
    normed = _layer_norm(norm, added)
    return Sublayer(part, x, inner, added, normed, normed.result)


def _layer_norm(norm: nn.LayerNorm, x: Tensor) -> Normed:
    gain, bias = norm.weight.detach().double(), norm.bias.detach().double()
    mean = x.mean(-1, keepdim=True)  # (T, D) -> (T, 1)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)  # (T, 1)
    result = (x - mean) / (variance + norm.eps).sqrt() * gain + bias
    return Normed(x, mean, variance, norm.eps, gain, bias, result)


def _attention(
    attention: MultiHeadAttention, mask: Tensor | None, memory: Tensor | None, x: Tensor
) -> Attended:
    source = x if memory is None else memory
    q = _affine(attention.query, x)
    k, v = _affine(attention.key, source), _affine(attention.value, source)
    allowed = None
    if mask is not None:  # the same for every head: (..., Tq, Tk) -> (Tq, Tk)
        allowed = torch.broadcast_to(mask, (1, 1, len(x), len(source)))[0, 0]
    n_heads = attention.n_heads
    queries, keys, values = (  # (T, H*K) -> (T, H, K) -> (H, T, K)
        m.result.unflatten(-1, (n_heads, -1)).transpose(0, 1) for m in (q, k, v)
    )
    steps = scaled_dot_product_attention(queries, keys, values, allowed)
    concatenated = steps.context.transpose(0, 1).flatten(1)  # (H, Tq, K) -> (Tq, H, K) -> (Tq, H*K)
    output = _affine(attention.output, concatenated)
    return Attended(q, k, v, n_heads, allowed, steps, concatenated, output)


def _feed_forward(feed_forward: FeedForward, x: Tensor) -> Fed:
    hidden = _affine(feed_forward.expand, x)
    activated = feed_forward.activation(hidden.result)  # (T, F)
    output = _affine(feed_forward.contract, activated)
    gelu = isinstance(feed_forward.activation, nn.GELU)
    return Fed(hidden, "gelu" if gelu else "relu", activated, output)


def _affine(linear: nn.Linear, x: Tensor) -> Affine:
    weight, bias = linear.weight.detach().double().T, linear.bias.detach().double()
    return Affine(x, weight, bias, x @ weight + bias)  # (T, I) @ (I, O) + (O,) -> (T, O)
