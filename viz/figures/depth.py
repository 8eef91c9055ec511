"""How attention changes with depth: one measure over layers, and distances between heads."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.style.labels import literal
from viz.style.theme import Side, rgb

GREY = "rgb(128, 128, 128)"  # published curves: seen on a light page and on a dark one
HEIGHT = 420

# Plotly could find the margins itself, but would draw the figure twice for it.
_MARGIN = {"l": 58, "r": 12, "t": 64, "b": 52}

DASHES: dict[Side, str] = {"left": "solid", "right": "dash"}


def profile_figure(
    measured: Mapping[Side, np.ndarray],
    names: Mapping[Side, str],
    *,
    title: str,
    unit: str,
    ceiling: float | None = None,
    published: Sequence[float] = (),
    layer: int = 0,
    translate: Callable[[str], str] = str,
) -> go.Figure:
    """Draw one measure of every head over the layers, and the layers' means as curves.

    Args:
        measured: Per side, (L, H).
        names: Of the two models.
        title: Of the measure.
        unit: Of the measure, under its name on the axis.
        ceiling: Its largest possible value, drawn as a dotted line.
        published: Figures from elsewhere, one a layer, drawn in grey.
        layer: Which one is marked.
        translate: From English to the reader's language.
    """
    curves: list[dict[str, Any]] = []
    n_layers = max(len(published), *(len(values) for values in measured.values()))
    if ceiling is not None:
        curves.append(
            {
                "type": "scatter",
                "x": [0, n_layers - 1],
                "y": [ceiling, ceiling],
                "mode": "lines",
                "line": {"color": GREY, "dash": "dot", "width": 1.5},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
    if len(published):
        name = translate("BERT-base, published")
        curves.append(_curve(range(len(published)), published, name, GREY, "dashdot"))
    for side, values in measured.items():
        layers, heads = np.indices(values.shape)
        curves.append(_heads(layers.ravel(), heads.ravel(), values.ravel(), rgb(side)))
        mean = values.mean(axis=1)
        curves.append(_curve(range(len(mean)), mean, names[side], rgb(side), DASHES[side]))
    marker = {
        "type": "line",
        "x0": layer,
        "x1": layer,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"color": GREY, "width": 1.5, "dash": "dash"},
    }
    layout = {
        "title": {
            "text": literal(title),
            "font": {"size": 14},
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"t": 8},
        },
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom"},
        "height": HEIGHT,
        "margin": _MARGIN,
        "dragmode": "zoom",
        "shapes": [marker],
        "xaxis": {
            "title": {"text": translate("layer"), "font": {"size": 12}},
            "tickvals": list(range(n_layers)),
            "ticktext": [f"L{i}" for i in range(n_layers)],
            "range": [-0.3, n_layers - 0.7],
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        "yaxis": {
            "title": {"text": literal(unit), "font": {"size": 12}},
            "rangemode": "tozero",
            "zeroline": False,
            "automargin": False,
        },
    }
    # In one piece: every update_layout or update_xaxes would validate it all over again (10x).
    return go.Figure(data=curves, layout=layout)


def _curve(
    x: Sequence[int], y: Sequence[float], name: str, colour: str, dash: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": literal(name),
        "x": list(x),
        "y": list(y),
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "marker": {"color": colour, "size": 8},
        "hovertemplate": f"L%{{x}}<br>%{{y:.6g}}<extra>{literal(name)}</extra>",
    }


def _heads(
    layers: np.ndarray, heads: np.ndarray, values: np.ndarray, colour: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": layers,
        "y": values,
        "customdata": heads,
        "mode": "markers",
        "marker": {"color": colour, "size": 5, "opacity": 0.35},
        "hovertemplate": "L%{x}·H%{customdata}<br>%{y:.6g}<extra></extra>",
        "showlegend": False,
    }


def divergence_heatmap(
    distances: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str = "",
    row_title: str = "",
    column_title: str = "",
    translate: Callable[[str], str] = str,
) -> go.Figure:
    """Draw the distance of every head (or layer) of one model from every one of another.

    Args:
        distances: (R, C), 0 where two attend alike.
        rows: Names, length R.
        columns: Names, length C.
        title: What is compared.
        row_title: Whose the rows are.
        column_title: Whose the columns are.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the names do not match the distances; both sizes are named.
    """
    if distances.shape != (len(rows), len(columns)):
        raise ValueError(
            f"The distances are {distances.shape}, but there are {len(rows)} and {len(columns)} "
            "names."
        )
    heatmap = {
        "type": "heatmap",
        "z": np.asarray(distances, dtype=np.float32),
        "x": list(columns),
        "y": list(rows),
        "zmin": 0,
        "zmax": math.sqrt(math.log(2)),  # no two distributions are farther apart, in nats
        # Near is what one looks for: it is the strong end.
        "colorscale": [[0, "rgba(98, 79, 224, 1)"], [1, "rgba(98, 79, 224, 0)"]],
        "hovertemplate": "<b>%{y}</b> – <b>%{x}</b><br>%{z:.6f}<extra></extra>",
        "colorbar": {"title": {"text": translate("distance"), "side": "right"}, "thickness": 10},
    }
    axis = {"type": "category", "showgrid": False, "zeroline": False, "automargin": False}
    layout = {
        "title": {"text": literal(title), "font": {"size": 14}, "x": 0, "xanchor": "left"},
        "height": 640,
        "margin": {"l": 76, "r": 10, "t": 44, "b": 92},
        "dragmode": "zoom",
        "xaxis": {**axis, "title": {"text": literal(column_title)}, "tickangle": -60},
        "yaxis": {**axis, "title": {"text": literal(row_title)}, "autorange": "reversed"},
    }
    return go.Figure(data=[heatmap], layout=layout)
