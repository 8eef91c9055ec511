"""Numbers of a lesson computed by arithmetic, by the Calculator or by an experiment."""

import math
from dataclasses import replace
from typing import Literal

import torch
from pydantic import NonNegativeInt

from lessons.value import entry, value
from model.calculator import PRESETS, from_qkv, numbers, scaling
from model.calculator.matrices import head_matrices
from model.calculator.norms import batch_norm, layer_norm
from model.transformer.attention import causal_mask
from model.transformer.masks import sliding_window
from model.transformer.positions import frequencies
from web.cache.shared_cache import SMALL_BYTES, shared

Pattern = Literal["full", "causal", "window"]

_spread = shared(SMALL_BYTES)(scaling.spread)


@value
def constant(number: float) -> float:
    """A constant."""
    return number


@value
def cell(
    example: str,
    matrix: str,
    query: NonNegativeInt,
    key: NonNegativeInt,
    scaled: bool | None = None,
    mask: Literal["none", "causal", "padding"] | None = None,
    shared: bool = False,
) -> float:
    """A cell of the first head of one of the Calculator's examples."""
    found = PRESETS.get(example)
    if found is None or "Q" not in found.cells:  # others begin with X and W_Q
        raise LookupError(f"no example {example} with Q, K and V")
    q, k, v = (numbers(name, found.cells[name]) for name in ("Q", "K", "V"))
    settings = found.settings
    if scaled is not None:
        settings = replace(settings, scaled=scaled)
    if mask is not None:
        settings = replace(settings, mask=mask)
    arrays = head_matrices(from_qkv(q, q if shared else k, v, settings), 0)
    return entry(arrays[matrix], query, key)


NumberMatrix = tuple[tuple[float, ...], ...]


@value
def norm(
    of: Literal["layer", "batch"],
    a: NumberMatrix,
    b: NumberMatrix,
    sentence: Literal["a", "b"],
    token: NonNegativeInt,
    feature: NonNegativeInt,
) -> float:
    """One number of a normalised batch of two sentences of one shape."""
    x = torch.tensor([a, b], dtype=torch.float64)
    output = (layer_norm if of == "layer" else batch_norm)(x).output
    return entry(output, "ab".index(sentence), token, feature)


@value
def spread(
    d_k: int, of: Literal["std_raw", "std_scaled", "largest_raw", "largest_scaled"]
) -> float:
    """A measurement of the √d_k experiment with the page's default settings."""
    measured = _spread(0, 16)
    return float(getattr(measured, of)[measured.d_k.tolist().index(d_k)])


@value
def cells(n: NonNegativeInt, pattern: Pattern = "full", reach: int = 2) -> float:
    """The number of cells that a mask leaves for n tokens in one head."""
    if pattern == "full":
        return n * n
    mask = sliding_window(n, reach) if pattern == "window" else causal_mask(n)
    return float(mask.sum())


@value
def wavelength(pair: NonNegativeInt, d_model: int = 128) -> float:
    """The wavelength of a pair of sinusoids, in positions."""
    return 2 * math.pi / entry(frequencies(d_model), pair)
