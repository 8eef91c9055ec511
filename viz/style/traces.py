"""Traces that several figures share: curves, points, guides, cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from viz.style.figure import AT_THE_EDGE, SMALL, PlotlyDict, colour_bar
from viz.style.theme import GREY, Sign, rgb, signed_scale

Labels = Sequence[str] | np.ndarray

Frame = tuple[int, int, int, int]
"""First row, last row, first column, last column."""

NAMED = "<extra>%{fullData.name}</extra>"  # the name itself could contain a template

_FEW_POINTS = 64  # longer curves have no markers


def curve(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    colour: str,
    *,
    size: int = 5,
    **more: Any,
) -> PlotlyDict:
    """A line through points with markers."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": size},
        **more,
    }


def series(x: np.ndarray, y: np.ndarray, colour: str, **more: Any) -> PlotlyDict:
    """A curve over whole numbers. Only short curves have markers."""
    mode = "lines+markers" if len(x) <= _FEW_POINTS else "lines"
    return curve(x, float32(y), colour, **{"mode": mode, "showlegend": True, **more})


def point(x: int, y: float, hover: str) -> PlotlyDict:
    """A large marker for the selected point of a curve."""
    return {
        "type": "scatter",
        "x": [x],
        "y": [float(y)],
        "mode": "markers",
        "marker": {"color": rgb("left"), "size": 12},
        "hovertemplate": hover,
    }


def guide(*, x: float | None = None, y: float | None = None) -> PlotlyDict:
    """A dashed line across the whole plot."""
    across = {"xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    up = {"yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x}
    return {
        "type": "line",
        **(across if x is None else up),
        # Only horizontal grid lines exist. They would hide a guide below them.
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
) -> PlotlyDict:
    """A matrix (R, C) of signed numbers as a heatmap whose colours run from -top to top.

    With negative values alone, the colour range ends at 0.
    """
    top = float(top) or 1.0  # Plotly replaces a range of two equal ends
    return {
        "type": "heatmap",
        "z": float32(matrix),
        "x": columns,
        "y": rows,
        "zmin": -top,
        "zmax": 0.0 if sign == "negative" else top,
        "colorscale": signed_scale(sign),
        "colorbar": colour_bar(title, size=SMALL, **AT_THE_EDGE),
        **more,
    }


def in_cells(printed: bool, colour: str | None, **text: Any) -> PlotlyDict:
    """Trace properties for values in separated cells. Plotly fits the font size to the cells."""
    gap = 1 if printed else 0
    return {"xgap": gap, "ygap": gap, "textfont": {"color": colour}, **(text if printed else {})}


def frame(cells: Frame, ink: str, width: float) -> PlotlyDict:
    """A frame around some cells."""
    top, bottom, left, right = cells
    return {
        "type": "rect",
        "line": {"color": ink, "width": width},
        **{"x0": left - 0.5, "x1": right + 0.5, "y0": top - 0.5, "y1": bottom + 0.5},
    }


def float32(values: np.ndarray) -> np.ndarray:
    """Contiguous single-precision values, which are precise enough for the browser."""
    return np.ascontiguousarray(values, dtype=np.float32)
