"""Figures of position encodings: tables, curves, wavelengths, squares of query and key.

Axes: L positions, D dimensions, R rows drawn, C columns drawn. Curves are blue and selected points
orange. In tables, negative values are magenta and positive ones green.
"""

import math

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    BAR_ROOM,
    FROM_THE_TOP,
    SMALL,
    TALL,
    Numbers,
    Translate,
    axis,
    counted_axis,
    panel,
)
from viz.style.theme import HEAD_COLOURS, Sign, rgb
from viz.style.traces import NAMED, guide, point, series, signed_cells

MAX_ROWS = 256
MAX_COLUMNS = 384
"""More rows and columns than the pixels of the figure on a screen."""


def strided(length: int, limit: int) -> np.ndarray:
    """Indices 0, s, 2s, ... below ``length``, at most ``limit`` with the smallest stride s."""
    return np.arange(0, length, -(-length // limit))


def encoding_heatmap(
    table: np.ndarray,
    *,
    rows: Numbers,
    columns: Numbers,
    top: float,
    title: str = "",
    subtitle: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw a table of position encodings, position 0 on top.

    Args:
        table: Encodings, (R, C), at most MAX_ROWS x MAX_COLUMNS: see :func:`strided`.
        top: Largest absolute value of the colour range, equal in figures to compare. 0 becomes 1.
    """
    position, dimension = translate("position"), translate("column")
    cells = signed_cells(
        table,
        np.asarray(rows),
        np.asarray(columns),
        top,
        translate("value"),
        hovertemplate=f"{position} %{{y:d}}<br>{dimension} %{{x:d}}<br>%{{z:.6f}}<extra></extra>",
    )
    return panel(
        [cells],
        counted_axis(dimension, columns, showgrid=False),
        counted_axis(position, rows, showgrid=False, **FROM_THE_TOP),
        title=title,
        subtitle=subtitle,
        height=TALL,
        right=BAR_ROOM,
    )


def matrix_heatmap(
    matrix: np.ndarray,
    *,
    x_title: str,
    y_title: str,
    top: float,
    unit: str = "",
    sign: Sign = "both",
    title: str = "",
) -> go.Figure:
    """Draw what a scheme gives each query (row) and key (column), (T, T), position 0 on top.

    Args:
        top: Largest absolute value of the colour range. 0 becomes 1.
        unit: What a cell is, beside the colour bar.
        sign: The signs of the values. With negative ones alone, the colour range ends at 0.
    """
    exact = "%{z:d}" if np.issubdtype(matrix.dtype, np.integer) else "%{z:.6f}"
    down, across = map(np.arange, matrix.shape)
    cells = signed_cells(
        matrix,
        down,
        across,
        top,
        unit,
        sign=sign,
        hovertemplate=f"{y_title} <b>%{{y}}</b><br>{x_title} <b>%{{x}}</b><br>{exact}"
        "<extra></extra>",
    )
    return panel(
        [cells],
        counted_axis(x_title, across, showgrid=False),
        counted_axis(y_title, down, showgrid=False, **FROM_THE_TOP),
        title=title,
        right=BAR_ROOM,
    )


def dimension_curves(
    table: np.ndarray, dims: Numbers, *, title: str = "", translate: Translate = str
) -> go.Figure:
    """Draw at most 12 dimensions of an encoding, (L, C), as curves over the position."""
    position = translate("position")
    positions = np.arange(len(table))
    # (L, C) -> (C, L)
    curves = [
        series(
            positions,
            column,
            colour,
            name=translate("column {number}").format(number=int(dim)),
            hovertemplate=f"{position} %{{x:d}}<br>%{{y:.6f}}{NAMED}",
        )
        for dim, column, colour in zip(dims, table.T, HEAD_COLOURS, strict=False)
    ]
    return panel(
        curves,
        counted_axis(position, positions),
        axis(translate("value")),
        title=title,
        legend=-(-len(dims) // 3),  # three names to a line on a phone
    )


def wavelength_chart(
    wavelengths: np.ndarray, length: int, chosen: int, *, translate: Translate = str
) -> go.Figure:
    """Draw the wavelength of each pair of dimensions on a logarithmic axis.

    A pair repeats after one wavelength (Vaswani et al. 2017, section 3.5).

    Args:
        length: Number of positions, drawn as a guide.
    """
    pairs = np.arange(len(wavelengths))
    pair = translate("pair of columns")
    text = translate("{n} positions").format(n="%{y:.6g}")
    hover = f"{pair} %{{x:d}}<br>{text}<extra></extra>"
    traces = [
        series(pairs, wavelengths, rgb("right"), hovertemplate=hover),
        point(chosen, wavelengths[chosen], hover),
    ]
    ends = np.array([*wavelengths, length], dtype=np.float64)
    low, high = math.log10(ends.min() / 2), math.log10(ends.max() * 2)
    name = {
        "text": translate("{n} positions: the first picture").format(n=length),
        "font": {"size": SMALL},
        "textposition": "start",
        # The curve begins at 2 pi. The label is on the other side of the guide.
        "yanchor": "bottom" if wavelengths[0] <= length else "top",
    }
    return panel(
        traces,
        counted_axis(pair, pairs, pad=True),
        axis(
            translate("wavelength (positions)"),
            type="log",
            range=[low, high],
            dtick=1 if high - low > 2 else None,  # only powers of 10 on a long axis
        ),
        title=translate("Wavelengths"),
        shapes=[{**guide(y=length), "label": name}],
    )
