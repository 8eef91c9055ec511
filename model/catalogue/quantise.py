"""Quantisation of checkpoints to a few bits for each weight.

Each row of a matrix has a 16-bit scale, so that its largest weight is a whole number of steps.
Vectors (biases, gains) stay in 16 bits.

Axes: R rows, C columns of a matrix, E width of the token table.
"""

import numpy as np
import torch
from torch import Tensor

TABLE = "encoder.embeddings.token.weight"
"""The token table holds more than half of all weights, so its bits decide the file size."""

BITS = 8
RARE_BITS = 5
"""Bits of the table rows of rare tokens, which hardly ever occur in a sentence."""

FREQUENT = 6_000
"""Number of most frequent tokens whose rows have :data:`BITS`."""


def quantise(state: dict[str, Tensor], by_frequency: Tensor | None = None) -> dict[str, Tensor]:
    """Pack a state dict; ids ``by_frequency`` give rare tokens fewer bits; None: all have 8."""
    packed: dict[str, Tensor] = {}
    if by_frequency is not None:
        packed["by_frequency"] = by_frequency.to(torch.int16)
    for name, weight in state.items():
        if name == TABLE and by_frequency is not None:
            rows = weight[by_frequency]  # (vocab_size, E)
            packed |= _matrix(f"{name}.frequent", rows[:FREQUENT], BITS)
            packed |= _matrix(f"{name}.rare", rows[FREQUENT:], RARE_BITS)
        elif weight.ndim == 2:
            packed |= _matrix(name, weight, BITS)
        else:
            packed[name] = weight.half()
    return packed


def restore(packed: dict[str, Tensor]) -> dict[str, Tensor]:
    """Unpack the tensors of :func:`quantise` to float32."""
    state = {}
    for name, tensor in packed.items():
        if name.endswith(".scale"):
            matrix = name.removesuffix(".scale")
            bits = RARE_BITS if matrix.endswith(".rare") else BITS
            n_columns = int(packed[f"{matrix}.columns"])
            state[matrix] = _unpack(packed[f"{matrix}.bits"], tensor, bits, n_columns)
        elif not name.endswith((".bits", ".columns")) and name != "by_frequency":
            state[name] = tensor.float()
    if "by_frequency" not in packed:
        return state
    by_frequency = packed["by_frequency"].long()
    rows = torch.cat((state.pop(f"{TABLE}.frequent"), state.pop(f"{TABLE}.rare")))
    state[TABLE] = torch.empty_like(rows)
    state[TABLE][by_frequency] = rows
    return state


def _matrix(name: str, weight: Tensor, bits: int) -> dict[str, Tensor]:
    most = 2 ** (bits - 1) - 1  # whole numbers from -most to most
    scale = (weight.abs().amax(dim=1) / most).half().clamp(min=torch.finfo(torch.half).tiny)
    whole = (weight / scale.float()[:, None]).round().clamp(-most, most) + most  # 0 ... 2 most
    unsigned = whole.to(torch.uint8).numpy()[..., None]  # (R, C) -> (R, C, 1)
    each = np.unpackbits(unsigned, axis=-1)[..., 8 - bits :]  # (R, C, bits)
    rows = each.reshape(len(weight), -1)  # (R, C, bits) -> (R, C * bits)
    return {
        f"{name}.bits": torch.from_numpy(np.packbits(rows, axis=1)),
        f"{name}.scale": scale,
        f"{name}.columns": torch.tensor(weight.shape[1]),
    }


def _unpack(packed: Tensor, scale: Tensor, bits: int, n_columns: int) -> Tensor:
    n_rows = len(packed)
    each = np.unpackbits(packed.numpy(), axis=1)[:, : n_columns * bits]
    each = each.reshape(n_rows, n_columns, bits)  # (R, C * bits) -> (R, C, bits)
    lead = np.zeros((n_rows, n_columns, 8 - bits), dtype=np.uint8)
    whole = np.packbits(np.concatenate((lead, each), axis=-1), axis=-1)[..., 0]  # (R, C)
    signed = torch.from_numpy(whole).float() - (2 ** (bits - 1) - 1)
    return signed * scale.float()[:, None]
