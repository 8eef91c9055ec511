"""Figures of attention masks: reach over the layers, distance to full attention, cost.

Axes: T tokens, L layers, N lengths.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    FROM_THE_TOP,
    SMALL,
    TURNED,
    Part,
    Translate,
    axis,
    below,
    beside,
    colour_bar,
    figure,
    heading,
    panel,
    token_axis,
)
from viz.style.labels import literal
from viz.style.theme import GREY, HEAD_COLOURS, distance_scale, rgb
from viz.style.traces import NAMED, curve, float32, in_cells

MAX_PRINTED = 24
"""Most tokens for which the numbers of layers fit into the cells."""


def reach_figure(
    needed: np.ndarray,
    tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the number of layers after which information from each key can reach each query.

    Args:
        needed: Layers, (T, T), queries as rows. -1 (never) leaves a cell blank.
        tokens: The tokens of the sentence, length T.
        title: Name of the mask.
        subtitle: The sentence.
        text_colour: CSS colour of the numbers in the cells.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the tokens do not match; both numbers are named.
    """
    if needed.shape != (len(tokens), len(tokens)):
        raise ValueError(f"The numbers are {needed.shape}, but there are {len(tokens)} tokens.")
    names, x_axis, room = token_axis(tokens, translate("key (reached)"))
    _, y_axis, _ = token_axis(tokens, translate("query (reaching)"))
    most = max(int(needed.max()), 1)
    shown = np.where(needed < 0, np.nan, needed.astype(np.float64))
    text = [["" if value < 0 else str(value) for value in row] for row in needed.tolist()]
    printed = len(tokens) <= MAX_PRINTED
    layers = translate("layers")
    cells = {
        "type": "heatmap",
        "z": float32(shown),
        "x": names,
        "y": names,
        "zmin": 0,
        "zmax": most + 1,  # the largest numbers are still visible
        "colorscale": distance_scale(),
        **in_cells(printed, text_colour, text=text, texttemplate="%{text}"),
        "hovertemplate": f"<b>%{{y}}</b> ← <b>%{{x}}</b><br>%{{z:d}} {layers}<extra></extra>",
        "colorbar": colour_bar(layers, size=SMALL, tickvals=_ticks(most)),
    }
    return figure(
        [cells],
        x_axis={**x_axis, **TURNED},
        y_axis={**y_axis, **FROM_THE_TOP},
        height=min(760, max(400, 110 + 14 * len(tokens))),
        margin={"l": beside(room), "r": 10, "t": 50 if title else 10, "b": below(room)},
        title=heading(title, subtitle),
    )


def _ticks(most: int) -> list[int]:
    """About ten whole numbers for the colour bar."""
    return list(range(0, most + 1, -(-most // 10)))


def departure_figure(
    distances: np.ndarray,
    cosines: np.ndarray,
    *,
    title: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw the distance of each layer to full attention. 0 means no difference.

    Args:
        distances: Jensen-Shannon distance of each head, (L, H), drawn as points with their mean.
        cosines: Cosine similarity of the states after each layer, (L, T). The curve is 1 minus
            the mean.
        title: Title of the figure.
        translate: From English to the reader's language.
    """
    layers, heads = np.indices(distances.shape)
    curves = {
        translate("weights: Jensen-Shannon distance"): (distances.mean(axis=1), rgb("left")),
        translate("states: 1 − cosine"): (1 - cosines.mean(axis=1), rgb("right")),
    }
    points: Part = {
        "type": "scatter",
        "x": layers.ravel(),
        "y": float32(distances.ravel()),
        "customdata": heads.ravel(),
        "mode": "markers",
        "marker": {"color": rgb("left"), "size": 5, "opacity": 0.35},
        "hovertemplate": "L%{x}·H%{customdata}<br>%{y:.6f}<extra></extra>",
        "showlegend": False,
    }
    traces = [
        curve(
            np.arange(len(values)),
            float32(values),
            colour,
            name=name,
            hovertemplate=f"L%{{x}}<br>%{{y:.6f}}{NAMED}",
        )
        for name, (values, colour) in curves.items()
    ]
    return panel(
        [points, *traces],
        axis(
            translate("layer"),
            tickvals=list(range(len(distances))),
            ticktext=[f"L{layer}" for layer in range(len(distances))],
            showgrid=False,
        ),
        axis(translate("0: no change by the mask"), rangemode="tozero"),
        title=title,
        legend=2,
    )


def growth_figure(
    lengths: np.ndarray,
    curves: Mapping[str, Sequence[float]],
    *,
    here: int,
    chosen: str = "",
    own: int | None = None,
    limit: tuple[float, str] | None = None,
    title: str = "",
    y_title: str = "",
    unit: str = "",
    translate: Translate = str,
) -> go.Figure:
    """Draw the cost of kinds of attention over the number of tokens on logarithmic axes.

    Args:
        lengths: Numbers of tokens, increasing, (N,).
        curves: Positive costs of each kind of attention by its name, (N,).
        here: Number of tokens to mark.
        chosen: Name of the curve that is wider.
        own: Number of tokens of the reader's sentence, marked faintly.
        limit: Available amount and its label.
        title: Title of the figure, without markup.
        y_title: Title of the vertical axis.
        unit: Unit after each number.
        translate: From English to the reader's language.
    """
    tokens = translate("tokens")
    traces = [
        {
            "type": "scatter",
            "x": lengths,
            "y": np.array(values, dtype=np.float64),
            "mode": "lines",
            "name": literal(name),
            "line": {"color": colour, "width": 4 if name == chosen else 1.8},
            "hovertemplate": f"%{{x:,d}} {tokens}<br>%{{y:.4s}}{unit}{NAMED}",
        }
        for (name, values), colour in zip(curves.items(), HEAD_COLOURS, strict=False)
    ]
    lowest = min(min(values) for values in curves.values())
    highest = max(max(values) for values in curves.values())
    traces.append(_mark([here, here], [lowest, highest], f"n = {here:,}", "dash"))
    if own is not None:
        traces.append(_mark([own, own], [lowest, highest], translate("your sentence"), "dot"))
    if limit is not None:
        ends = [lengths[0], lengths[-1]]
        traces.append(_mark(ends, [limit[0], limit[0]], limit[1], "dashdot"))
    return panel(
        traces,
        axis(translate("tokens n"), type="log", dtick=1),
        axis(y_title, type="log", exponentformat="power", dtick=3),
        title=title,
        legend=6,
        left=66,
    )


def _mark(x: Sequence[float], y: Sequence[float], name: str, dash: str) -> Part:
    """A straight line as a trace, because layout guides need linear axes."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": literal(name),
        "line": {"color": GREY, "width": 2, "dash": dash},
        "hoverinfo": "skip",
    }
