"""Attention weights that another program recorded: their checks, tokens and mask.

Axes: L n_layers, H n_heads, T tokens (Tq queries, Tk keys).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from model.capture.tokens import Keys, word_numbers
from model.errors import HeadlightError

ROW_TOLERANCE = 0.05
"""Largest distance of a row's sum from 1: weights may be rounded to 16 bits."""


def check_shape(weights: np.ndarray, n_queries: int, n_keys: int) -> None:
    """Check that weights are (L, H, Tq, Tk), and fit the numbers of tokens.

    Raises:
        HeadlightError: It states both.
    """
    if weights.ndim != 4 or not weights.size:
        raise HeadlightError(
            "Attention weights have the shape (layers, heads, queries, keys), but these have the "
            "shape {shape}.",
            shape=str(weights.shape),
        )
    if weights.shape[2:] != (n_queries, n_keys):
        raise HeadlightError(
            "Each head has {rows} rows of {columns} weights, but {n_queries} tokens attend to "
            "{n_keys}.",
            rows=weights.shape[2],
            columns=weights.shape[3],
            n_queries=n_queries,
            n_keys=n_keys,
        )


def check_rows(
    weights: np.ndarray, sink: np.ndarray | None = None, allowed: np.ndarray | None = None
) -> None:
    """Check that weights (L, H, Tq, Tk) are finite, not negative, and that each row sums to 1.

    Args:
        sink: Weights of sinks, (L, H, Tq), which count in the sum.
        allowed: The masks, boolean (L, Tq, Tk): a row without an allowed key may be 0.

    Raises:
        HeadlightError: It names the first wrong row.
    """
    sums = weights.sum(axis=-1) + (0 if sink is None else sink)  # (L, H, Tq)
    valid = np.abs(sums - 1) <= ROW_TOLERANCE  # a comparison with NaN is false
    if allowed is not None:  # (L, Tq, Tk) -> (L, 1, Tq)
        valid |= (sums == 0) & ~np.expand_dims(allowed.any(axis=-1), 1)
    valid &= weights.min(axis=-1) >= 0
    if valid.all():
        return
    layer, head, row = np.argwhere(~valid)[0].tolist()
    place = {"layer": layer, "head": head, "row": row}
    found = weights[layer, head, row]
    if not (found >= 0).all() or np.isinf(found).any():
        raise HeadlightError(
            "In layer {layer}, head {head}, row {row}, a weight is negative or no finite number.",
            **place,
        )
    raise HeadlightError(
        "In layer {layer}, head {head}, row {row}, the weights sum to {total:.3f} instead of 1. "
        "Record them after the softmax, without dropout.",
        total=float(sums[layer, head, row]),
        **place,
    )


def to_array(weights: Any) -> np.ndarray:
    """A float32 copy of an array, a tensor, or nested lists of either or of numbers."""
    if isinstance(weights, list | tuple) and any(isinstance(x, torch.Tensor) for x in weights):
        weights = [to_array(each) for each in weights]  # a tensor for each layer
    if isinstance(weights, torch.Tensor):
        weights = weights.detach().cpu()
        wide = weights.is_floating_point() and weights.element_size() > 1
        weights = weights.float() if wide else weights
    try:
        array = np.asarray(weights)
    except (TypeError, ValueError):  # NumPy has no such type, or lists differ in length
        array = np.array("")
    # Those of 8 bits would be too coarse, and take four times their memory.
    if array.dtype.kind not in "fiu" or array.itemsize < 2:
        raise HeadlightError(
            "Attention weights are real numbers of at least 16 bits, in an array of the shape "
            "(layers, heads, queries, keys)."
        )
    with np.errstate(over="ignore"):  # infinity is refused later
        return array.astype(np.float32)


def describe(tokens: Sequence[str], special: Sequence[bool] | None) -> Keys:
    """Describe tokens. Their text is all but the special ones, joined.

    Tokens are separated by spaces, unless some begin with a space of their own.
    """
    if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
        raise HeadlightError("Tokens are a list of strings, one for each row of a head.")
    pieces = tuple(map(str, tokens))
    added = np.array([bool(each) for each in (() if special is None else special)], dtype=bool)
    if len(added) not in (0, len(pieces)):
        raise HeadlightError(
            "“special” says for each token whether the model added it, but it has {count} values "
            "for {n_tokens} tokens.",
            count=len(added),
            n_tokens=len(pieces),
        )
    splits = [None if each else 0 for each in added] or [0] * len(pieces)
    gap = "" if any(piece[:1].isspace() for piece in pieces) else " "
    text, offsets = "", []
    for piece, split in zip(pieces, splits, strict=True):
        if split is not None:
            text += gap * bool(text) + piece
        offsets.append((0, 0) if split is None else (len(text) - len(piece), len(text)))
    added.flags.writeable = False
    return Keys(
        text=text,
        text_pair=None,
        tokens=pieces,
        token_ids=(),
        offsets=tuple(offsets),
        word_ids=word_numbers(text, offsets, splits),
        segment_ids=(0,) * len(pieces),
        special=added,
    )


def find_mask(weights: np.ndarray, causal: bool | None) -> np.ndarray | None:
    """The causal mask, (T, T), if no weight is above the diagonal; None for ``causal=False``."""
    n_tokens = weights.shape[-1]
    mask = np.tri(n_tokens, dtype=bool)
    reaches_later = bool((weights.any(axis=(0, 1)) & ~mask).any())
    if reaches_later or causal is False or (causal is None and n_tokens == 1):
        return None
    mask.flags.writeable = False
    return mask
