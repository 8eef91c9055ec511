"""Description of a mask: enough to build it and to name it."""

import base64
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from model.transformer import masks
from model.transformer.attention import causal_mask, padding_mask
from model.transformer.cost import Sizes
from web.language import _

MAX_TOKENS = 64
"""Longest sentence under a mask: scratch's training length, and cells large enough to click."""

MAX_PADDING = 8

BASIC_MASKS = ("none", "padding", "causal", "both", "drawn")

PADDED_MASKS = ("padding", "both", "drawn")
"""Masks that are shown with padding after the sentence."""


def _window_with_global(n_tokens: int, reach: int, n_global: int) -> Tensor:
    return masks.with_global(masks.sliding_window(n_tokens, reach), n_global)


@dataclass(frozen=True)
class Pattern:
    """A pattern of efficient attention.

    Attributes:
        build: Makes the mask (T, T) from the number of tokens and the sizes.
        keys: Session keys of the sizes, in the order of ``build``'s parameters.
        code: Python expression that calls ``build``, with a place for each size.
    """

    build: Callable[..., Tensor]
    keys: tuple[str, ...]
    code: str


PATTERNS = {
    "window": Pattern(masks.sliding_window, ("reach",), "masks.sliding_window(n, {})"),
    "dilated": Pattern(
        masks.dilated_window, ("reach", "dilation"), "masks.dilated_window(n, {}, {})"
    ),
    "global": Pattern(
        _window_with_global,
        ("reach", "n_global"),
        "masks.with_global(masks.sliding_window(n, {}), {})",
    ),
    "random": Pattern(
        masks.global_and_random,
        ("block", "n_global", "n_random", "mask_seed"),
        "masks.global_and_random(n, {}, {}, {}, {})",
    ),
    "block": Pattern(masks.block_sparse, ("block",), "masks.block_sparse(n, {})"),
    "strided": Pattern(masks.strided, ("stride",), "masks.strided(n, {})"),
}


@dataclass(frozen=True)
class MaskSpec:
    """A mask as the widgets describe it.

    Attributes:
        kind: One of :data:`BASIC_MASKS` or :data:`PATTERNS`.
        sizes: Sizes of a pattern, in the order of :attr:`Pattern.keys`; empty for a basic mask.
        causal: Whether a pattern also hides later tokens.
        inverted: Whether allowed and hidden are swapped.
        drawn: A drawn mask as :func:`pack_mask` writes it; empty: nothing is hidden.
    """

    kind: str
    sizes: tuple[int, ...] = ()
    causal: bool = False
    inverted: bool = False
    drawn: str = ""

    @classmethod
    def from_state(cls, state: Mapping[Any, Any]) -> "MaskSpec":
        """Read the values of the widgets by their keys."""
        kind = state["mask_kind"]
        keys = PATTERNS[kind].keys if kind in PATTERNS else ()
        return cls(
            kind,
            tuple(state[key] for key in keys),
            state["causal_too"] and kind in PATTERNS,
            state["inverted"],
            state["drawn_mask"],
        )

    @property
    def name(self) -> str:
        """The mask's name on screen, with what is done to it."""
        name = mask_names()[self.kind].lower()
        if self.causal:
            name = _("{mask}, causal").format(mask=name)
        return _("{mask}, inverted").format(mask=name) if self.inverted else name

    def upright(self) -> "MaskSpec":
        """Return the same mask without the inversion."""
        return replace(self, inverted=False)

    def build(self, n_tokens: int, n_padding: int) -> Tensor:
        """Build the mask: (T, T), True where allowed. A query may have no key left.

        Args:
            n_tokens: Number of tokens T, padding included.
            n_padding: How many of the last tokens are padding.
        """
        mask = self._base(n_tokens, n_padding)
        if self.causal:
            mask = mask & causal_mask(n_tokens)
        return ~mask if self.inverted else mask

    def _base(self, n_tokens: int, n_padding: int) -> Tensor:
        if self.kind in PATTERNS:
            return PATTERNS[self.kind].build(n_tokens, *self.sizes)
        if self.kind == "drawn" and self.drawn:
            return unpack_mask(self.drawn)
        mask = torch.ones(n_tokens, n_tokens, dtype=torch.bool)
        if self.kind in ("causal", "both"):
            mask = mask & causal_mask(n_tokens)
        if self.kind in ("padding", "both"):
            # (1, 1, 1, T) -> (1, T)
            mask = mask & padding_mask(torch.tensor([n_tokens - n_padding]), n_tokens)[0, 0]
        return mask


def pattern_sizes() -> Sizes:
    """Sizes of all patterns and approximations, as the widgets have them."""
    state = st.session_state
    return Sizes(
        reach=state["reach"],
        dilation=state["dilation"],
        n_global=state["n_global"],
        block=state["block"],
        n_random=state["n_random"],
        stride=state["stride"],
        rank=state["rank"],
        n_features=state["features"],
    )


def mask_names() -> dict[str, str]:
    """Names of all masks, in the reader's language."""
    return {
        "none": _("None"),
        "padding": _("Padding"),
        "causal": _("Causal"),
        "both": _("Padding + causal"),
        "drawn": _("Drawn"),
        "window": _("Window"),
        "dilated": _("Dilated"),
        "global": _("Window + global"),
        "random": _("Global + random"),
        "block": _("Blocks"),
        "strided": _("Strided"),
    }


def pack_mask(mask: Tensor) -> str:
    """Write a mask (T, T) for a URL: ``16.`` and its bits, row by row, in base64url."""
    bits = np.packbits(mask.numpy().ravel()).tobytes()
    return f"{len(mask)}.{base64.urlsafe_b64encode(bits).decode().rstrip('=')}"


def unpack_mask(text: str) -> Tensor:
    """Read what :func:`pack_mask` wrote: (T, T).

    Raises:
        ValueError: If the text is no mask, or the mask is too large.
    """
    count, _dot, encoded = text.partition(".")
    n_tokens = int(count)
    if not 1 <= n_tokens <= MAX_TOKENS + MAX_PADDING:
        raise ValueError(text)
    data = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    if len(data) != math.ceil(n_tokens**2 / 8):
        raise ValueError(text)
    bits = np.unpackbits(np.frombuffer(data, np.uint8))[: n_tokens**2].astype(bool)
    return torch.from_numpy(bits.reshape(n_tokens, n_tokens))  # (T * T,) -> (T, T)


def read_drawn(text: str) -> str:
    """Check a drawn mask of a URL, and return it still packed.

    Raises:
        ValueError: As :func:`unpack_mask` does.
    """
    unpack_mask(text)
    return text
