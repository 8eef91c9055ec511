"""Numbers of a lesson computed by arithmetic, by the Calculator or by an experiment."""

import math
from dataclasses import replace
from typing import Literal

import torch
from pydantic import NonNegativeInt
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from lessons.value import entry, value
from model import HeadlightError
from model.calculator import PRESETS, from_qkv, numbers, scaling
from model.calculator.matrices import head_matrices
from model.calculator.norms import batch_norm, layer_norm
from model.transformer.attention import causal_mask, scaled_dot_product_attention
from model.transformer.masks import sliding_window
from model.transformer.positions import frequencies
from web.cache.shared_cache import SMALL_BYTES, shared

Pattern = Literal["full", "causal", "window"]


@shared(SMALL_BYTES)
def _spread(seed: int, n_keys: int) -> scaling.Spread:
    return scaling.spread(seed, n_keys)


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
        raise HeadlightError("There is no example {name} with Q, K and V.", name=example)
    q, k, v = (numbers(name, found.cells[name]) for name in ("Q", "K", "V"))
    settings = found.settings
    if scaled is not None:
        settings = replace(settings, scaled=scaled)
    if mask is not None:
        settings = replace(settings, mask=mask)
    arrays = head_matrices(from_qkv(q, q if shared else k, v, settings), 0)
    if matrix not in arrays:
        raise HeadlightError("The example has no matrix {name}.", name=matrix)
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
    d_k: int,
    of: Literal[
        "std_raw", "std_scaled", "entropy_raw", "entropy_scaled",
        "gradient_raw", "gradient_scaled", "largest_raw", "largest_scaled",
    ],
) -> float:  # fmt: skip
    """A measurement of the √d_k experiment with the page's default settings."""
    measured = _spread(0, 16)
    sizes = measured.d_k.tolist()
    if d_k not in sizes:
        raise HeadlightError("The experiment has no d_k of {d_k}.", d_k=d_k)
    return float(getattr(measured, of)[sizes.index(d_k)])


def _mask(n: int, pattern: Pattern, reach: int) -> torch.Tensor:
    if pattern == "window":
        return sliding_window(n, reach)
    return causal_mask(n) if pattern == "causal" else torch.ones(n, n, dtype=torch.bool)


@value
def cells(n: int, pattern: Pattern = "full", reach: int = 2) -> float:
    """The number of cells that a mask leaves for n tokens in one head."""
    return float(_mask(n, pattern, reach).sum())


@value
def layers_to(query: NonNegativeInt, key: NonNegativeInt, reach: int) -> float:
    """The number of layers after which a sliding window connects two tokens (counted from 0)."""
    return math.ceil(abs(query - key) / reach)


@value
def wavelength(pair: NonNegativeInt, d_model: int = 128) -> float:
    """The wavelength of a pair of sinusoids, in positions."""
    return 2 * math.pi / entry(frequencies(d_model), pair)


@value
def products(n: int, pattern: Pattern = "full", reach: int = 2) -> float:
    """The number of products q · k that attention computes for n tokens under a mask."""
    q = torch.ones(n, 4)  # (T, K), K = 4
    with FlopCounterMode(display=False) as counter:
        scaled_dot_product_attention(q, q, q, _mask(n, pattern, reach))
    # 2 d_k operations for each q · k, and as many for the context.
    return sum(counter.flop_counts["Global"].values()) / (4 * q.shape[1])


@value
def dropout(p: float) -> float:
    """The factor on the weights that dropout keeps in training, measured on 4,096 equal weights."""
    n = 64
    same, identity = torch.zeros(n, 1).double(), torch.eye(n).double()
    steps = scaled_dot_product_attention(same, same, identity, dropout=p)
    return float((steps.context / steps.weights).max())  # the context is what is left of them


@value
def leak(is_causal: bool) -> float:
    """The largest change of PyTorch's first output if the later keys and values are replaced."""
    x = torch.arange(24.0).reshape(1, 6, 4).sin()  # (1, T, K)
    other = torch.cat((x[:, :1], -x[:, 1:]), dim=1)
    one, two = (
        functional.scaled_dot_product_attention(x, keys, keys, is_causal=is_causal)
        for keys in (x, other)
    )
    return float((one[:, 0] - two[:, 0]).abs().max())
