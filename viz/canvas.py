"""Binary payloads for the views that the browser draws on a canvas.

Weights are sent in 16 bits, half the size of float32, as multiples of 1/40,000: odd, or exact. So
the browser prints two and four decimals exactly as of the true weight.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

MAX_SIDE = 128
"""Larger thumbnails are pooled: no screen shows 72 of them at a higher resolution."""

FIRST_SIDE = 36
"""Cells on a side of a thumbnail in the first message of a long sentence. With 72 heads, one is 33
to 40 pixels wide."""

WHOLE = 40_000
"""A weight of 1."""

MAX_WHOLE = 2**15
"""Cells of a head that the first message has exactly; more would delay the thumbnails."""

MASKED = 65_535
"""A cell that the model's mask hides. It has no weight."""


def pack(meta: dict[str, Any], weights: np.ndarray, allowed: np.ndarray | None = None) -> bytes:
    """Encode a JSON header and weights as one message.

    Layout: header length in bytes (uint32, little-endian), header (UTF-8), lower bytes of all
    weights, upper bytes of all weights. Most upper bytes are 0, so separate planes compress to
    a sixth less.

    Args:
        allowed: Boolean, broadcast to the shape of ``weights``. False cells become :data:`MASKED`.
    """
    return join(meta, _cells(weights, allowed))


def join(meta: dict[str, Any], cells: np.ndarray) -> bytes:
    """Join a header and cells; see :func:`pack`."""
    header = json.dumps(meta).encode()
    lower, upper = cells & 0xFF, cells >> 8
    planes = lower.astype(np.uint8).tobytes() + upper.astype(np.uint8).tobytes()
    return len(header).to_bytes(4, "little") + header + planes


