"""Compact payloads for the views that the browser draws itself.

Weights travel as whole ten-thousandths in 16 bits: the browser then prints exactly the four
decimals of the true number, at half the size of a float32.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

MAX_SIDE = 128
"""Thumbnails larger than this are pooled: no screen shows 72 of them sharper."""

FIRST_SIDE = 36
"""Cells on a side of a thumbnail in an overview's first message: a square that all 72 heads leave
room for is 33 to 40 pixels wide."""

MASKED = 65_535
"""A cell that the model's mask hides: no weight, not even 0. Ten-thousandths end at 10,000."""


def pack(meta: dict[str, Any], weights: np.ndarray, allowed: np.ndarray | None = None) -> bytes:
    """Join a JSON header and weights into one message.

    Layout: header length in bytes (uint32, little-endian), header (UTF-8), then of one uint16 per
    weight the lower bytes of all, and the upper bytes of all: most of these are 0, and side by side
    they compress to a sixth less.

    Args:
        meta: The header.
        weights: Of any shape.
        allowed: Boolean, of a shape that broadcasts to theirs, False where :data:`MASKED` is sent.
    """
    return _joined(meta, _cells(weights, allowed))


def _joined(meta: dict[str, Any], cells: np.ndarray) -> bytes:
    header = json.dumps(meta).encode()
    lower, upper = cells & 0xFF, cells >> 8
    planes = lower.astype(np.uint8).tobytes() + upper.astype(np.uint8).tobytes()
    return len(header).to_bytes(4, "little") + header + planes


