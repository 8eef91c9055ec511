"""Quantile plot of a number of every head over a data set."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import Part, Translate, axis, panel
from viz.style.labels import literal
from viz.style.theme import Side, faint, rgb
from viz.style.traces import curve, float32, point

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles; the third is the median, and the others are the edges of two bands."""


def quantile_figure(
    quantiles: Mapping[float, np.ndarray],
    heads: Sequence[str],
    *,
    selected: int | None = None,
    side: Side = "left",
    quantity: str = "",
    title: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw the median of every head, with bands for the middle 50 % and 90 % of the texts.

    Args:
        quantiles: Values of the heads, (N,), for each of :data:`LEVELS`.
        heads: Names of the heads from left to right, length N.
        selected: Index of the head with a large marker.
        side: Side whose hue is used.
        quantity: Title of the vertical axis, in the reader's language.
        title: First line above the plot, without markup.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the values do not match the heads; both numbers are named.
    """
    for values in quantiles.values():
        if values.shape != (len(heads),):
            raise ValueError(f"The values are {values.shape}, but there are {len(heads)} heads.")
    colour, places = rgb(side), np.arange(1, len(heads) + 1)
    edge = {
        "type": "scatter",
        "x": places,
        "mode": "lines",
        "line": {"width": 0, "color": colour},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    low, lower, median, upper, high = (float32(quantiles[level]) for level in LEVELS)
    traces: list[Part] = []
    names = {"90 %": (low, high), "50 %": (lower, upper)}
    for share, (bottom, top) in names.items():
        shown = {"name": translate("{share} of the texts").format(share=share), "showlegend": True}
        band = {"fill": "tonexty", "fillcolor": faint(colour), **shown}
        traces += [{**edge, "y": bottom}, {**edge, "y": top, **band}]
    rows = np.stack([low, lower, median, upper, high], axis=-1)  # 5 x (N,) -> (N, 5)
    texts = [
        "<br>".join(
            [literal(name), *(f"{q:.0%}: {v:.6g}" for q, v in zip(LEVELS, row, strict=True))]
        )
        for name, row in zip(heads, rows, strict=True)
    ]
    traces.append(
        curve(
            places,
            median,
            colour,
            name=translate("median"),
            showlegend=True,
            customdata=np.arange(len(heads)),
            text=texts,
            hovertemplate="%{text}<extra></extra>",
        )
    )
    if selected is not None:
        marked = point(int(places[selected]), median[selected], "")
        traces.append({**marked, "hoverinfo": "skip", "showlegend": False})
    return panel(
        traces,
        axis(translate("head, by its place in the table"), showgrid=False),
        axis(quantity),
        title=title,
        legend=2,
    )
