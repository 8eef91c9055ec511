"""Figures of the residual stream: norms by layer and token, and additions over the layers."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    FROM_THE_TOP,
    SMALL,
    TITLE_ROOM,
    TURNED,
    Translate,
    axis,
    colour_bar,
    figure,
    heading,
    token_axis,
)
from viz.style.labels import decimals, literal
from viz.style.theme import Side, colour_scale, logarithmic_scale
from viz.style.traces import float32, in_cells

MAX_PRINTED = 20
"""Most tokens for which the numbers fit into the cells."""


def stream_heatmap(
    values: np.ndarray,
    tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    quantity: str = "",
    has_output: bool = False,
    side: Side = "left",
    top: float | None = None,
    low: float | None = None,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw one number for every layer and token, with the first layer on top.

    Args:
        values: Numbers of at least 0, (L, T).
        has_output: Whether the last row is not of a layer but of what leaves the last one.
        top: Value at the strong end of the colours, equal in figures to compare. None uses the
            largest value.
        low: Positive value at the weak end of a logarithmic colour scale. None uses a linear
            scale from 0.
    """
    n_rows, n_tokens = values.shape
    rows = [f"L{layer}" for layer in range(n_rows)]
    if has_output:
        rows[-1] = translate("output")
    across, x_axis, room = token_axis(tokens, translate("token"))
    printed = n_tokens <= MAX_PRINTED
    top = float(values.max(initial=0)) if top is None else top
    form = f".{decimals(top)}f" if low is None else ".2f" if top < 100 else ",.3~r"
    heatmap = {
        "type": "heatmap",
        "z": float32(values),
        "x": across,
        "y": rows,
        "zmin": 0,
        "zmax": top,
        "colorscale": colour_scale(side) if low is None else logarithmic_scale(side, low / top),
        **in_cells(printed, text_colour, texttemplate=f"%{{z:{form}}}"),
        "hovertemplate": "<b>%{y}</b> · <b>%{x}</b><br>%{z:.6g}<extra></extra>",
        "colorbar": colour_bar(literal(quantity), size=SMALL),
        "showscale": low is None,  # its ticks are linear
    }
    margin = {"l": 58, "r": 10, "t": 58 if title else 10, "b": room + TITLE_ROOM}
    return figure(
        [heatmap],
        x_axis={**x_axis, **TURNED},
        y_axis=axis(translate("layer"), type="category", showgrid=False, **FROM_THE_TOP),
        height=margin["t"] + margin["b"] + min(max(26 * n_rows, 180), 480),
        margin=margin,
        title=heading(title, subtitle),
    )
