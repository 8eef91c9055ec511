"""What the Decoder page's address carries."""

import base64
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from model.transformer.cost import FLOATS
from pages.decoder.part import PART
from pages.shared.address import Parameter
from pages.shared.parameters import (
    VIEW,
    between,
    one_of,
    read_flag,
    whole_between,
    write_flag,
)

OURS = ("scratch", "scratch-minilm", "scratch-untrained")

MOST_TOKENS = 64
"""Of a sentence under a mask: what scratch learned from, and what cells can be clicked among."""

MOST_PADDING = 8

MASKS = ("none", "padding", "causal", "both", "drawn")
PATTERNS = ("window", "dilated", "global", "random", "block", "strided")
"""Besides masks, the patterns of efficient attention."""

PADDED = ("padding", "both", "drawn")
"""Masks that are shown with padding behind the sentence."""

BELOW = ("weight", "layers", "reach", "cost", "forms")
FORMS = ("low_rank", "kernel", "hashed")
HELD = ("head", "layer", "all")

MOST_N = 1_048_576


def read_drawn(text: str) -> str:
    """Check a drawn mask as the link has it: ``16.`` and its bits, row by row, in base64url."""
    unpack(text)
    return text


def pack(mask: Tensor) -> str:
    """Write a mask (T, T) for a link."""
    bits = np.packbits(mask.numpy().ravel()).tobytes()
    return f"{len(mask)}.{base64.urlsafe_b64encode(bits).decode().rstrip('=')}"


def unpack(text: str) -> Tensor:
    """Read what :func:`pack` wrote.

    Raises:
        ValueError: If it is none, or larger than what is shown.
    """
    count, _, encoded = text.partition(".")
    n_tokens = int(count)
    if not 1 <= n_tokens <= MOST_TOKENS + MOST_PADDING:
        raise ValueError(text)
    data = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    if len(data) != math.ceil(n_tokens**2 / 8):
        raise ValueError(text)
    bits = np.unpackbits(np.frombuffer(data, np.uint8))[: n_tokens**2].astype(bool)
    return torch.from_numpy(bits.reshape(n_tokens, n_tokens))


def _masked(*kinds: str) -> Callable[[], bool]:
    """While one of these masks is shown, or what all of them cost."""
    return lambda: st.session_state["mask_kind"] in kinds or st.session_state["below"] in ("cost",)


def _below(*views: str) -> Callable[[], bool]:
    return lambda: st.session_state["below"] in views


PARAMETERS: dict[str, Parameter] = {
    "part": PART,
    "text": VIEW["text"],
    "encoder": Parameter("scratch", one_of(*OURS)),
    "mask": Parameter("causal", one_of(*MASKS, *PATTERNS), always=True, key="mask_kind"),
    "below": Parameter("weight", one_of(*BELOW)),
    "inverted": Parameter(False, read_flag, write_flag),
    "causal": Parameter(
        False, read_flag, write_flag, relevant=_masked(*PATTERNS), key="causal_too"
    ),
    "pads": Parameter(3, whole_between(0, MOST_PADDING), relevant=_masked(*PADDED)),
    "cells": Parameter("", read_drawn, relevant=_masked("drawn"), key="drawn_mask"),
    "reach": Parameter(2, whole_between(0, 4096), relevant=_masked("window", "dilated", "global")),
    "dilation": Parameter(2, whole_between(1, 64), relevant=_masked("dilated")),
    "global": Parameter(
        1, whole_between(0, 64), relevant=_masked("global", "random"), key="n_global"
    ),
    "block": Parameter(2, whole_between(1, 4096), relevant=_masked("random", "block")),
    "random": Parameter(1, whole_between(0, 64), relevant=_masked("random"), key="n_random"),
    "stride": Parameter(4, whole_between(1, 4096), relevant=_masked("strided")),
    "draw": Parameter(0, whole_between(0, 10**6), relevant=_masked("random"), key="mask_seed"),
    # scratch's L2·H0 looks ahead, often for the verb: what a causal mask takes is seen at once.
    "layer": replace(VIEW["layer"], default=2, key="mask_layer"),
    "head": replace(VIEW["head"], default=0, key="mask_head"),
    "changed": Parameter(-1, whole_between(-1, MOST_TOKENS - 1), relevant=_below("weight")),
    "n": Parameter(512, whole_between(1, MOST_N), relevant=_below("cost")),
    "layers": Parameter(12, whole_between(1, 1000), relevant=_below("cost"), key="cost_layers"),
    "heads": Parameter(12, whole_between(1, 1000), relevant=_below("cost"), key="cost_heads"),
    "d_model": Parameter(768, whole_between(1, 100_000), relevant=_below("cost"), key="cost_width"),
    "number": Parameter("fp32", one_of(*FLOATS), relevant=_below("cost")),
    "held": Parameter("all", one_of(*HELD), relevant=_below("cost")),
    "memory": Parameter(24.0, between(0.001, 1e6), "{:g}".format, relevant=_below("cost")),
    "form": Parameter("low_rank", one_of(*FORMS), relevant=_below("forms"), key="other_form"),
    "rank": Parameter(4, whole_between(1, 4096), relevant=_below("forms", "cost")),
    "features": Parameter(64, whole_between(1, 65_536), relevant=_below("forms", "cost")),
    "buckets": Parameter(4, whole_between(2, 64), relevant=_below("forms")),
    "seed": Parameter(0, whole_between(0, 10**6), relevant=_below("forms"), key="form_seed"),
}
"""The mask and the view below come first: they decide which of the others matter."""
