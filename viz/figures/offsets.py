"""Figures of the offset between two positions: scores, slopes, shifts, and their matrices.

Axes: D dimensions, R rows drawn, C columns drawn, N offsets, H heads. Curves are blue and selected
points orange, except the curve of a model. In signed matrices, negative values are orange.
"""

import math

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    BAR_ROOM,
    FROM_THE_TOP,
    TALL,
    Numbers,
    Translate,
    axis,
    counted_axis,
    panel,
)
from viz.style.labels import literal
from viz.style.theme import Side, Sign, faint, rgb
from viz.style.traces import (
    NAMED,
    float32,
    guide,
    in_cells,
    numbers_in_cells,
    point,
    series,
    signed_cells,
)

MAX_PRINTED = 16
"""Most rows and columns for which the values fit into the cells."""


def offset_curve(
    offsets: Numbers,
    mean: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    name: str,
    y_title: str,
    side: Side = "left",
    title: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw the mean of a quantity over the offset, with a band from low to high: (N,) each."""
    places, offset, colour = np.asarray(offsets), translate("offset"), rgb(side)
    edge = {
        "type": "scatter",
        "x": places,
        "mode": "lines",
        "line": {"width": 0, "color": colour},
        "legendgroup": "band",  # a click on the legend also hides the band
        "showlegend": False,
        "hoverinfo": "skip",
    }
    traces = [
        {**edge, "y": float32(low)},
        {**edge, "y": float32(high), "fill": "tonexty", "fillcolor": faint(side)},
        series(
            places,
            mean,
            colour,
            name=literal(name),
            legendgroup="band",
            customdata=np.stack((float32(low), float32(high)), axis=-1),  # (N, 2)
            hovertemplate=f"{offset} %{{x:d}}<br>%{{y:.6f}}<br>"
            f"%{{customdata[0]:.6f}} … %{{customdata[1]:.6f}}{NAMED}",
        ),
    ]
    return panel(
        traces,
        counted_axis(translate("offset (tokens)"), places),
        axis(y_title),
        title=title,
        legend=1,
    )


def score_curve(
    offsets: Numbers,
    scores: np.ndarray,
    here: int,
    *,
    title: str = "",
    x_title: str,
    y_title: str,
    translate: Translate = str,
) -> go.Figure:
    """Draw a score as a function of the offset in tokens, with one offset marked."""
    places = np.asarray(offsets)
    offset = translate("offset")
    hover = f"{offset} %{{x:d}}<br>%{{y:.6f}}<extra></extra>"
    marked = float(scores[places == here][0])
    traces = [
        series(places, scores, rgb("right"), hovertemplate=hover),
        point(here, marked, hover),
    ]
    return panel(
        traces,
        counted_axis(x_title, places, pad=True),
        axis(y_title),
        title=title,
        shapes=[guide(x=here)],
    )


def matrix_heatmap(
    matrix: np.ndarray,
    *,
    x_title: str,
    y_title: str,
    top: float,
    sign: Sign = "both",
    title: str = "",
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw a signed matrix with its first row on top, such as a rotation, bias or bucket numbers.

    Up to 16 rows and columns, the values are printed in the cells.

    Args:
        top: Largest absolute value of the colour range. 0 becomes 1.
        sign: The signs of the values. With one sign, the colour range ends at 0.
    """
    printed = max(matrix.shape) <= MAX_PRINTED
    whole = np.issubdtype(matrix.dtype, np.integer)
    short, exact = ("d", "%{z:d}") if whole else ("z.2f", "%{z:.6f}")
    down, across = map(np.arange, matrix.shape)
    cells = signed_cells(
        matrix,
        down,
        across,
        top,
        translate("value"),
        sign=sign,
        hovertemplate=f"{y_title} <b>%{{y}}</b><br>{x_title} <b>%{{x}}</b><br>{exact}"
        "<extra></extra>",
        **in_cells(printed, text_colour, **(numbers_in_cells(matrix, short) if printed else {})),
    )
    return panel(
        [cells],
        counted_axis(x_title, across, showgrid=False),
        {**counted_axis(y_title, down, showgrid=False), **FROM_THE_TOP},
        title=title,
        height=min(760, max(320, 150 + 26 * len(matrix))) if printed else TALL,
        right=BAR_ROOM,
    )


def shift_overlay(
    shifted: np.ndarray, target: np.ndarray, *, title: str = "", translate: Translate = str
) -> go.Figure:
    """Draw a rotated encoding as points over the encoding k positions later as a line.

    The points lie on the line (Vaswani et al. 2017, section 3.5).
    """
    dimensions, dimension = np.arange(len(target)), translate("dimension")
    hover = f"{dimension} %{{x:d}}<br>%{{y:.6f}}{NAMED}"
    line = series(
        dimensions,
        target,
        rgb("right"),
        mode="lines",
        name="PE(pos + k)",
        fill="tozeroy",
        fillcolor=faint("right"),
        hovertemplate=hover,
    )
    points = {
        "type": "scatter",
        "x": dimensions,
        "y": float32(shifted),
        "mode": "markers",
        "name": "R<sub>k</sub> · PE(pos)",
        "marker": {"color": rgb("left"), "size": 6},
        "hovertemplate": hover,
    }
    return panel(
        [line, points],
        counted_axis(dimension, dimensions, pad=True),
        axis(translate("value")),
        title=title,
        legend=1,
    )


def slopes_chart(slopes: np.ndarray, *, translate: Translate = str) -> go.Figure:
    """Draw ALiBi's slope of each head on a logarithmic axis (Press et al. 2022, section 3)."""
    heads, head, slope = np.arange(len(slopes)), translate("head"), translate("slope")
    low, high = math.floor(math.log2(slopes.min())), math.ceil(math.log2(slopes.max()))
    powers = range(low, high + 1, max(1, -(-(high - low) // 9)))  # ten ticks at most
    points = series(
        heads,
        slopes,
        rgb("right"),
        mode="markers",
        marker={"color": rgb("right"), "size": 10},
        hovertemplate=f"{head} %{{x:d}}<br>{slope} %{{y:.6g}}<extra></extra>",
    )
    return panel(
        [points],
        counted_axis(head, heads, pad=True),
        axis(
            translate("slope (per token of distance)"),
            type="log",
            range=[math.log10(2.0 ** (low - 0.5)), math.log10(2.0 ** (high + 0.5))],
            tickvals=[2.0**power for power in powers],
            ticktext=[f"1/{2**-power}" if power < 0 else str(2**power) for power in powers],
        ),
        title=translate("Slopes"),
    )
