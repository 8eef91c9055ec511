"""Window on the matrices of a whole layer: one token's row, and some of its dimensions.

Axes: R rows, C columns, K d_head.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz.cards.matrices import SYMBOLS, Matrix

DIMS = 6
"""Number of dimensions to draw."""

ROWS = 3
"""Number of rows of a weight matrix to draw: enough to see how a row meets a column."""

KEYS = 16
"""Number of keys to draw."""

Axis = Literal["token", "source", "one", "model", "head", "own", "unit", "key"]

_MODEL = ("X", "memory", "norm", "added", "output", "gain", "bias", "b_O", "b_out")
_HEAD = ("Q", "K", "V", "b_Q", "b_K", "b_V", "concatenated")
_UNIT = ("hidden", "share", "activated", "b_in")
_KEYS = ("raw_scores", "scaled_scores", "allowed", "masked_scores", "exponentials", "weights")

_COLUMNS: Mapping[str, Axis] = {
    **dict.fromkeys(_MODEL, "model"),
    **dict.fromkeys(_HEAD, "head"),
    **dict.fromkeys(_UNIT, "unit"),
    **dict.fromkeys(_KEYS, "key"),
    **dict.fromkeys(("mean", "variance", "row_sums"), "one"),
    "context": "own",
}

_BOTH: Mapping[str, tuple[Axis, Axis]] = {
    **dict.fromkeys(("W_Q", "W_K", "W_V"), ("model", "head")),
    "W_O": ("head", "model"),
    "W_in": ("model", "unit"),
    "W_out": ("unit", "model"),
    "K_T": ("head", "key"),
    "values": ("key", "head"),
}

_LATEX = {
    **SYMBOLS,
    "X": "X",
    "memory": r"X_{\text{enc}}",
    "b_Q": "b^Q",
    "b_K": "b^K",
    "b_V": "b^V",
    "b_O": "b^O",
    "values": "V",
    "mean": r"\mu",
    "variance": r"\sigma^2",
    "gain": r"\gamma",
    "bias": r"\beta",
    "W_in": "W_1",
    "b_in": "b_1",
    "hidden": "H",
    "share": r"\Phi(H)",
    "activated": "G",
    "W_out": "W_2",
    "b_out": "b_2",
}

_SHARED = ("b_Q", "b_K", "b_V", "b_O", "b_in", "b_out", "gain", "bias")
"""Vectors that all tokens share."""


@dataclass(frozen=True)
class LayerWindow:
    """The token and the head to follow, and the start of each window.

    Attributes:
        token: The token whose row is drawn.
        source: In cross-attention, the source token whose key and value are drawn.
        head: The head to follow.
        d_head: Dimensions of a head, K.
        dim: First dimension of vectors of length d_model.
        part: First dimension of the head's vectors.
        unit: First hidden unit of the feed-forward network.
        key: First key.
    """

    token: int
    source: int
    head: int
    d_head: int
    dim: int = 0
    part: int = 0
    unit: int = 0
    key: int = 0

    def span(self, axis: Axis, length: int) -> tuple[int, int]:
        """Start and stop of the window on an axis.

        Args:
            axis: The axis.
            length: Its length.
        """
        if axis in ("token", "source"):
            at = self.token if axis == "token" else self.source
            return at, at + 1
        if axis in ("head", "own"):
            begin = self.head * self.d_head if axis == "head" else 0
            start, stop = _window(self.part, DIMS, self.d_head)
            return begin + start, begin + stop
        if axis == "one":
            return 0, 1
        start = {"model": self.dim, "unit": self.unit, "key": self.key}[axis]
        return _window(start, KEYS if axis == "key" else DIMS, length)


@dataclass(frozen=True)
class LayerNames:
    """Names of the layer's tokens, and of the source's tokens in cross-attention."""

    tokens: tuple[str, ...]
    sources: tuple[str, ...] = ()


def cut(
    name: str,
    symbol: str,
    values: np.ndarray,
    names: LayerNames,
    window: LayerWindow,
    part: str,
) -> Matrix:
    """Cut a matrix to its window.

    Args:
        name: Its name, without the sublayer's.
        symbol: LaTeX.
        values: The whole matrix, (R, C).
        names: Names of the tokens.
        window: The rows and columns to draw.
        part: Its sublayer: "self", "cross" or "ffn".
    """
    row_axis, column_axis = axes(name, part)
    top, bottom = window.span(row_axis, values.shape[0])
    more_rows = 0
    if name.startswith("W_"):
        bottom = min(top + ROWS, bottom)
        more_rows = values.shape[0] - (bottom - top)
    left, right = window.span(column_axis, values.shape[1])
    if row_axis == "key":
        more_rows = values.shape[0] - (bottom - top)
    # A matrix of one head does not count the columns of the other heads.
    all_heads = name == "concatenated" or column_axis != "head"
    columns = values.shape[1] if all_heads else window.d_head
    key_names = names.sources if part == "cross" else names.tokens

    def along(axis: Axis, start: int, stop: int) -> tuple[str, ...]:
        if axis == "one":
            return ("",)
        if axis == "own":  # numbered among the columns of all heads
            start, stop = (at + window.head * window.d_head for at in (start, stop))
        if axis == "token":
            return names.tokens[start:stop]
        if axis in ("key", "source"):
            return key_names[start:stop]
        return tuple(map(str, range(start, stop)))

    return Matrix(
        symbol,
        values[top:bottom, left:right],
        along(row_axis, top, bottom),
        along(column_axis, left, right),
        (0, bottom - top),
        (0, right - left),
        more_rows,
        max(columns - (right - left), 0),
    )


def axes(name: str, part: str) -> tuple[Axis, Axis]:
    """The axes of a matrix's rows and columns.

    Args:
        name: Its name, without the sublayer's.
        part: Its sublayer.
    """
    if name in _BOTH:
        return _BOTH[name]
    column = _COLUMNS[name]
    if name in _SHARED:
        return "one", column
    return ("source" if part == "cross" and name in ("K", "V", "memory") else "token"), column


def latex(name: str, part: str, place: int) -> str:
    """The symbol of a matrix, LaTeX; symbols of cross-attention have the index c.

    Args:
        name: Its name, without the sublayer's.
        part: Its sublayer.
        place: The sublayer's place in the layer, from 1.
    """
    if name in ("added", "norm"):
        return f"{'R' if name == 'added' else 'N'}_{place}"
    symbol = "F" if part == "ffn" and name == "output" else _LATEX.get(name, name)
    unmarked = name in ("X", "memory", "mean", "variance", "gain", "bias")
    return f"{symbol}_c" if part == "cross" and not unmarked else symbol


def _window(start: int, most: int, length: int) -> tuple[int, int]:
    start = max(0, min(start, length - most))
    return start, min(start + most, length)
