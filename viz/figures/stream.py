"""Figures of the residual stream: norms by layer and token, and additions over the layers."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    FROM_THE_TOP,
    HEIGHT,
    SMALL,
    TURNED,
    Part,
    Translate,
    axis,
    below,
    colour_bar,
    figure,
    heading,
    legend_at,
    token_axis,
)
from viz.style.labels import literal
from viz.style.theme import Side, colour_scale, logarithmic_scale, rgb
from viz.style.traces import curve, float32, guide, in_cells

_TICKS = (0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 1000)


MAX_PRINTED = 20
"""Most tokens for which the numbers fit into the cells."""

DASHES: dict[Side, str] = {"left": "solid", "right": "dash"}


def stream_heatmap(
    values: np.ndarray,
    tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    quantity: str = "",
    side: Side = "left",
    top: float | None = None,
    low: float | None = None,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw one number for every layer and token, with the first layer on top.

    Args:
        values: Numbers of at least 0, (L, T).
        top: Value at the strong end of the colours, equal in figures to compare. None uses the
            largest value.
        low: Positive value at the weak end of a logarithmic colour scale. None uses a linear
            scale from 0.
    """
    n_layers, n_tokens = values.shape
    if n_tokens != len(tokens):
        raise ValueError(f"There are values of {n_tokens} tokens, but {len(tokens)} tokens.")
    across, x_axis, room = token_axis(tokens, translate("token"), size=SMALL)
    printed = n_tokens <= MAX_PRINTED
    top = float(values.max(initial=0)) if top is None else top
    heatmap = {
        "type": "heatmap",
        "z": float32(values),
        "x": across,
        "y": _layers(n_layers),
        "zmin": 0,
        "zmax": top,
        "colorscale": colour_scale(side) if low is None else logarithmic_scale(side, low / top),
        **in_cells(printed, text_colour, texttemplate="%{z:.3~g}"),
        "hovertemplate": "<b>%{y}</b> · <b>%{x}</b><br>%{z:.6g}<extra></extra>",
        "colorbar": colour_bar(literal(quantity), size=SMALL),
    }
    margin = {"l": 58, "r": 10, "t": 58 if title else 10, "b": below(room)}
    return figure(
        [heatmap],
        x_axis={**x_axis, **TURNED},
        y_axis={**axis(translate("layer"), type="category", showgrid=False), **FROM_THE_TOP},
        height=margin["t"] + margin["b"] + min(max(26 * n_layers, 180), 480),
        margin=margin,
        title=heading(title, subtitle),
    )


def additions_figure(
    shares: Mapping[Side, np.ndarray],
    tokens: Mapping[Side, Sequence[str]],
    names: Mapping[Side, str],
    *,
    title: str,
    quantity: str,
    ends: tuple[float, float],
    translate: Translate = str,
) -> go.Figure:
    """Draw the share that each layer adds to each token as points, and their means as curves.

    The axis is logarithmic, so that shares of 2 and 1/2 are equally far from 1.
    """
    traces: list[Part] = []
    for side, share in shares.items():
        name = literal(names[side])
        traces.append(_points(share, tokens[side], rgb(side), name))
        traces.append(
            curve(
                np.array(_layers(len(share))),
                float32(share.mean(axis=1)),
                rgb(side),
                width=2.5,
                size=8,
                dash=DASHES[side],
                name=name,
                hovertemplate=f"%{{x}}<br>%{{y:.6g}}<extra>{name}</extra>",
            )
        )
    n_layers = max(len(share) for share in shares.values())
    return figure(
        traces,
        x_axis=axis(
            translate("layer"),
            type="category",
            categoryarray=_layers(n_layers),
            range=[-0.4, n_layers - 0.6],
            showgrid=False,
        ),
        y_axis=axis(
            quantity,
            type="log",
            range=[math.log10(ends[0] / 1.1), math.log10(ends[1] * 1.1)],
            tickvals=_TICKS,
            ticktext=[f"{tick:g}" for tick in _TICKS],
        ),
        shapes=[guide(y=1)],
        height=HEIGHT,
        margin={"l": 58, "r": 12, "t": 78, "b": 52},
        title=heading(title),
        legend=legend_at(1.04, "bottom"),
    )


def _points(share: np.ndarray, tokens: Sequence[str], colour: str, name: str) -> Part:
    n_layers, n_tokens = share.shape
    return {
        "type": "scatter",
        "x": np.repeat(_layers(n_layers), n_tokens),
        "y": float32(share.ravel()),  # (L, T) -> (L*T,)
        "customdata": [literal(token) for token in tokens] * n_layers,
        "mode": "markers",
        "marker": {"color": colour, "size": 5, "opacity": 0.3},
        "hovertemplate": f"%{{x}} · %{{customdata}}<br>%{{y:.6g}}<extra>{name}</extra>",
        "showlegend": False,
    }


def _layers(count: int) -> list[str]:
    return [f"L{layer}" for layer in range(count)]
