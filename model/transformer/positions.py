"""Position encodings. Attention alone does not depend on the order of the tokens.

Axes: L positions, P some positions, T tokens, D d_model, K d_head.
"""

import math

import torch
from torch import Tensor

from model.errors import HeadlightError, check_least


def sinusoidal_encoding(
    max_len: int, d_model: int, *, base: float = 10_000.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Table of sinusoids, (max_len, d_model), even columns sine, odd cosine (Vaswani, section 3.5).

    PE(pos, 2i) = sin(pos / base^(2i / d_model)),  PE(pos, 2i + 1) = cos(the same angle).

    Args:
        d_model: Number of dimensions; even, because each frequency has a sine and a cosine.
        base: The paper's 10000: wavelengths run from 2 pi to base * 2 pi.
        dtype: Type of the result. The angles are float64: float32 loses digits at large positions.

    Raises:
        HeadlightError: If d_model is odd or not positive, max_len is below 1, or the base is not a
            finite number above 0.
    """
    check_least("max_len", max_len)
    return sinusoids_at(torch.arange(max_len), d_model, base).to(dtype)


def sinusoids_at(positions: Tensor, d_model: int, base: float = 10_000.0) -> Tensor:
    """Compute the sinusoids of some positions: (P,) -> (P, d_model), float64."""
    angles = positions.double()[:, None] * frequencies(d_model, base)  # (P, d_model / 2)
    interleaved = torch.stack((angles.sin(), angles.cos()), dim=-1)  # (P, d_model / 2, 2)
    return interleaved.flatten(1)  # (P, d_model / 2, 2) -> (P, d_model)


def frequencies(d_model: int, base: float = 10_000.0) -> Tensor:
    """Radians by which each pair of dimensions turns per position, (d_model / 2,), float64.

    omega_i = base^(-2i / d_model). The wavelength of a pair is 2 pi / omega_i positions.
    """
    if d_model < 2 or d_model % 2:
        raise HeadlightError(
            "Sinusoids need pairs of dimensions, so d_model must be even and at least 2, not "
            "{d_model}.",
            d_model=d_model,
        )
    if not (math.isfinite(base) and base > 0):
        raise HeadlightError("The base must be a finite number above 0, not {base}.", base=base)
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    return 1 / base**exponents


def rotary(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """Rotate each pair of neighbouring dimensions by an angle that grows with the position.

    Dot products of rotated queries and keys depend on the offset alone (Su et al. 2021, "RoFormer",
    section 3.2.2, eq. 15). K must be even.
    """
    angles = positions.double()[:, None] * frequencies(x.shape[-1], base)  # (T, K / 2)
    even, odd = x[..., 0::2].double(), x[..., 1::2].double()  # (..., T, K / 2) each
    turned = torch.stack(
        (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()), -1
    )
    return turned.flatten(-2).to(x.dtype)  # (..., T, K / 2, 2) -> (..., T, K)


def alibi_slopes(n_heads: int) -> Tensor:
    """Slope with which the bias of each head falls with distance, (n_heads,), float64.

    For a power of two: 2^(-8 h / n), h = 1..n. Otherwise the slopes of the next lower power of two,
    then every second slope of the next higher one (Press et al. 2022, "Train Short, Test Long",
    section 3, and the authors' published code).
    """
    check_least("n_heads", n_heads)
    below = 2 ** int(math.log2(n_heads))
    first = _powers(below)
    return torch.cat((first, _powers(2 * below)[0::2][: n_heads - below]))


def _powers(n_heads: int) -> Tensor:
    return 2.0 ** (-8 * torch.arange(1, n_heads + 1, dtype=torch.float64) / n_heads)


def alibi_bias(n_tokens: int, slope: float) -> Tensor:
    """Compute the bias that a head adds to its scores: -slope * |query - key|, (T, T), float64.

    Press et al. define it for decoders; encoders usually use the distance in both directions.
    """
    positions = torch.arange(n_tokens, dtype=torch.float64)
    return -slope * (positions[:, None] - positions).abs()


def relative_buckets(n_tokens: int, n_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """Assign a bucket to each (query, key) pair by key - query: (T, T), int64.

    Pairs in a bucket share a learned bias. Half of the buckets look back, half ahead. Of each half,
    the first buckets hold one distance each and the others grow logarithmically up to
    ``max_distance`` (Raffel et al. 2020, "T5", section 2.1, as in the published code for encoders).
    """
    positions = torch.arange(n_tokens)
    offset = positions - positions[:, None]  # key - query
    half = n_buckets // 2
    exact = half // 2
    distance = offset.abs()
    ratio = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    spread = (exact + (ratio * (half - exact)).long()).clamp(max=half - 1)
    return (offset > 0) * half + torch.where(distance < exact, distance, spread)


def cosines(table: Tensor) -> Tensor:
    """Cosine similarity of all pairs of rows: (L, D) -> (L, L), float64; 0 for a row of zeros."""
    rows = torch.nn.functional.normalize(table.double(), dim=-1)
    return rows @ rows.T  # (L, D) @ (D, L) -> (L, L)
