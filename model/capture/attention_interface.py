"""Attention function for models that let their caller choose one; it fills the hooks' records.

Axes: B texts, H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K d_head.
"""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from model.capture.attention_hooks import AttentionRecord, LayerAttention, current_record, read_mask
from model.capture.recorder import run_with_hook
from model.capture.sites import Stack, to_cpu


class UnknownAttentionError(Exception):
    """A layer computes attention in a way that a capture cannot represent."""


@dataclass
class FoundAttention:
    """Contexts (1, Tq, H, K), weights (1, H, Tq, Tk), sink (1, H, Tq) and W^O of a layer."""

    module: nn.Module
    context: Tensor
    weights: Tensor
    sink: Tensor | None = None
    output: nn.Module | None = None


_stacks: WeakKeyDictionary[nn.Module, Stack] = WeakKeyDictionary()
_found: ContextVar[list[FoundAttention] | None] = ContextVar("found_attention", default=None)


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Tensor | None = None,
    s_aux: Tensor | None = None,
    **settings: Any,
) -> tuple[Tensor, Tensor]:
    """Attention(Q, K, V) = softmax(QK^T / sqrt(d_k)) V (Vaswani et al. 2017, eq. 1).

    The operations have the order of transformers' eager functions, so that results are equal to the
    bit. Dropout is not applied: models run in eval mode.

    Args:
        query: (B, H, Tq, K), as it enters the dot product.
        key: (B, G, Tk, K).
        value: (B, G, Tk, K).
        attention_mask: Added to the scores, (1 or B, 1 or H, Tq, at least Tk); None for no mask.
        scaling: Factor on the scores; None: 1 / sqrt(K).
        position_bias: Added to the scaled scores, (1, 1 or H, Tq, Tk); None for no bias (T5).
        s_aux: Score of each head's sink, (H,), a key without a value (gpt-oss); None without sinks.

    Raises:
        UnknownAttentionError: If scores are capped, or values have another width than keys.
    """
    if settings.get("softcap") is not None or value.shape[-1] != query.shape[-1]:
        raise UnknownAttentionError
    record, stack = current_record(), _stacks.get(module)
    if record is not None and stack is not None:
        query = _uniform(record, stack, query)
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    groups = query.shape[1] // key.shape[1]
    # (B, G, Tk, K) -> (B, H, Tk, K): neighbouring query heads share a head of keys and values
    keys, values = (x.repeat_interleave(groups, dim=1) if groups > 1 else x for x in (key, value))
    scores = torch.matmul(query, keys.transpose(2, 3)) * scale
    if position_bias is not None:
        scores = scores + position_bias
    if attention_mask is not None:
        if attention_mask.shape[-1] > keys.shape[-2]:  # the same object in all layers otherwise
            attention_mask = attention_mask[..., : keys.shape[-2]]
        scores = scores + attention_mask
    sink = None
    if s_aux is None:
        weights = scores.softmax(dim=-1, dtype=torch.float32).to(query.dtype)
    else:
        sinks = s_aux.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)  # (H,) -> (B, H, Tq, 1)
        scores = torch.cat([scores, sinks], dim=-1)  # (B, H, Tq, Tk + 1)
        every = (scores - scores.max(dim=-1, keepdim=True).values).softmax(dim=-1)
        weights, sink = every[..., :-1].to(query.dtype), every[..., -1]
    # (B, H, Tq, K) -> (B, Tq, H, K)
    context = torch.matmul(weights, values).transpose(1, 2).contiguous()
    if record is not None and stack is not None:
        parts = query, key, value
        _write(record, stack, weights, parts, attention_mask, scale, position_bias, sink)
    if (found := _found.get()) is not None:
        found.append(FoundAttention(module, context, weights, sink))
    return context, weights


def set_stack(modules: Iterable[nn.Module], stack: Stack) -> None:
    """State the stack of attention modules; others are not recorded."""
    for module in modules:
        _stacks[module] = stack


def find_attention(
    model: nn.Module, run: Callable[[], object], linear: tuple[type[nn.Module], ...]
) -> list[FoundAttention]:
    """Run a model once and find its attention layers with their W^O, in the order of the layers.

    W^O is the linear map whose input is the contexts of the heads (Vaswani et al. 2017, section
    3.2.2). Call it before other threads use the model, because it installs hooks for the run.
    """
    found: list[FoundAttention] = []

    def match(module: nn.Module, args: tuple[Any, ...], *_: Any) -> None:
        last = found[-1] if found else None
        if last and last.output is None and _same(args[0], last.context):
            last.output = module

    token = _found.set(found)
    try:
        run_with_hook([each for each in model.modules() if isinstance(each, linear)], match, run)
    finally:
        _found.reset(token)
    return found


def _same(states: Tensor, context: Tensor) -> bool:
    # (1, Tq, H*K) and (1, Tq, H, K)
    return states.numel() == context.numel() and torch.equal(states.flatten(), context.flatten())


def _uniform(record: AttentionRecord, stack: Stack, query: Tensor) -> Tensor:
    """Let the switched-off heads attend uniformly: queries of zeros give equal scores."""
    off = record.off
    if off is None or off.how != "uniform" or off.stack != stack:
        return query
    # (B, H, Tq, K) -> (B, Tq, H*K) and back
    joined = off.zero_heads(len(record.stack(stack)), query.transpose(1, 2).flatten(2))
    return joined.unflatten(2, (query.shape[1], -1)).transpose(1, 2)


def _write(
    record: AttentionRecord,
    stack: Stack,
    weights: Tensor,
    heads: tuple[Tensor, Tensor, Tensor],
    mask: Tensor | None,
    scale: float,
    bias: Tensor | None,
    sink: Tensor | None,
) -> None:
    allowed = read_mask(record, mask, weights.shape)
    if bias is not None and not bias.any():  # as layers without distances have it
        bias = None
    # A view of a fused projection would keep the whole of it in memory.
    heads = tuple(x.clone() if x.untyped_storage().nbytes() > x.nbytes else x for x in heads)  # type: ignore[assignment]
    for index, own in enumerate(weights):  # (B, H, Tq, Tk) -> (H, Tq, Tk)
        # (B, H or G, T, K) -> (T, H or G, K)
        query, key, value = (to_cpu(x[index].transpose(0, 1)) for x in heads)
        row = record.row(index)
        row.layers.append(
            LayerAttention(
                stack=stack,
                weights=row.gather(stack, own),
                heads=(query, key, value),
                allowed=allowed,
                scale=None if scale == query.shape[-1] ** -0.5 else scale,
                # (1, 1 or H, Tq, Tk) -> (H, Tq, Tk)
                bias=None if bias is None else to_cpu(bias.expand_as(weights)[index]),
                sink=None if sink is None else to_cpu(sink[index]),
            )
        )
