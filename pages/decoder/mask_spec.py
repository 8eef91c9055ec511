"""Description of a mask: enough to build it and to name it."""

import base64
import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from model.transformer.attention import causal_mask, padding_mask
from model.transformer.masks import sliding_window
from web.language import N_, _, translated

MAX_TOKENS = 64
"""Longest sentence under a mask: scratch's training length, and cells large enough to click."""

MAX_PADDING = 8

MASK_NAMES = {
    "causal": N_("Causal mask"),
    "padding": N_("Padding mask"),
    "both": N_("Padding + causal"),
    "window": N_("Window mask"),
    "drawn": N_("Drawn mask"),
    "none": N_("No mask"),
}

PADDED_MASKS = ("padding", "both", "drawn")
"""Masks that are shown with padding after the sentence."""


@dataclass(frozen=True)
class MaskSpec:
    """A mask as the widgets describe it.

    Attributes:
        reach: Of a window, on each side.
        drawn: As :func:`pack_mask` writes it, or empty.
    """

    kind: str
    inverted: bool = False
    reach: int = 0
    drawn: str = ""

    @property
    def name(self) -> str:
        """The mask's name on screen, with what is done to it."""
        name = translated(MASK_NAMES[self.kind])
        return _("{mask}, inverted").format(mask=name) if self.inverted else name

    def upright(self) -> "MaskSpec":
        """Return the same mask without the inversion."""
        return replace(self, inverted=False)

    def build(self, n_tokens: int, n_padding: int) -> Tensor:
        """Build the mask: (T, T), True where allowed. A query may have no key left."""
        mask = self._base(n_tokens, n_padding)
        return ~mask if self.inverted else mask

    def _base(self, n_tokens: int, n_padding: int) -> Tensor:
        if self.kind == "drawn" and self.drawn:
            return unpack_mask(self.drawn)
        if self.kind == "window":
            return sliding_window(n_tokens, self.reach)
        mask = torch.ones(n_tokens, n_tokens, dtype=torch.bool)
        if self.kind in ("causal", "both"):
            mask = mask & causal_mask(n_tokens)
        if self.kind in ("padding", "both"):
            # (1, 1, 1, T) -> (1, T)
            mask = mask & padding_mask(torch.tensor([n_tokens - n_padding]), n_tokens)[0, 0]
        return mask


def pack_mask(mask: Tensor) -> str:
    """Write a mask (T, T) for a URL: ``16.`` and its bits, row by row, in base64url."""
    bits = np.packbits(mask.numpy().ravel()).tobytes()
    return f"{len(mask)}.{base64.urlsafe_b64encode(bits).decode().rstrip('=')}"


def unpack_mask(text: str) -> Tensor:
    """Read what :func:`pack_mask` wrote, (T, T); a ValueError if it is no mask or too large."""
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
    """Check a drawn mask of a URL, and return it still packed."""
    unpack_mask(text)
    return text