def _cells(weights: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    cells = ten_thousandths(weights)
    if allowed is not None:
        cells[~np.broadcast_to(allowed, cells.shape)] = MASKED
    return cells


def ten_thousandths(weights: np.ndarray) -> np.ndarray:
    """Round weights in [0, 1] to whole ten-thousandths, uint16."""
    # float64, or the product itself would round, and ties print the wrong last digit; in place,
    # since fresh memory for every step costs more than the arithmetic.
    scaled = np.multiply(weights, 10_000, dtype=np.float64)
    return np.rint(scaled, out=scaled).astype("<u2")


def thumbnail_block(n_tokens: int, max_side: int = MAX_SIDE) -> int:
    """Tokens on a side of the block that shares one cell of a thumbnail; 1 if none does."""
    return -(-n_tokens // max_side)


def pooled(weights: np.ndarray, max_side: int = MAX_SIDE) -> tuple[np.ndarray, tuple[int, int]]:
    """Shrink large matrices to thumbnails: the largest weight of each block survives.

    Args:
        weights: (..., Tq, Tk); or what a mask allows, where a block survives if a cell of it does.
        max_side: Most rows and columns of the result.

    Returns:
        The thumbnails (..., tq, tk), and how many queries and how many keys share a cell: 1 and 1
        if nothing was pooled. The maximum rather than the mean, or the thin diagonals that matter
        most would fade.
    """
    n_queries, n_keys = weights.shape[-2:]
    rows, columns = thumbnail_block(n_queries, max_side), thumbnail_block(n_keys, max_side)
    if rows > 1:
        weights = _largest(weights, rows)
    if columns > 1:
        weights = _largest(weights.swapaxes(-1, -2), columns).swapaxes(-1, -2)
    return weights, (rows, columns)


def _largest(values: np.ndarray, block: int) -> np.ndarray:
    """The largest of each so many rows, (..., T, U) -> (..., t, U).

    numpy's own reduceat takes ten times as long: of 30 x 9 heads at 373 tokens 0.3 s.
    """
    largest = values[..., ::block, :].copy()
    for step in range(1, block):
        others = values[..., step::block, :]
        those = largest[..., : others.shape[-2], :]  # the last rows may be fewer
        np.maximum(those, others, out=those)
    return largest


def first_shown(cells: np.ndarray, side: int = FIRST_SIDE) -> np.ndarray:
    """Shrink cells to what a screen shows at once: the largest of those that share a place.

    Args:
        cells: (..., tq, tk), uint16, :data:`MASKED` among them.
        side: Most rows and columns of the result. A place is masked where all of its cells are.
    """
    shown = cells + np.uint16(1)  # one more than each weight: MASKED and 1 are 0, less than any
    for axis in (-2, -1):
        count = shown.shape[axis]
        if count > side:
            starts = -(-np.arange(side + 1) * count // side)
            # numpy's own reduceat takes four times as long: it goes from number to number.
            first, *others = (
                shown.take(np.minimum(starts[:-1] + step, starts[1:] - 1), axis)
                for step in range(-(-count // side))
            )
            shown = first
            for other in others:
                np.maximum(shown, other, out=shown)
    return shown - np.uint16(1)


def overview_payload(
    weights: np.ndarray,
    labels: list[str],
    *,
    key_labels: list[str] | None = None,
    allowed: np.ndarray | None = None,
    kept: Callable[[bytes], str] | None = None,
    **meta: Any,
) -> bytes:
    """All heads of one model on one sentence.

    Args:
        weights: (n_layers, n_heads, Tq, Tk).
        labels: Distinct names of the queries, length Tq.
        key_labels: Of the keys, length Tk, where they are other tokens.
        allowed: What a mask allows, boolean, (Tq, Tk) or (n_layers, 1, Tq, Tk); None: everything.
        kept: Takes every head's cells, uint16 by rows, and tells the address at which they can be
            asked for; the message then brings no more of them than a screen shows.
        **meta: What else the view needs; JSON.
    """
    thumbnails, (block, key_block) = pooled(weights)
    n_layers, n_heads, size, n_columns = thumbnails.shape
    header = {
        "layers": n_layers,
        "heads": n_heads,
        "size": size,
        "block": block,
        "labels": labels,
        **_other_keys(key_labels, n_columns, block=key_block),
        **meta,
    }
    cells = _cells(thumbnails, None if allowed is None else pooled(allowed)[0])
    if kept is not None and max(size, n_columns) > FIRST_SIDE:
        header["exact"] = kept(cells.tobytes())
        cells = first_shown(cells)
        header["first"] = {"rows": cells.shape[-2], "columns": cells.shape[-1]}
    return _joined(header, cells)


def lines_payload(
    weights: np.ndarray,
    labels: list[str],
    *,
    key_labels: list[str] | None = None,
    allowed: np.ndarray | None = None,
    **meta: Any,
) -> bytes:
    """Several heads of one model, exact, for the lines view.

    Args:
        weights: (heads, Tq, Tk).
        labels: Distinct names of the queries, length Tq.
        key_labels: Of the keys, length Tk, where they are other tokens.
        allowed: What a mask allows, boolean, (Tq, Tk) or (heads, Tq, Tk); None: everything.
        **meta: What else the view needs, the heads' names and colours among it; JSON. ``masked``
            is said of what the mask hides.
    """
    header = {
        "heads": len(weights),
        "size": len(labels),
        "labels": labels,
        **_other_keys(key_labels, weights.shape[-1]),
        **meta,
    }
    return pack(header, weights, allowed)


def _other_keys(key_labels: list[str] | None, size: int, **more: int) -> dict[str, Any]:
    """What a header says of columns that stand for other tokens than the rows."""
    return {} if key_labels is None else {"keys": {"size": size, "labels": key_labels, **more}}


def thumbnails_payload(sides: list[tuple[np.ndarray, dict[str, Any]]], max_side: int = 64) -> bytes:
    """Every head of several models, small, for views that show one of them at a time.

    Args:
        sides: Per model its heads' weights (N, Tq, Tk), and what the view needs to know; JSON. Its
            ``labels`` name the queries, and ``key_labels`` the keys where they are other tokens;
            ``allowed`` is what masks allow, boolean (N, Tq, Tk), where they hide anything.
        max_side: Most rows and columns of a thumbnail.
    """
    meta, parts = [], []
    for weights, known in sides:
        thumbnails, (block, key_block) = pooled(weights, max_side)
        size, n_columns = thumbnails.shape[-2:]
        known = dict(known)
        keys = _other_keys(known.pop("key_labels", None), n_columns, block=key_block)
        allowed = known.pop("allowed", None)
        meta.append({"heads": len(weights), "size": size, "block": block, **keys, **known})
        open_ = None if allowed is None else pooled(allowed, max_side)[0]
        parts.append(_cells(thumbnails, open_).ravel())
    return _joined({"sides": meta}, np.concatenate(parts))


def decoding_payload(cross: np.ndarray, decoder: np.ndarray, **meta: Any) -> bytes:
    """A translation as it was written, for the view that scrubs through it.

    Args:
        cross: Cross-attention of what was written, (Tt, Ts).
        decoder: Masked self-attention of the same rows, (Tt, Tt).
        **meta: What else the view needs: the tokens, the candidates of each step; JSON.
    """
    header = {"rows": len(decoder), **meta}
    return pack(header, np.concatenate([cross.ravel(), decoder.ravel()]))


def generation_payload(
    weights: np.ndarray, layers: np.ndarray | None, allowed: np.ndarray, **meta: Any
) -> bytes:
    """A text as a decoder wrote it, for the view that scrubs through it.

    Args:
        weights: What is drawn at each step, (steps, T).
        layers: The same step by step for every layer, (n_layers, steps, T); None: not drawn.
        allowed: What the mask allows of each, boolean, (1 or 1 + n_layers, steps, T).
        **meta: What else the view needs: the tokens, the candidates of each step; JSON.
    """
    n_layers = 0 if layers is None else len(layers)
    drawn = weights[None] if layers is None else np.concatenate([weights[None], layers])
    return pack({"layers": n_layers, **meta}, drawn, allowed)
