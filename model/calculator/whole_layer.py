"""A whole layer of an encoder or a decoder, with all intermediate results, in float64.

Vaswani et al. 2017, section 3.1 and figure 1.

Axes: T tokens (Tq queries, Tk keys, Ts source tokens), D d_model, F d_ff, H n_heads, K d_head; I
inputs and O outputs of a linear map.
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

OwnLayer = EncoderLayer | DecoderLayer


def whole_layer(
    layer: OwnLayer,
    x: Tensor,
    mask: Tensor | None = None,
    memory: Tensor | None = None,
    memory_mask: Tensor | None = None,
) -> WholeLayer:
    """Compute a layer from its input, with every step.

    Args:
        layer: A layer of this project.
        x: The input, (T, D).
        mask: Mask of the self-attention, boolean, broadcastable to (T, T).
        memory: Output of the encoder, (Ts, D), for a layer with cross-attention.
        memory_mask: Mask of the cross-attention, boolean, broadcastable to (T, Ts).

    Raises:
        HeadlightError: If a query has every key masked.
    """
    stream = entry = x.double()
    source = None if memory is None else memory.double()
    sublayers = []
    for part, module, norm in _modules(layer):
        compute: Callable[[Tensor], Attended | Fed]
        if isinstance(module, FeedForward):
            compute = partial(_feed_forward, module)
        elif part == "cross":
            compute = partial(_attention, module, memory_mask, source)
        else:
            compute = partial(_attention, module, mask, None)
        sublayers.append(_add_and_norm(part, stream, norm, compute, pre_norm=layer.pre_norm))
        stream = sublayers[-1].result
    return WholeLayer(entry, layer.pre_norm, tuple(sublayers))


def from_inputs(layer: OwnLayer, inputs: tuple[Any, ...]) -> WholeLayer:
    """Compute a layer from the arguments of its call in a forward pass.

    Args:
        layer: A layer of this project.
        inputs: The arguments of the call without the batch axis, (T, D); see
            :func:`model.capture.module_calls.passages`.

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
    """A result that also exists in the model's forward pass.

    Attributes:
        matrix: Name of the result, as in :func:`layer_matrices`.
        module: The module with this output.
        computed: The result, (T, D).
    """

    matrix: str
    module: nn.Module
    computed: Tensor


def checkpoints(layer: OwnLayer, whole: WholeLayer) -> tuple[Checkpoint, ...]:
    """The results to compare with a forward pass: sublayers, norms, and the layer itself.

    Args:
        layer: The layer.
        whole: The same layer, computed.
    """
    found = []
    for (part, module, norm), sublayer in zip(_modules(layer), whole.sublayers, strict=True):
        found.append(Checkpoint(f"{part}_output", module, sublayer.inner.output.result))
        found.append(Checkpoint(f"{part}_norm", norm, sublayer.norm.result))
    last = "ffn_added" if whole.pre_norm else "ffn_norm"
    return (*found, Checkpoint(last, layer, whole.output))


def modules(layer: OwnLayer) -> list[nn.Module]:
    """The modules behind :func:`checkpoints`, without the layer itself.

    Args:
        layer: The layer.
    """
    return [module for _, *pair in _modules(layer) for module in pair]


def _modules(
    layer: OwnLayer,
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
    compute: Callable[[Tensor], Attended | Fed],
    *,
    pre_norm: bool,
) -> Sublayer:
    if pre_norm:  # x + Sublayer(LayerNorm(x)), Xiong et al. 2020, figure 1b
        normed = _layer_norm(norm, x)
        inner = compute(normed.result)
        added = x + inner.output.result
        return Sublayer(part, x, inner, added, normed, added)
    inner = compute(x)  # LayerNorm(x + Sublayer(x)), Vaswani et al. 2017, section 3.1
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
    if mask is not None:  # equal for all heads: (..., Tq, Tk) -> (Tq, Tk)
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
    # (O, I) -> (I, O), and (O,)
    weight, bias = linear.weight.detach().double().T, linear.bias.detach().double()
    return Affine(x, weight, bias, x @ weight + bias)  # (T, I) @ (I, O) + (O,) -> (T, O)