def _cells(weights: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    cells = rounded_to_odd(weights)
    if allowed is not None:
        cells[~np.broadcast_to(allowed, cells.shape)] = MASKED
    return cells


def rounded_to_odd(weights: np.ndarray) -> np.ndarray:
    """Round weights between 0 and 1 to multiples of 1/40,000, uint16: inexact ones to odd ones.

    An odd multiple lies between ties of two and four decimals, so that a second rounding is right.
    Sums of weights and flows can exceed 1 by a rounding error; they are 1.
    """
    scaled = np.multiply(weights, WHOLE, dtype=np.float64)  # in float32 the product would round
    scaled = np.minimum(scaled, WHOLE)
    cells = scaled.astype("<u2")
    return np.bitwise_or(cells, scaled > cells, out=cells)


def pooled(weights: np.ndarray, max_side: int = MAX_SIDE) -> tuple[np.ndarray, tuple[int, int]]:
    """Shrink matrices (..., Tq, Tk) by the largest weight of blocks; return a block's sides.

    The mean would fade the thin diagonals, which matter most.
    """
    rows, columns = (-(-n_tokens // max_side) for n_tokens in weights.shape[-2:])
    if rows > 1:
        weights = _largest(weights, rows)
    if columns > 1:
        # (..., tq, Tk) -> (..., Tk, tq) -> (..., tk, tq) -> (..., tq, tk)
        weights = _largest(weights.swapaxes(-1, -2), columns).swapaxes(-1, -2)
    return weights, (rows, columns)


def _largest(values: np.ndarray, block: int) -> np.ndarray:
    """The largest value of each block of rows, ten times as fast as np.maximum.reduceat."""
    largest = values[..., ::block, :].copy()
    for step in range(1, block):
        others = values[..., step::block, :]
        those = largest[..., : others.shape[-2], :]  # the last block may be smaller
        np.maximum(those, others, out=those)
    return largest


def reduce_cells(cells: np.ndarray, side: int = FIRST_SIDE) -> np.ndarray:
    """Reduce uint16 cells (..., tq, tk) to the largest of each block, for the first message.

    A block is masked if all of its cells are.
    """
    reduced = cells + np.uint16(1)  # adding 1 turns MASKED into 0, the smallest value
    for axis in (-2, -1):
        count = reduced.shape[axis]
        if count > side:
            starts = -(-np.arange(side + 1) * count // side)
            # np.maximum.reduceat takes four times as long.
            first, *others = (
                reduced.take(np.minimum(starts[:-1] + step, starts[1:] - 1), axis)
                for step in range(-(-count // side))
            )
            reduced = first
            for other in others:
                np.maximum(reduced, other, out=reduced)
    return reduced - np.uint16(1)


class HeadCells:
    """The cells of all heads as bytes, computed when a head is requested.

    They are half of the weights' size, and most heads are never drawn.
    """

    def __init__(
        self, weights: np.ndarray, allowed: np.ndarray | None, reduced: np.ndarray
    ) -> None:
        """Keep weights (L, H, Tq, Tk), a mask that broadcasts to them, and :func:`reduce_cells`."""
        self.nbytes: int = weights.nbytes
        self._reduced = reduced
        self._weights = weights
        self._allowed = None if allowed is None else np.broadcast_to(allowed, weights.shape)

    def __len__(self) -> int:
        return 2 * self._weights.size

    def __getitem__(self, part: slice) -> bytes:
        """Return the bytes of a range, from the heads that it covers."""
        _n_layers, n_heads, rows, columns = self._weights.shape
        head_bytes = 2 * rows * columns
        first = part.start // head_bytes
        cells = b""
        for index in range(first, -(-part.stop // head_bytes)):
            head = divmod(index, n_heads)
            allowed = None if self._allowed is None else self._allowed[head]
            cells += _cells(self._weights[head], allowed).tobytes()
        return cells[part.start - first * head_bytes : part.stop - first * head_bytes]

    def fingerprint(self) -> bytes:
        """Return bytes that differ if weights differ: the largest of each block, and the sum."""
        return self._reduced.tobytes() + self._weights.sum(dtype=np.float64).tobytes()


StoreCells = Callable[[HeadCells], str]
"""Stores the cells of all heads (uint16, by rows) and returns their URL."""


def heads_of(
    weights: np.ndarray,
    labels: list[str],
    *,
    key_labels: list[str] | None = None,
    allowed: np.ndarray | None = None,
    store: StoreCells | None = None,
    whole: tuple[int, int] | None = None,
    **meta: Any,
) -> tuple[dict[str, Any], np.ndarray]:
    """Return header and cells of all heads of one model for one sentence.

    Args:
        weights: (n_layers, n_heads, Tq, Tk).
        labels: Distinct labels of the queries, length Tq.
        key_labels: Distinct labels of the keys, length Tk. None if the keys are the queries.
        allowed: Cells that the mask allows, boolean, (Tq, Tk) or (n_layers, 1, Tq, Tk). None allows
            all cells.
        store: With it, the cells are only those that a screen can show if there are more. None: all
            cells.
        whole: Layer and head whose cells follow if the others are reduced, unless they are many.
    """
    n_layers, n_heads, size, n_columns = weights.shape
    header = {"layers": n_layers, "heads": n_heads, "size": size, "labels": labels, **meta}
    if key_labels is not None:
        header["keys"] = {"size": n_columns, "labels": key_labels}
    if store is None or max(size, n_columns) <= FIRST_SIDE:
        return header, _cells(weights, allowed)
    # The largest weights of blocks: rounding every weight would cost more than the forward pass.
    largest, open_cells = pooled(weights)[0], None if allowed is None else pooled(allowed)[0]
    cells = reduce_cells(_cells(largest, open_cells))
    header["first"] = {"rows": cells.shape[-2], "columns": cells.shape[-1]}
    kept = HeadCells(weights, allowed, cells)
    header["exact"] = store(kept)
    if whole is not None and size * n_columns <= MAX_WHOLE:
        header["whole"] = index = whole[0] * n_heads + whole[1]
        head_bytes = 2 * size * n_columns
        exact = np.frombuffer(kept[index * head_bytes : (index + 1) * head_bytes], "<u2")
        cells = np.concatenate([cells.ravel(), exact])
    return header, cells
