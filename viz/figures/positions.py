"""Position encodings as figures: tables, waves, similarities, rotations, biases.

Axes: L positions, D dimensions, R and C rows and columns drawn, N offsets, H heads. In every curve
blue is what is drawn and orange what is pointed at; in every signed matrix orange is negative.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.heatmap import MAX_ROOM, SINE_60, label_room
from viz.style.labels import distinct, literal
from viz.style.theme import HEAD_COLOURS, SIDE_RGB, diverging_scale, position_scale, rgb

Translate = Callable[[str], str]
Numbers = Sequence[int] | np.ndarray
Curve = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Mean, low and high, (N,) each."""

MAX_ROWS = 256
MAX_COLUMNS = 384
"""More cells than pixels that a screen gives the figure."""

MAX_PRINTED = 16
"""Up to this many rows and columns, the values fit into the cells."""

GREY = "rgb(128, 128, 128)"  # guides and threads: seen on a light page and on a dark one
FAINT = "rgba(128, 128, 128, 0.45)"
HEIGHT = 340
TALL = 440  # a matrix, or a plane

_LEGEND_LINE = 20  # pixels
_BAR_ROOM = 74  # a colour bar with its numbers and its title
_FEW_POINTS = 64  # up to here, every point of a curve is marked


def strided(length: int, limit: int) -> np.ndarray:
    """Indices 0, s, 2s, ... below ``length``, s the smallest stride that leaves at most ``limit``.

    Returns:
        (ceil(length / s),), int64.

    Raises:
        ValueError: If either is below 1; both are named.
    """
    if length < 1 or limit < 1:
        raise ValueError(f"Of {length} indices at most {limit} cannot be kept: both count from 1.")
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
        table: (R, C), already strided: see :func:`strided`, MAX_ROWS and MAX_COLUMNS.
        rows: Positions that the rows stand for, (R,).
        columns: Dimensions that the columns stand for, (C,).
        top: The colours run from -top to top; share it between figures that are compared. For a
            table of zeros they run from -1 to 1.
        title: Which encoding this is.
        subtitle: What else there is to say; both are printed as they stand.
        translate: From English to the reader's language.

    Raises:
        ValueError: If rows or columns do not match the table; all numbers are named.
    """
    _match(table, rows, columns)
    position, dimension = translate("position"), translate("dimension")
    heatmap = {
        **_signed(table, top, translate("value")),
        "x": np.asarray(columns),
        "y": np.asarray(rows),
        "hovertemplate": f"{position} %{{y:d}}<br>{dimension} %{{x:d}}<br>"
        "%{z:.6f}<extra></extra>",
    }
    return _figure(
        [heatmap],
        title,
        subtitle,
        {**_counted(dimension, columns), "showgrid": False},
        {**_counted(position, rows), "showgrid": False, "autorange": "reversed"},
        height=TALL,
        right=_BAR_ROOM,
    )


def dimension_curves(
    table: np.ndarray,
    dims: Numbers,
    *,
    title: str = "",
    subtitle: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw some dimensions of an encoding as curves over the position.

    Args:
        table: (L, len(dims)), one column for each curve.
        dims: Which dimensions these are, at most 12.
        title: Which encoding this is.
        subtitle: What else there is to say; both are printed as they stand.
        translate: From English to the reader's language.

    Raises:
        ValueError: If dims do not match the table or are more than there are colours; both numbers
            are named.
    """
    if table.ndim != 2 or table.shape[1] != len(dims):
        raise ValueError(f"The table is {table.shape}, but there are {len(dims)} dimensions.")
    if len(dims) > len(HEAD_COLOURS):
        raise ValueError(f"There are {len(dims)} dimensions, but {len(HEAD_COLOURS)} colours.")
    position = translate("position")
    positions = np.arange(len(table))
    curves = [
        {
            **_line(positions, column, colour),
            "name": translate("dim {number}").format(number=int(dim)),
            "hovertemplate": f"{position} %{{x:d}}<br>%{{y:.6f}}{_NAMED}",
        }
        for dim, column, colour in zip(dims, table.T, HEAD_COLOURS, strict=False)
    ]
    return _figure(
        curves,
        title,
        subtitle,
        _counted(position, positions),
        _plain(translate("value")),
        legend=-(-len(dims) // 3),  # three names to a line on a phone
    )


def wavelength_chart(
    wavelengths: np.ndarray, length: int, chosen: int | None, *, translate: Translate = str
) -> go.Figure:
    """Draw after how many positions each pair of dimensions begins anew, on a log axis.

    Args:
        wavelengths: In positions, above 0, (D / 2,).
        length: How many positions there are: the guide.
        chosen: The pair to mark.
        translate: From English to the reader's language.

    Raises:
        ValueError: If there is no such pair; its number and their count are named.
    """
    n_pairs = len(wavelengths)
    if chosen is not None and not 0 <= chosen < n_pairs:
        raise ValueError(f"There is no pair {chosen} among {n_pairs}, counted from 0.")
    pairs = np.arange(n_pairs)
    pair = translate("pair of dimensions")
    hover = (
        f"{pair} %{{x:d}}<br>{translate('wavelength')} %{{y:.6g}} {translate('positions')}"
        "<extra></extra>"
    )
    traces = [{**_line(pairs, wavelengths, rgb("right")), "hovertemplate": hover}]
    if chosen is not None:
        traces.append(_point(chosen, wavelengths[chosen], hover))
    ends = np.array([*wavelengths, length], dtype=np.float64)
    low, high = math.log10(ends.min() / 2), math.log10(ends.max() * 2)
    name = {
        "text": translate("{n} positions").format(n=length),
        "font": {"size": 12},
        "textposition": "start",
        # The curve begins at 2 pi: the name keeps to the other side of the guide.
        "yanchor": "bottom" if wavelengths[0] <= length else "top",
    }
    return _figure(
        traces,
        translate("Wavelengths"),
        "",
        _counted(pair, pairs, pad=True),
        {
            **_plain(translate("wavelength (positions)")),
            "type": "log",
            "range": [low, high],
            "dtick": 1 if high - low > 2 else None,  # powers of 10, where there are some
        },
        shapes=[{**_guide(y=length), "label": name}],
    )


def similarity_heatmap(
    matrix: np.ndarray,
    positions: Numbers,
    *,
    title: str = "",
    subtitle: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw how alike the encodings of two positions are, position 0 on top and on the left.

    Args:
        matrix: Cosines, -1 to 1, (R, R), already strided.
        positions: What its rows and columns stand for, (R,); each is drawn at its own place.
        title: Which encoding this is.
        subtitle: What else there is to say; both are printed as they stand.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the positions do not match the matrix; all numbers are named.
    """
    _match(matrix, positions, positions)
    places, position = np.asarray(positions), translate("position")
    heatmap = {
        **_signed(matrix, 1.0, translate("cosine similarity")),
        "x": places,
        "y": places,
        "hovertemplate": f"{position} %{{y:d}} · {position} %{{x:d}}<br>%{{z:.6f}}<extra></extra>",
    }
    axis = {**_counted(position, positions), "showgrid": False}
    return _figure(
        [heatmap],
        title,
        subtitle,
        axis,
        {**axis, "autorange": "reversed"},
        height=TALL,
        right=_BAR_ROOM,
    )


def offset_curve(
    offsets: Numbers,
    curves: Mapping[str, Curve],
    *,
    y_title: str,
    title: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw a quantity over the offset: for each table its mean, and a band from low to high.

    Args:
        offsets: In tokens, (N,).
        curves: By the table's name, which is printed as it stands.
        y_title: What is drawn, in the reader's language.
        title: Printed as it stands.
        translate: From English to the reader's language.

    Raises:
        ValueError: If there is not one value for each offset; both numbers are named.
    """
    places, offset = np.asarray(offsets), translate("offset")
    colours = (rgb("left"), rgb("right"), *HEAD_COLOURS[2:])
    traces: list[dict[str, Any]] = []
    for number, (name, (mean, low, high)) in enumerate(curves.items()):
        for values in (mean, low, high):
            _one_each(values, places, "offsets")
        colour = colours[number % len(colours)]
        edge = {
            "type": "scatter",
            "x": places,
            "mode": "lines",
            "line": {"width": 0, "color": colour},
            "legendgroup": str(number),  # a click on the name takes the band along
            "showlegend": False,
            "hoverinfo": "skip",
        }
        traces += [
            {**edge, "y": _float32(low)},
            {**edge, "y": _float32(high), "fill": "tonexty", "fillcolor": _faint(colour)},
            {
                **_line(places, mean, colour),
                "name": literal(name),
                "legendgroup": str(number),
                "customdata": np.stack((_float32(low), _float32(high)), axis=-1),  # (N, 2)
                "hovertemplate": f"{offset} %{{x:d}}<br>%{{y:.6f}}<br>"
                f"%{{customdata[0]:.6f}} … %{{customdata[1]:.6f}}{_NAMED}",
            },
        ]
    return _figure(
        traces,
        title,
        "",
        _counted(translate("offset (tokens)"), places),
        _plain(y_title),
        legend=len(curves),  # names of models: each takes a phone's whole line
    )


def components_plot(
    coordinates: np.ndarray,
    explained: Sequence[float] | np.ndarray,
    *,
    title: str = "",
    subtitle: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw the positions in the plane of their first two principal components.

    A unit is as long across as it is down, so that a circle is seen as one.

    Args:
        coordinates: (L, 2), in the order of the positions.
        explained: Share of the variance that each of the two explains, 0 to 1, (2,).
        title: Which encoding this is.
        subtitle: What else there is to say; both are printed as they stand.
        translate: From English to the reader's language.

    Raises:
        ValueError: If there are not two coordinates and two shares; the numbers are named.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != 2 or len(explained) != 2:
        raise ValueError(
            f"The coordinates are {coordinates.shape} and the shares {len(explained)}, "
            "but two components are drawn."
        )
    position = translate("position")
    hover = f"{position} %{{marker.color:d}}<br>(%{{x:.6f}}, %{{y:.6f}})<extra></extra>"
    points = {
        "type": "scatter",
        "x": _float32(coordinates[:, 0]),
        "y": _float32(coordinates[:, 1]),
        "mode": "lines+markers",
        "line": {"color": FAINT, "width": 1},
        "marker": {
            "color": np.arange(len(coordinates)),
            "cmin": 0,
            "cmax": max(1, len(coordinates) - 1),
            "colorscale": position_scale(),
            "size": 7,
            "line": {"width": 0},
            "colorbar": _bar(position),
        },
        "hovertemplate": hover,
    }
    across, down = (
        translate("component {number} ({share} of the variance)").format(
            number=number, share=f"{100 * float(share):.1f} %"
        )
        for number, share in enumerate(explained, start=1)
    )
    return _figure(
        [points],
        title,
        subtitle,
        _plain(across),
        {**_plain(down), "scaleanchor": "x"},
        height=TALL,
        right=_BAR_ROOM,
    )


def matrix_heatmap(
    matrix: np.ndarray,
    *,
    rows: Sequence[str] | Numbers,
    columns: Sequence[str] | Numbers,
    x_title: str,
    y_title: str,
    top: float,
    title: str = "",
    printed: bool,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw a signed matrix, its first row on top: a rotation, a bias, the numbers of buckets.

    Args:
        matrix: (R, C). Whole numbers (an integer dtype) are printed without decimals.
        rows: Names of the rows, printed as they stand, or their numbers, (R,).
        columns: Names or numbers of the columns, (C,).
        x_title: What the columns are, in the reader's language.
        y_title: What the rows are, in the reader's language.
        top: The colours run from -top to top; for a matrix of zeros from -1 to 1.
        title: Printed as it stands.
        printed: Whether the values stand in the cells; they never do beyond 16 rows or columns.
        text_colour: Of these values. Plotly by itself takes the page for a white one.
        translate: From English to the reader's language.

    Raises:
        ValueError: If rows or columns do not match the matrix; all numbers are named.
    """
    _match(matrix, rows, columns)
    printed = printed and max(matrix.shape) <= MAX_PRINTED
    whole = np.issubdtype(matrix.dtype, np.integer)
    down, y_axis, left = _named_axis(rows, y_title)
    across, x_axis, below = _named_axis(columns, x_title)
    if below:
        x_axis["tickangle"] = -60
    heatmap = {
        **_signed(matrix, top, translate("value")),
        "x": across,
        "y": down,
        "xgap": 1 if printed else 0,
        "ygap": 1 if printed else 0,
        "texttemplate": ("%{z:d}" if whole else "%{z:.2f}") if printed else None,
        "textfont": {"color": text_colour},  # no size: Plotly fits it to the cells
        "hovertemplate": f"{y_title} <b>%{{y}}</b><br>{x_title} <b>%{{x}}</b><br>"
        + ("%{z:d}" if whole else "%{z:.6f}")
        + "<extra></extra>",
    }
    return _figure(
        [heatmap],
        title,
        "",
        {**x_axis, "showgrid": False},
        {**y_axis, "showgrid": False, "autorange": "reversed"},
        height=min(760, max(320, 150 + below + 26 * len(matrix))) if left or printed else TALL,
        left=left + 44 if left else 58,
        right=_BAR_ROOM,
        bottom=int(below * SINE_60) + 44 if below else 50,
    )


def shift_overlay(
    shifted: np.ndarray, target: np.ndarray, *, title: str = "", translate: Translate = str
) -> go.Figure:
    """Draw that a rotation moves an encoding by k positions: points that lie on the line.

    Args:
        shifted: R_k PE(pos), the points, (D,).
        target: PE(pos + k), the line, (D,).
        title: Printed as it stands.
        translate: From English to the reader's language.

    Raises:
        ValueError: If their shapes differ; both are named.
    """
    if target.ndim != 1 or shifted.shape != target.shape:
        raise ValueError(f"The points are {shifted.shape}, but the line is {target.shape}.")
    dimensions, dimension = np.arange(len(target)), translate("dimension")
    hover = f"{dimension} %{{x:d}}<br>%{{y:.6f}}{_NAMED}"
    line = {
        **_line(dimensions, target, rgb("right")),
        "mode": "lines",
        "name": "PE(pos + k)",
        "fill": "tozeroy",
        "fillcolor": _faint(rgb("right")),
        "hovertemplate": hover,
    }
    points = {
        "type": "scatter",
        "x": dimensions,
        "y": _float32(shifted),
        "mode": "markers",
        "name": "R<sub>k</sub> · PE(pos)",
        "marker": {"color": rgb("left"), "size": 6},
        "hovertemplate": hover,
    }
    return _figure(
        [line, points],
        title,
        "",
        _counted(dimension, dimensions, pad=True),
        _plain(translate("value")),
        legend=1,
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
        scores: (N,).
        here: The offset to mark; it need not be one of those drawn, but lie among them.
        title: Printed as it stands.
        subtitle: Printed as it stands.
        x_title: What the offsets are, in the reader's language.
        y_title: What the scores are, in the reader's language.
        translate: From English to the reader's language.

    Raises:
        ValueError: If there is not one score for each offset, or the marked offset lies outside of
            them; the numbers are named.
    """
    places = np.asarray(offsets)
    _one_each(scores, places, "offsets")
    if not places.min() <= here <= places.max():
        raise ValueError(f"The offset {here} is not within {places.min()} to {places.max()}.")
    hover = f"{translate('offset')} %{{x:d}}<br>%{{y:.6f}}<extra></extra>"
    traces = [{**_line(places, scores, rgb("right")), "hovertemplate": hover}]
    for index in np.flatnonzero(places == here)[:1]:
        traces.append(_point(here, scores[index], hover))
    return _figure(
        traces,
        title,
        subtitle,
        _counted(x_title, places, pad=True),
        _plain(y_title),
        shapes=[_guide(x=here)],
    )


def slopes_chart(slopes: np.ndarray, *, translate: Translate = str) -> go.Figure:
    """Draw ALiBi's slopes by head: points on an axis of powers of two, which has no zero.

    Args:
        slopes: Above 0, (H,).
        translate: From English to the reader's language.
    """
    heads, head = np.arange(len(slopes)), translate("head")
    low, high = math.floor(math.log2(slopes.min())), math.ceil(math.log2(slopes.max()))
    powers = range(low, high + 1, max(1, -(-(high - low) // 9)))  # ten ticks at most
    points = {
        **_line(heads, slopes, rgb("right")),
        "mode": "markers",
        "marker": {"color": rgb("right"), "size": 10},
        "hovertemplate": f"{head} %{{x:d}}<br>{translate('slope')} %{{y:.6g}}<extra></extra>",
    }
    return _figure(
        [points],
        translate("Slopes"),
        "",
        _counted(head, heads, pad=True),
        {
            **_plain(translate("slope (per token of distance)")),
            "type": "log",
            "range": [math.log10(2.0 ** (low - 0.5)), math.log10(2.0 ** (high + 0.5))],
            "tickvals": [2.0**power for power in powers],
            "ticktext": [f"1/{2**-power}" if power < 0 else str(2**power) for power in powers],
        },
    )


_NAMED = "<extra>%{fullData.name}</extra>"  # a name put here itself could hold a template


def _match(
    matrix: np.ndarray, rows: Sequence[Any] | np.ndarray, columns: Sequence[Any] | np.ndarray
) -> None:
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(
            f"The matrix is {matrix.shape}, but there are {len(rows)} rows and "
            f"{len(columns)} columns."
        )


def _one_each(values: np.ndarray, places: np.ndarray, what: str) -> None:
    if values.shape != places.shape:
        raise ValueError(f"The values are {values.shape}, but there are {len(places)} {what}.")


def _float32(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float32)


def _faint(colour: str) -> str:
    """The same colour for an area behind a curve, in CSS."""
    if colour.startswith("#"):
        parts = tuple(bytes.fromhex(colour[1:]))
    else:
        parts = next(hue for side, hue in SIDE_RGB.items() if rgb(side) == colour)
    return "rgba({}, {}, {}, 0.18)".format(*parts)


def _bar(title: str) -> dict[str, Any]:
    return {"title": {"text": title, "side": "right", "font": {"size": 12}}, "thickness": 10}


def _signed(matrix: np.ndarray, top: float, title: str) -> dict[str, Any]:
    top = float(top) or 1.0  # of two equal ends Plotly makes a range of its own
    return {
        "type": "heatmap",
        "z": _float32(matrix),
        "zmin": -top,
        "zmax": top,
        "colorscale": diverging_scale(),
        "colorbar": _bar(title),
    }


def _line(x: np.ndarray, y: np.ndarray, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x,
        "y": _float32(y),
        "mode": "lines+markers" if len(x) <= _FEW_POINTS else "lines",
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 5},
        "showlegend": True,
    }


def _point(x: int, y: float, hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [x],
        "y": [float(y)],
        "mode": "markers",
        "marker": {"color": rgb("left"), "size": 12},
        "hovertemplate": hover,
    }


def _guide(*, x: float | None = None, y: float | None = None) -> dict[str, Any]:
    across = {"xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    down = {"yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x}
    return {
        "type": "line",
        **(across if x is None else down),
        # Lines of the grid, which would hide a guide that coincides, run across only.
        "layer": "above" if x is None else "below",
        "line": {"color": GREY, "width": 1.5, "dash": "dash"},
    }


def _plain(title: str) -> dict[str, Any]:
    return {
        "title": {"text": title, "font": {"size": 12}},
        "zeroline": False,
        "automargin": False,
    }


def _counted(title: str, numbers: Numbers, *, pad: bool = False) -> dict[str, Any]:
    """An axis of whole numbers, with room for a marker at both ends if asked."""
    first, last = int(np.min(numbers)), int(np.max(numbers))
    axis = {**_plain(title), "tickangle": 0}
    if last - first <= 12:
        axis |= {"tick0": 0, "dtick": 1}  # or there would be half positions
    if pad:
        room = 0.5 + 0.02 * (last - first)
        axis["range"] = [first - room, last + room]
    return axis


def _named_axis(
    labels: Sequence[str] | Numbers, title: str
) -> tuple[list[str] | np.ndarray, dict[str, Any], int]:
    """Coordinates, axis and pixels that the names take; 0 if these are numbers."""
    names = [label for label in labels if isinstance(label, str)]
    if not names:
        numbers = np.asarray(labels)
        return numbers, _counted(title, numbers), 0
    names = distinct(names)
    room = label_room(names)
    # Words longer than a third of a phone's screen are worth a second drawing.
    axis = {**_plain(title), "type": "category", "automargin": room > MAX_ROOM}
    return [literal(name) for name in names], axis, min(room, MAX_ROOM)


def _figure(
    traces: list[dict[str, Any]],
    title: str,
    subtitle: str,
    x_axis: dict[str, Any],
    y_axis: dict[str, Any],
    *,
    height: int = HEIGHT,
    left: int = 58,
    right: int = 14,
    bottom: int = 50,
    legend: int = 0,
    shapes: Sequence[dict[str, Any]] = (),
) -> go.Figure:
    """In one piece: every update_layout or update_xaxes would validate it all over again (10x).

    Plotly could find the margins itself, but would draw the figure twice for it; so there is room
    for ``legend`` lines of names, which a phone needs.
    """
    above = (56 if subtitle else 36) if title else 12
    height += _LEGEND_LINE * max(0, legend - 1)
    layout = {
        "title": {
            "text": literal(title),
            "subtitle": {"text": literal(subtitle)},
            "font": {"size": 14},
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"t": 8},
        },
        "showlegend": legend > 0,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1 - above / height,
            "yref": "container",
            "yanchor": "top",
        },
        "height": height,
        "margin": {
            "l": left,
            "r": right,
            "t": above + _LEGEND_LINE * legend + (8 if legend else 0),
            "b": bottom,
            # Nor may the legend or the colour bar move them; only long names may.
            "autoexpand": bool(x_axis.get("automargin") or y_axis.get("automargin")),
        },
        "dragmode": "zoom",
        "shapes": list(shapes),
        "xaxis": x_axis,
        "yaxis": y_axis,
    }
    return go.Figure(data=traces, layout=layout)
