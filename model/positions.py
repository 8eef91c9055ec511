"""Position encodings: attention itself cannot tell one order of the words from another."""

import torch
from torch import Tensor

from model.errors import HeadlightError


def sinusoidal_encoding(
    max_len: int, d_model: int, *, base: float = 10_000.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Table of sinusoids, sine and cosine interleaved (Vaswani et al. 2017, section 3.5).

    PE(pos, 2i) = sin(pos / base^(2i / d_model)),  PE(pos, 2i + 1) = cos(the same angle).

    Args:
        max_len: Number of positions, at least 1.
        d_model: Number of dimensions; even, since every frequency takes a sine and a cosine.
        base: The paper's 10000: wavelengths run from 2 pi to base * 2 pi.
        dtype: Of the result. The angles are always computed in float64: in float32 they lose
            digits at far positions.

    Returns:
        (max_len, d_model); even columns sine, odd columns cosine.

    Raises:
        HeadlightError: If d_model is odd or not positive, or max_len is below 1.
    """
    if d_model < 2 or d_model % 2:
        raise HeadlightError(
            "Sinusoids come in pairs: d_model must be even and at least 2, not {d_model}.",
            d_model=d_model,
        )
    if max_len < 1:
        raise HeadlightError("max_len must be at least 1, not {max_len}.", max_len=max_len)
    positions = torch.arange(max_len, dtype=torch.float64)
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    angles = positions[:, None] / base**exponents  # (max_len, d_model / 2)
    interleaved = torch.stack((angles.sin(), angles.cos()), dim=-1)  # (max_len, d_model / 2, 2)
    return interleaved.flatten(1).to(dtype)  # (max_len, d_model)
