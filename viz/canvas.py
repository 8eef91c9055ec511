"""Compact payloads for the views that the browser draws itself.

Weights travel as whole ten-thousandths in 16 bits: the browser then prints exactly the four
decimals of the true number, at half the size of a float32.
"""

import json
from typing import Any

import numpy as np

MAX_SIDE = 128
"""Thumbnails larger than this are pooled: no screen shows 72 of them sharper."""


def pack(meta: dict[str, Any], weights: np.ndarray) -> bytes:
    """Join a JSON header and weights into one message.

    Layout: header length in bytes (uint32), header (UTF-8, padded to even length), then one
    uint16 per weight, all little-endian.
    """
    header = json.dumps(meta).encode()
    header += b" " * (len(header) % 2)
    cells = ten_thousandths(weights).tobytes()
    return len(header).to_bytes(4, "little") + header + cells


def ten_thousandths(weights: np.ndarray) -> np.ndarray:
    """Round weights in [0, 1] to whole ten-thousandths, uint16."""
    # float64, or the product itself would round, and ties print the wrong last digit; in place,
    # since fresh memory for every step costs more than the arithmetic.
    scaled = np.multiply(weights, 10_000, dtype=np.float64)
    return np.rint(scaled, out=scaled).astype("<u2")


def thumbnail_block(n_tokens: int, max_side: int = MAX_SIDE) -> int:
    """Tokens on a side of the block that shares one cell of a thumbnail; 1 if none does."""
    return -(-n_tokens // max_side)


def pooled(weights: np.ndarray, max_side: int = MAX_SIDE) -> tuple[np.ndarray, int]:
    """Shrink large matrices to thumbnails: the largest weight of each block survives.

    Args:
        weights: (..., T, T).
        max_side: Most rows and columns of the result.

    Returns:
        The thumbnails (..., t, t) and the block's side in tokens; 1 if nothing was pooled. The
        maximum rather than the mean, or the thin diagonals that matter most would fade.
    """
    n_tokens = weights.shape[-1]
    block = thumbnail_block(n_tokens, max_side)
    if block == 1:
        return weights, 1
    starts = np.arange(0, n_tokens, block)
    rows = np.maximum.reduceat(weights, starts, axis=-2)
    return np.maximum.reduceat(rows, starts, axis=-1), block


def overview_payload(weights: np.ndarray, labels: list[str], **meta: Any) -> bytes:
    """All heads of one model on one sentence.

    Args:
        weights: (n_layers, n_heads, T, T).
        labels: Distinct token names, length T.
        **meta: What else the view needs; JSON.
    """
    thumbnails, block = pooled(weights)
    n_layers, n_heads, size, _ = thumbnails.shape
    header = {
        "layers": n_layers,
        "heads": n_heads,
        "size": size,
        "block": block,
        "labels": labels,
        **meta,
    }
    return pack(header, thumbnails)


def lines_payload(weights: np.ndarray, labels: list[str], **meta: Any) -> bytes:
    """Several heads of one model, exact, for the lines view.

    Args:
        weights: (heads, T, T).
        labels: Distinct token names, length T.
        **meta: What else the view needs, the heads' names and colours among it; JSON.
    """
    return pack({"heads": len(weights), "size": len(labels), "labels": labels, **meta}, weights)


def thumbnails_payload(sides: list[tuple[np.ndarray, dict[str, Any]]], max_side: int = 64) -> bytes:
    """Every head of several models, small, for views that show one of them at a time.

    Args:
        sides: Per model its heads' weights (N, T, T), and what the view needs to know; JSON.
        max_side: Most rows and columns of a thumbnail.
    """
    meta, parts = [], []
    for weights, known in sides:
        thumbnails, block = pooled(weights, max_side)
        meta.append({"heads": len(weights), "size": thumbnails.shape[-1], "block": block, **known})
        parts.append(thumbnails.ravel())
    return pack({"sides": meta}, np.concatenate(parts))


def decoding_payload(cross: np.ndarray, decoder: np.ndarray, **meta: Any) -> bytes:
    """A translation as it was written, for the view that scrubs through it.

    Args:
        cross: Cross-attention of what was written, (Tt, Ts).
        decoder: Masked self-attention of the same rows, (Tt, Tt).
        **meta: What else the view needs: the tokens, the candidates of each step; JSON.
    """
    header = {"rows": len(decoder), **meta}
    return pack(header, np.concatenate([cross.ravel(), decoder.ravel()]))
