"""Marks over the cells of a heatmap: frames around picked rows and lines through masked cells.

Axes: Tq queries, Tk keys.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from viz.style.figure import PlotlyDict
from viz.style.theme import GREY, HIDDEN

MOST_SLASHED = 120
"""Masked cells that get a line each: the lines over more cells look like a fault of the picture."""


def spotlight(
    rows: Sequence[int], columns: Sequence[int], shape: tuple[int, ...], ink: str, paper: str
) -> list[dict[str, Any]]:
    """Frames around the picked rows and columns, and a veil over all other cells."""
    if not (rows or columns):
        return []
    n_rows, n_columns = shape
    dimmed = "".join(
        f"M{left},{top}H{right}V{bottom}H{left}Z"
        for top, bottom in _between(rows, n_rows)
        for left, right in _between(columns, n_columns)
    )
    veil = {
        "type": "path",
        "path": dimmed,
        "fillcolor": paper,
        "opacity": 0.35,  # on a dark page, faint cells would vanish below more
        "line": {"width": 0},
    }
    frame = {"type": "rect", "line": {"color": ink, "width": 1.5}}
    across = {"x0": -0.5, "x1": n_columns - 0.5}
    down = {"y0": -0.5, "y1": n_rows - 0.5}
    framed = [
        *({**frame, **across, "y0": i - 0.5, "y1": i + 0.5} for i in rows if i < n_rows),
        *({**frame, **down, "x0": i - 0.5, "x1": i + 0.5} for i in columns if i < n_columns),
    ]
    return [veil, *framed] if dimmed else framed


def _between(picked: Sequence[int], count: int) -> list[tuple[float, float]]:
    """The edges of each run of places that are not picked. A place extends 0.5 to both sides."""
    ends = [-1, *sorted(set(picked)), count]
    return [(i + 0.5, j - 0.5) for i, j in pairwise(ends) if j - i > 1]


def slashes(masked: np.ndarray) -> list[PlotlyDict]:
    """Diagonal lines through a few masked cells, (Tq, Tk); none above :data:`MOST_SLASHED`."""
    if masked.sum() > MOST_SLASHED:
        return []
    n_rows, n_columns = masked.shape
    from_below = masked[::-1]  # reversed rows: each diagonal of this array is a line
    path = ""
    for k in range(1 - n_rows, n_columns):
        edges = np.diff(from_below.diagonal(k), prepend=False, append=False)
        # (2 * runs,) -> (runs, 2)
        for start, stop in np.flatnonzero(edges).reshape(-1, 2).tolist():
            x, y = max(k, 0) + start - 0.5, n_rows - max(-k, 0) - start - 0.5
            path += f"M{x},{y}L{x + stop - start},{y - stop + start}"
    line = {"color": GREY, "width": 1}
    return [{"type": "path", "path": path, "layer": "below", "opacity": 0.3, "line": line}]


PAIR = "<b>%{y}</b> → <b>%{x}</b>"
"""Hover text of a cell: its query and its key."""


def hidden(masked: np.ndarray, heatmap: PlotlyDict, label: str) -> PlotlyDict:
    """A pale grey trace over the masked cells, (Tq, Tk), whose hover text is the label."""
    return {
        **{name: heatmap[name] for name in ("type", "x", "y", "xgap", "ygap")},
        "z": np.where(masked, np.float32(0), np.float32(np.nan)),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, HIDDEN], [1, HIDDEN]],
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": f"{PAIR}<br>{label}<extra></extra>",
    }
