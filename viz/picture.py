"""The picture of a model as nested boxes, which are also the nested list for screen readers.

Axes: Tq queries, Tk keys, N vectors, K numbers in a vector.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from viz.canvas import pooled

FULL = 127
"""The strongest shade of a cell. Shades are signed bytes; the sign chooses the hue."""

MAX_CELLS = 24
"""Most rows and columns of a small heatmap."""


@dataclass(frozen=True)
class ShadedCells:
    """Shaded cells: -127 to 127 by rows, as signed bytes in base64."""

    columns: int
    shades: str


@dataclass(frozen=True)
class Box:
    """A box of the picture, which can contain others.

    Attributes:
        link: URL of a view that shows it, from the root of the site; "" without one.
        area: Its area relative to a layer, or its share of the width of the box around it; None if
            it is not drawn to scale.
        shade: Opacity of its colour, 0 to 1; None without one.
    """

    kind: str
    name: str
    values: tuple[tuple[str, str], ...] = ()
    note: str = ""
    link: str = ""
    area: float | None = None
    shade: float | None = None
    cells: tuple[ShadedCells, ...] = ()
    current: bool = False
    items: tuple["Box", ...] = ()

    def payload(self) -> dict[str, Any]:
        """Convert to JSON, without the attributes that have their default."""
        changed = {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) != each.default
        }
        changed["cells"] = [vars(each) for each in self.cells]
        changed["items"] = [each.payload() for each in self.items]
        return changed


def weight_cells(weights: np.ndarray) -> ShadedCells:
    """Shade a head's weights, (Tq, Tk); above 24, rows or columns are pooled by the largest."""
    small, _ = pooled(weights, MAX_CELLS)
    return _cells(small)


def vector_cells(vectors: np.ndarray) -> list[ShadedCells]:
    """Shade vectors (N, K) on one scale: the largest absolute value is the full colour."""
    top = float(np.abs(vectors).max()) or 1.0
    return [_cells(row[None] / top) for row in vectors]  # (K,) -> (1, K)


def _cells(shades: np.ndarray) -> ShadedCells:
    whole = np.rint(np.clip(shades, -1, 1) * FULL).astype(np.int8)
    return ShadedCells(whole.shape[1], base64.b64encode(whole.tobytes()).decode("ascii"))


def strongest(weights: np.ndarray, most: int) -> list[int]:
    """Return the places of one query's largest weights, (Tk,), in their order in the text."""
    chosen: Sequence[int] = np.argsort(-weights, kind="stable")[:most].tolist()
    return sorted(chosen)
