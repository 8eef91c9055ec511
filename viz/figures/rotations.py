"""A query and a key as arrows in the plane of one pair of dimensions, turned by their positions."""

import math

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import HEIGHT, Part, Translate, axis, panel
from viz.style.theme import GREY, THREAD, rgb
from viz.style.traces import float32

_ARC = 0.35
"""Radius of the arc between both arrows, as a share of the shorter one."""


def rotated_pair(
    plain: np.ndarray,
    turned: np.ndarray,
    *,
    title: str = "",
    subtitle: str = "",
    top: float,
    translate: Translate = str,
) -> go.Figure:
    """Draw a query and a key, (2, 2), as arrows, before (dotted) and after their rotation.

    The arc is the angle between both arrows after the rotation (Su et al. 2021, "RoFormer",
    section 3.2.1). Both axes have the same scale.

    Args:
        top: Length that both axes have room for, equal in figures to compare.
    """
    lengths = np.linalg.norm(turned, axis=1)  # (2,)
    end = top * 1.3 or 1.0
    colours = rgb("left"), rgb("right")
    traces = [_ring(float(length)) for length in lengths]
    for name, vector, colour in zip("qk", plain, colours, strict=True):
        traces.append(_arrow(vector, colour, name, translate("not turned"), dash="dot"))
    for name, vector, colour in zip(("q′", "k′"), turned, colours, strict=True):
        traces.append(_arrow(vector, colour, name, translate("turned")))
    traces.append(_arc(turned, _ARC * float(lengths.min())))
    ends: Part = {"range": [-end, end], "zeroline": True, "showgrid": False}
    return panel(
        traces,
        axis(translate("even dimension"), constrain="domain", **ends),
        axis(translate("odd dimension"), scaleanchor="x", constrain="domain", **ends),
        title=title,
        subtitle=subtitle,
        height=HEIGHT + 60,
    )


def _arrow(vector: np.ndarray, colour: str, name: str, state: str, dash: str = "solid") -> Part:
    x, y = float32(np.stack([np.zeros(2), vector], axis=1))  # (2, 2): each from the origin
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers+text",
        "line": {"color": colour, "width": 3 if dash == "solid" else 1.5, "dash": dash},
        "marker": {
            "symbol": ["circle", "arrow"],
            "size": [0, 16 if dash == "solid" else 9],
            "angleref": "previous",
            "color": colour,
            "opacity": 1,
        },
        "text": ["", name],
        "textposition": "top center" if y[1] >= 0 else "bottom center",
        "name": f"{name} ({state})",
        "hovertemplate": f"{name}: (%{{x:.6f}}, %{{y:.6f}})<extra>{state}</extra>",
    }


def _ring(radius: float) -> Part:
    angles = np.linspace(0, 2 * math.pi, 73)
    return _path(radius, angles, THREAD, 1)


def _arc(turned: np.ndarray, radius: float) -> Part:
    """The shorter way from the query to the key."""
    start, stop = (math.atan2(y, x) for x, y in turned.tolist())
    turn = math.remainder(stop - start, 2 * math.pi)
    return _path(radius, start + np.linspace(0, turn, 25), GREY, 2)


def _path(radius: float, angles: np.ndarray, colour: str, width: float) -> Part:
    return {
        "type": "scatter",
        "x": float32(radius * np.cos(angles)),
        "y": float32(radius * np.sin(angles)),
        "mode": "lines",
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }
