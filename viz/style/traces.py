"""What figures repeat of what they draw: curves, points, guides, cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from viz.style.figure import SMALL, Part, colour_bar
from viz.style.theme import GREY, Sign, rgb, signed_scale

Labels = Sequence[str] | np.ndarray

NAMED = "<extra>%{fullData.name}</extra>"  # a name put here itself could hold a template

_FEW_POINTS = 64  # up to here, every point of a curve is marked


def curve(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    colour: str,
    *,
    width: float = 2,
    size: int = 5,
    dash: str | None = None,
    **more: Any,
) -> Part:
    """Points joined by a line."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "line": {"color": colour, "width": width, "dash": dash},
        "marker": {"color": colour, "size": size},
        **more,
    }


def series(x: np.ndarray, y: np.ndarray, colour: str, **more: Any) -> Part:
    """A curve over whole numbers; its points are marked where they are few."""
    mode = "lines+markers" if len(x) <= _FEW_POINTS else "lines"
    return curve(x, float32(y), colour, **{"mode": mode, "showlegend": True, **more})


def point(x: int, y: float, hover: str) -> Part:
    """Where the reader stands on a curve."""
    return {
        "type": "scatter",
        "x": [x],
        "y": [float(y)],
        "mode": "markers",
        "marker": {"color": rgb("left"), "size": 12},
        "hovertemplate": hover,
    }


def guide(*, x: float | None = None, y: float | None = None) -> Part:
    """A dashed line through the whole plot, up at x or across at y."""
    across = {"xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    up = {"yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x}
    return {
        "type": "line",
        **(across if x is None else up),
        # Lines of the grid, which would hide a guide that coincides, run across only.
        "layer": "above" if x is None else "below",
        "line": {"color": GREY, "width": 1.5, "dash": "dash"},
    }


def signed_cells(
    matrix: np.ndarray,
    rows: Labels,
    columns: Labels,
    top: float,
    title: str,
    *,
    sign: Sign = "both",
    **more: Any,
) -> Part:
    """A matrix of signed numbers in colours from -top to top; of zeros, from -1 to 1.

    Where one sign cannot occur, the colours end at 0.

    Raises:
        ValueError: If rows or columns do not match the matrix; all numbers are named.
    """
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(
            f"The matrix is {matrix.shape}, but there are {len(rows)} rows and "
            f"{len(columns)} columns."
        )
    top = float(top) or 1.0  # of two equal ends Plotly makes a range of its own
    return {
        "type": "heatmap",
        "z": float32(matrix),
        "x": columns,
        "y": rows,
        "zmin": 0.0 if sign == "positive" else -top,
        "zmax": 0.0 if sign == "negative" else top,
        "colorscale": signed_scale(sign),
        "colorbar": colour_bar(title, size=SMALL),
        **more,
    }


def in_cells(printed: bool, colour: str | None, **text: Any) -> Part:
    """The values in cells that are set apart, or neither; Plotly fits their size to the cells."""
    gap = 1 if printed else 0
    return {"xgap": gap, "ygap": gap, "textfont": {"color": colour}, **(text if printed else {})}


def float32(values: np.ndarray) -> np.ndarray:
    """As much of a number as travels to the browser."""
    return np.ascontiguousarray(values, dtype=np.float32)
