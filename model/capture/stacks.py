"""What the hooks saw in one pass, as a capture of each stack.

Axes: L n_layers, H n_heads, T tokens (Tq queries, Tk keys; Ts source, Tt target).
"""

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from model.capture.hooks import Observed, SeenLayer
from model.capture.record import AttentionCapture
from model.capture.sites import Stack
from model.capture.tokens import Keys, Tokens


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def to_capture(
    observed: Observed,
    tokens: Tokens,
    model: str,
    text: str,
    text_pair: str | None,
    *,
    stack: Stack = "encoder",
    keys: tuple[str, Tokens] | None = None,
) -> AttentionCapture:
    """Turn what the hooks saw of one stack into plain arrays.

    The weights are gathered into one new array. q, k and v are not copied: the projections'
    outputs belong to this forward pass alone, and the capture keeps them.

    Args:
        observed: One pass over all tokens.
        tokens: Those that attend, Tq of them.
        model: Its name.
        text: That the tokens are of.
        text_pair: Their second sentence, or None.
        stack: Whose layers.
        keys: The text attended to, and its tokens, Tk of them; the same as attend unless given.
    """
    layers = observed.stack(stack)
    other_keys = None
    if keys is not None:
        key_text, key_tokens = keys
        other_keys = Keys(text=key_text, text_pair=None, **_sequence(key_tokens))
    return AttentionCapture(
        model=model,
        text=text,
        text_pair=text_pair,
        **_sequence(tokens),
        # L x (H, Tq, Tk) -> (L, H, Tq, Tk)
        weights=_frozen(_gathered(observed, stack).numpy()),
        q=tuple(_frozen(layer.heads[0].numpy()) for layer in layers),
        k=tuple(_frozen(layer.heads[1].numpy()) for layer in layers),
        v=tuple(_frozen(layer.heads[2].numpy()) for layer in layers),
        allowed=_each([layer.allowed for layer in layers]),
        stack=stack,
        scale=_scales(layers),
        bias=_each([layer.bias for layer in layers])
        if any(layer.bias is not None for layer in layers)
        else None,
        other_keys=other_keys,
    )


def _sequence(tokens: Tokens) -> dict[str, Any]:
    """What a capture says of tokens."""
    return {
        "tokens": tokens.pieces,
        "token_ids": tokens.ids,
        "offsets": tokens.offsets,
        "word_ids": tokens.word_ids,
        "segment_ids": tokens.segment_ids,
        "special": _frozen(np.array([word is None for word in tokens.word_ids])),
        "left_out": tokens.left_out,
    }


def _gathered(observed: Observed, stack: Stack) -> torch.Tensor:
    if stack in observed.gathered:
        return observed.gathered[stack]
    return torch.stack([layer.weights for layer in observed.stack(stack)])


def _each(tensors: list[torch.Tensor | None]) -> tuple[np.ndarray | None, ...]:
    return tuple(None if tensor is None else _frozen(tensor.numpy()) for tensor in tensors)


def _scales(layers: list[SeenLayer]) -> tuple[float, ...] | None:
    """Each layer's factor; None where all divide by sqrt(K)."""
    if all(layer.scale is None for layer in layers):
        return None
    d_head = layers[0].heads[0].shape[-1]
    return tuple(1 / math.sqrt(d_head) if x.scale is None else x.scale for x in layers)


class Stacks(NamedTuple):
    """The captures of an encoder-decoder on a text and what it wrote: Ts tokens read, Tt written.

    Row i of ``decoder`` and ``cross`` is what was seen when token i + 1 was chosen: the tokens that
    attend are those that go into the decoder, the one that begins a text first.

    Attributes:
        encoder: (L, H, Ts, Ts).
        decoder: (L, H, Tt, Tt), masked: no token sees a later one.
        cross: (L, H, Tt, Ts).
    """

    encoder: AttentionCapture
    decoder: AttentionCapture
    cross: AttentionCapture


def to_captures(
    observed: Observed, model: str, source: tuple[str, Tokens], target: tuple[str, Tokens]
) -> Stacks:
    """Turn what the hooks saw of an encoder-decoder into a capture of each stack.

    Args:
        observed: One pass of all source tokens through the encoder and all target tokens through
            the decoder, without a cache: what was written, run once more.
        model: Its name.
        source: The text read, and its tokens.
        target: The text written, and the tokens that went into the decoder.
    """
    (text, tokens), (written, written_tokens) = source, target
    return Stacks(
        encoder=to_capture(observed, tokens, model, text, None),
        decoder=to_capture(observed, written_tokens, model, written, None, stack="decoder"),
        cross=to_capture(
            observed, written_tokens, model, written, None, stack="cross", keys=source
        ),
    )
