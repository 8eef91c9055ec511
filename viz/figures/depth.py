"""How attention changes with depth: one measure over layers, and distances between heads."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    FROM_THE_TOP,
    TURNED,
    Part,
    Translate,
    axis,
    colour_bar,
    figure,
    heading,
    legend_at,
    token_axis,
)
from viz.style.labels import literal
from viz.style.theme import GREY, Side, distance_scale, rgb
from viz.style.traces import curve, float32, guide

DASHES: dict[Side, str] = {"left": "solid", "right": "dash"}


def profile_figure(
    measured: Mapping[Side, np.ndarray],
    names: Mapping[Side, str],
    *,
    title: str,
    unit: str,
    ceilings: Mapping[Side, np.ndarray] | None = None,
    published: Sequence[float] = (),
    layer: int = 0,
    translate: Translate = str,
) -> go.Figure:
    """Draw one measure of every head over the layers, and the mean of each layer as a curve.

    Args:
        ceilings: Largest possible value of each layer by side, (L,), drawn as a dotted line. The
            line is grey if all values are equal.
    """
    curves: list[Part] = []
    n_layers = max(len(published), *(len(values) for values in measured.values()))
    curves += _ceilings(ceilings or {}, n_layers)
    if len(published):
        name = translate("BERT-base, published")
        curves.append(_curve(published, name, GREY, "dashdot"))
    for side, values in measured.items():
        layers, heads = np.indices(values.shape)
        curves.append(_heads(layers.ravel(), heads.ravel(), values.ravel(), rgb(side)))
        mean = values.mean(axis=1)
        curves.append(_curve(mean, names[side], rgb(side), DASHES[side]))
    return figure(
        curves,
        x_axis=axis(
            translate("layer"),
            tickvals=list(range(n_layers)),
            ticktext=[f"L{i}" for i in range(n_layers)],
            range=[-0.3, n_layers - 0.7],
            showgrid=False,
        ),
        y_axis=axis(literal(unit), rangemode="tozero"),
        height=420,
        margin={"l": 58, "r": 12, "t": 64, "b": 52},
        title=heading(title),
        legend=legend_at(1.01, "bottom"),
        shapes=[guide(x=layer)],
    )


def _ceilings(ceilings: Mapping[Side, np.ndarray], n_layers: int) -> list[Part]:
    """One line in each side's hue, or one grey line if all values are equal."""
    values = {float(value) for ceiling in ceilings.values() for value in ceiling}
    lines: list[tuple[str, list[int], list[float]]]
    if len(values) == 1:
        lines = [(GREY, [0, n_layers - 1], [*values] * 2)]
    else:
        lines = [
            (rgb(side), list(range(len(ceiling))), ceiling.tolist())
            for side, ceiling in ceilings.items()
        ]
    return [
        {
            "type": "scatter",
            "x": x,
            "y": y,
            "mode": "lines",
            "line": {"color": colour, "dash": "dot", "width": 1.5},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for colour, x, y in lines
    ]


def _curve(values: Sequence[float] | np.ndarray, name: str, colour: str, dash: str) -> Part:
    return curve(
        list(range(len(values))),
        list(values),
        colour,
        width=2.5,
        size=8,
        dash=dash,
        name=literal(name),
        hovertemplate=f"L%{{x}}<br>%{{y:.6g}}<extra>{literal(name)}</extra>",
    )


def _heads(layers: np.ndarray, heads: np.ndarray, values: np.ndarray, colour: str) -> Part:
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
    translate: Translate = str,
) -> go.Figure:
    """Draw the distance of every head (or layer) of one model to every one of another model.

    Args:
        distances: Square roots of Jensen-Shannon divergences in nats, (R, C).
    """
    across, x_axis, _ = token_axis(columns, literal(column_title))
    down, y_axis, _ = token_axis(rows, literal(row_title))
    heatmap = {
        "type": "heatmap",
        "z": float32(distances),
        "x": across,
        "y": down,
        "zmin": 0,
        "zmax": math.sqrt(math.log(2)),  # the largest possible distance, in nats
        "colorscale": distance_scale(),
        "hovertemplate": "<b>%{y}</b> – <b>%{x}</b><br>%{z:.6f}<extra></extra>",
        "colorbar": colour_bar(translate("distance")),
    }
    return figure(
        [heatmap],
        x_axis={**x_axis, **TURNED},
        y_axis={**y_axis, **FROM_THE_TOP},
        height=640,
        margin={"l": 76, "r": 10, "t": 44, "b": 92},
        title=heading(title, at_top=False),
    )
