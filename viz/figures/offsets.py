"""Figures of the offset between two positions: scores, slopes, shifts, and their matrices.

Axes: D dimensions, R rows drawn, C columns drawn, N offsets, H heads. Curves are blue and selected
points orange, except curves of several models. In signed matrices, negative values are orange.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    BAR_ROOM,
    FROM_THE_TOP,
    SMALL,
    TALL,
    TURNED,
    Numbers,
    Part,
    Translate,
    axis,
    below,
    beside,
    counted_axis,
    panel,
    token_axis,
)
from viz.style.labels import literal
from viz.style.theme import HEAD_COLOURS, Side, Sign, faint, rgb
from viz.style.traces import (
    NAMED,
    Labels,
    float32,
    guide,
    in_cells,
    numbers_in_cells,
    point,
    series,
    signed_cells,
)

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Mean, low and high, (N,) each."""

MAX_PRINTED = 16
"""Most rows and columns for which the values fit into the cells."""


def offset_curve(
    offsets: Numbers,
    curves: Mapping[str, Curve],
    *,
    y_title: str,
    sides: Sequence[Side] = ("left", "right"),
    title: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw the mean of a quantity over the offset, with a band from low to high for each table.

    Args:
        offsets: In tokens, (N,).

    Raises:
        ValueError: If the values do not match the offsets; both numbers are named.
    """
    places, offset = np.asarray(offsets), translate("offset")
    colours = (*map(rgb, sides), *HEAD_COLOURS[2:])
    traces: list[Part] = []
    for number, (name, (mean, low, high)) in enumerate(curves.items()):
        for values in (mean, low, high):
            _one_each(values, places)
        colour = colours[number % len(colours)]
        edge = {
            "type": "scatter",
            "x": places,
            "mode": "lines",
            "line": {"width": 0, "color": colour},
            "legendgroup": str(number),  # a click on the legend also hides the band
            "showlegend": False,
            "hoverinfo": "skip",
        }
        traces += [
            {**edge, "y": float32(low)},
            {**edge, "y": float32(high), "fill": "tonexty", "fillcolor": faint(colour)},
            series(
                places,
                mean,
                colour,
                name=literal(name),
                legendgroup=str(number),
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
        legend=len(curves),  # each name of a model fills a line on a phone
    )


def score_curve(
    offsets: Numbers,
    scores: np.ndarray,
    here: int,
    *,
    title: str = "",
    subtitle: str = "",
    x_title: str,
    y_title: str,
    translate: Translate = str,
) -> go.Figure:
    """Draw a score as a function of the offset, with one offset marked.

    Args:
        offsets: In tokens, (N,).
        here: Offset to mark, within the range of ``offsets``.

    Raises:
        ValueError: If the scores do not match the offsets, or the marked offset is out of range;
            the numbers are named.
    """
    places = np.asarray(offsets)
    _one_each(scores, places)
    if not places.min() <= here <= places.max():
        raise ValueError(f"The offset {here} is not within {places.min()} to {places.max()}.")
    offset = translate("offset")
    hover = f"{offset} %{{x:d}}<br>%{{y:.6f}}<extra></extra>"
    traces = [series(places, scores, rgb("right"), hovertemplate=hover)]
    for index in np.flatnonzero(places == here)[:1]:
        traces.append(point(here, scores[index], hover))
    return panel(
        traces,
        counted_axis(x_title, places, pad=True),
        axis(y_title),
        title=title,
        subtitle=subtitle,
        shapes=[guide(x=here)],
    )


def matrix_heatmap(
    matrix: np.ndarray,
    *,
    rows: Sequence[str] | Numbers,
    columns: Sequence[str] | Numbers,
    x_title: str,
    y_title: str,
    top: float,
    sign: Sign = "both",
    title: str = "",
    printed: bool,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw a signed matrix with its first row on top, such as a rotation, bias or bucket numbers.

    Args:
        matrix: The values, (R, C). Integers are printed without decimals.
        rows: Labels of the rows (escaped) or their numbers, (R,).
        columns: Labels of the columns (escaped) or their numbers, (C,).
        top: Largest absolute value of the colour range. 0 becomes 1.
        sign: The signs of the values. With one sign, the colour range ends at 0.
        printed: Whether to print the values in the cells, up to 16 rows and columns.

    Raises:
        ValueError: If rows or columns do not match the matrix; all numbers are named.
    """
    printed = printed and max(matrix.shape) <= MAX_PRINTED
    whole = np.issubdtype(matrix.dtype, np.integer)
    short, exact = ("d", "%{z:d}") if whole else ("z.2f", "%{z:.6f}")
    down, y_axis, left = _axis_of(rows, y_title)
    across, x_axis, under = _axis_of(columns, x_title)
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
        {**x_axis, **(TURNED if under else {})},
        {**y_axis, **FROM_THE_TOP},
        title=title,
        height=min(760, max(320, 150 + under + 26 * len(matrix))) if left or printed else TALL,
        left=beside(left) if left else 58,
        right=BAR_ROOM,
        bottom=below(under) if under else 50,
    )


def _axis_of(labels: Sequence[str] | Numbers, title: str) -> tuple[Labels, Part, int]:
    """Coordinates, axis, and length of the longest label in pixels: 0 for numbers."""
    names = [label for label in labels if isinstance(label, str)]
    if names:
        return token_axis(names, title, size=SMALL)
    numbers = np.asarray(labels)
    return numbers, counted_axis(title, numbers, showgrid=False), 0


def shift_overlay(
    shifted: np.ndarray, target: np.ndarray, *, title: str = "", translate: Translate = str
) -> go.Figure:
    """Draw a rotated encoding as points over the encoding k positions later as a line.

    The points lie on the line (Vaswani et al. 2017, section 3.5).

    Args:
        shifted: Points R_k PE(pos), (D,).
        target: Line PE(pos + k), (D,).

    Raises:
        ValueError: If the two shapes differ; both are named.
    """
    if target.ndim != 1 or shifted.shape != target.shape:
        raise ValueError(f"The points are {shifted.shape}, but the line is {target.shape}.")
    dimensions, dimension = np.arange(len(target)), translate("dimension")
    hover = f"{dimension} %{{x:d}}<br>%{{y:.6f}}{NAMED}"
    line = series(
        dimensions,
        target,
        rgb("right"),
        mode="lines",
        name="PE(pos + k)",
        fill="tozeroy",
        fillcolor=faint(rgb("right")),
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
    """Draw ALiBi's slope of each head on a logarithmic axis (Press et al. 2022, section 3).

    Args:
        slopes: Positive slopes, (H,).
    """
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


def _one_each(values: np.ndarray, places: np.ndarray) -> None:
    if values.shape != places.shape:
        raise ValueError(f"The values are {values.shape}, but there are {len(places)} offsets.")
