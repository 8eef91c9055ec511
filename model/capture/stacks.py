"""Conversion of a recorded forward pass into a capture of each stack.

Axes: L n_layers, H n_heads, T tokens (Tq queries, Tk keys; Ts source, Tt target).
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch

from model.capture.attention_hooks import AttentionRecord, LayerAttention
from model.capture.record import AttentionCapture
from model.capture.sites import QKV, Stack
from model.capture.tokens import Keys, Tokens


class Origin(Protocol):
    """A model that a capture names."""

    @property
    def name(self) -> str:
        """The catalogue name, hub id or folder that it was loaded by."""

    @property
    def origin(self) -> Mapping[str, str]:
        """Versions, revision and weights of the model."""


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def to_capture(
    record: AttentionRecord,
    tokens: Tokens,
    model: Origin,
    text: str,
    text_pair: str | None,
    *,
    stack: Stack = "encoder",
    keys: tuple[str, Tokens] | None = None,
) -> AttentionCapture:
    """Convert one stack of a record into a capture.

    The weights are gathered into one new array. q, k and v are not copied: the outputs of the
    projections belong to this forward pass alone. ``keys`` are the text and tokens of the keys, Tk;
    by default the queries'.
    """
    layers = _spread(record, stack)
    return AttentionCapture(
        model=model.name,
        origin=model.origin,
        text=text,
        text_pair=text_pair,
        **_sequence(tokens),
        # L x (H, Tq, Tk) -> (L, H, Tq, Tk)
        weights=_frozen(_gathered(record, stack).numpy()),
        **_heads(layers),
        allowed=_each([layer.allowed for layer in layers]),
        stack=stack,
        scale=_scales(layers),
        bias=_each([layer.bias for layer in layers])
        if any(layer.bias is not None for layer in layers)
        else None,
        other_keys=None if keys is None else to_keys(*keys),
        sink=_sinks(layers),
        attention_layers=record.numbers,
    )


def to_keys(text: str, tokens: Tokens, text_pair: str | None = None) -> Keys:
    """Convert a text's tokens into the fields of a capture that describe them."""
    return Keys(text=text, text_pair=text_pair, **_sequence(tokens))


def _spread(record: AttentionRecord, stack: Stack) -> list[LayerAttention]:
    """All layers; where there is no attention, nothing is allowed, and q, k and v are NaN."""
    layers = record.stack(stack)
    if record.numbers is None:
        return layers
    first = layers[0]
    none = LayerAttention(
        stack,
        torch.zeros_like(first.weights),
        heads=None if first.heads is None else _unknown(first.heads),
        allowed=torch.zeros(first.weights.shape[1:], dtype=torch.bool),
        scale=0.0 if any(each.scale is not None for each in layers) else None,
    )
    known = dict(zip(record.numbers, layers, strict=True))
    return [known.get(layer, none) for layer in range(record.n_layers)]


def _unknown(heads: QKV) -> QKV:
    q, k, v = (torch.full_like(x, math.nan) for x in heads)
    return q, k, v


def _sequence(tokens: Tokens) -> dict[str, Any]:
    """Fields of a capture that describe a sequence of tokens."""
    return {
        "tokens": tokens.pieces,
        "token_ids": tokens.ids,
        "offsets": tokens.offsets,
        "word_ids": tokens.word_ids,
        "segment_ids": tokens.segment_ids,
        "special": _frozen(np.array([word is None for word in tokens.word_ids])),
        "left_out": tokens.left_out,
    }


def _gathered(record: AttentionRecord, stack: Stack) -> torch.Tensor:
    if stack in record.gathered:
        return record.gathered[stack]
    return torch.stack([layer.weights for layer in record.stack(stack)])


def _heads(layers: list[LayerAttention]) -> dict[str, Any]:
    """q, k and v of each layer; empty if they are unknown."""
    known = [layer.heads for layer in layers if layer.heads is not None]
    columns = zip(*known, strict=True) if known else ((), (), ())  # L x (q, k, v) -> 3 x L
    return {
        name: tuple(_frozen(array.numpy()) for array in arrays)
        for name, arrays in zip(("q", "k", "v"), columns, strict=True)
    }


def _each(tensors: list[torch.Tensor | None]) -> tuple[np.ndarray | None, ...]:
    return tuple(None if tensor is None else _frozen(tensor.numpy()) for tensor in tensors)


def _sinks(layers: list[LayerAttention]) -> np.ndarray | None:
    """Weight of the sinks, (L, H, Tq), 0 in a layer without one; None if no layer has one."""
    if all(layer.sink is None for layer in layers):
        return None
    none = torch.zeros(layers[0].weights.shape[:2])  # (H, Tq)
    return _frozen(torch.stack([none if x.sink is None else x.sink for x in layers]).numpy())


def _scales(layers: list[LayerAttention]) -> tuple[float, ...] | None:
    """Scale of each layer; None if all layers divide by sqrt(K)."""
    if all(layer.scale is None for layer in layers):
        return None
    return tuple(
        1 / math.sqrt(layer.heads[0].shape[-1]) if layer.scale is None else layer.scale
        for layer in layers
        if layer.heads is not None
    )


class Stacks(NamedTuple):
    """Captures of an encoder-decoder: (L, H, Ts, Ts), (L, H, Tt, Tt) masked, and (L, H, Tt, Ts).

    The queries of ``decoder`` and ``cross`` are the decoder's input, the start token first. Row i
    is therefore the attention that chose token i + 1.
    """

    encoder: AttentionCapture
    decoder: AttentionCapture
    cross: AttentionCapture


def to_captures(
    record: AttentionRecord, model: Origin, source: tuple[str, Tokens], target: tuple[str, Tokens]
) -> Stacks:
    """Convert the record of an encoder-decoder, one pass over all tokens, into its captures."""
    (text, tokens), (written, inputs) = source, target
    return Stacks(
        encoder=to_capture(record, tokens, model, text, None),
        decoder=to_capture(record, inputs, model, written, None, stack="decoder"),
        cross=to_capture(record, inputs, model, written, None, stack="cross", keys=source),
    )
