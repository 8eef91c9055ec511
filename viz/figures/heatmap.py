"""One head as a Plotly heatmap, and the difference of two."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    FROM_THE_TOP,
    SMALL,
    TURNED,
    Part,
    Translate,
    below,
    beside,
    colour_bar,
    figure,
    heading,
    token_axis,
)
from viz.style.labels import literal, shortened
from viz.style.theme import Side, colour_scale, diverging_scale
from viz.style.traces import float32, in_cells

MAX_PRINTED = 20
"""Up to this many tokens on a side, the values fit into the cells."""


def attention_heatmap(
    weights: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str = "",
    subtitle: str = "",
    side: Side = "right",
    sqrt: bool = False,
    value_range: tuple[float, float] = (0.0, 1.0),
    text_colour: str | None = None,
    height: int | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the weights of one head: query rows from the top down, key columns.

    Args:
        weights: (Tq, Tk), rows sum to 1.
        tokens: Query tokens, length Tq; also the key tokens unless these are given.
        key_tokens: Key tokens, length Tk.
        title: Which model, layer and head this is.
        subtitle: Which sentence.
        side: Whose hue.
        sqrt: Colour by the square root of the weight; the values stay as they are.
        value_range: Weights at the two ends of the colour scale; share it between figures that
            are compared.
        text_colour: Of the values printed in the cells (up to 20 tokens).
        height: In pixels; by default as tall as the rows need.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the tokens do not match the weights; both numbers are named.
    """
    key_tokens = tokens if key_tokens is None else key_tokens
    return _matrix(
        weights,
        tokens,
        key_tokens,
        {
            "zmin": value_range[0],
            "zmax": value_range[1],
            "colorscale": colour_scale(side, sqrt=sqrt),
        },
        bar=colour_bar(translate("weight")),
        form=".6f",
        cells={"texttemplate": "%{z:.2f}"},
        title=title,
        subtitle=subtitle,
        text_colour=text_colour,
        height=height,
        translate=translate,
    )


def difference_heatmap(
    difference: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    ends: tuple[str, str] | None = None,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the difference of two heads' weights, the same colour for the same size either way.

    Give it the right side minus the left, or after minus before: then each cell has the hue of the
    side that has more there.

    Args:
        difference: (Tq, Tk); negative is the left side's orange, positive the right side's blue.
        tokens: Query tokens, length Tq.
        key_tokens: Key tokens, length Tk.
        title: What is subtracted from what.
        subtitle: Which sentence.
        ends: Who has more where it is negative, and where it is positive: printed at the two ends
            of the colour bar.
        text_colour: Of the values printed in the cells (up to 20 tokens).
        translate: From English to the reader's language.

    Raises:
        ValueError: If the tokens do not match the difference; both numbers are named.
    """
    most = max(float(np.abs(difference).max(initial=0)), 1e-4)
    cells: dict[str, Any] = {}
    if max(difference.shape) <= MAX_PRINTED:
        cells = {"text": _without_zeros(difference), "texttemplate": "%{text}"}
    return _matrix(
        difference,
        tokens,
        key_tokens,
        {"zmin": -most, "zmax": most, "zmid": 0, "colorscale": diverging_scale()},
        bar=colour_bar(translate("difference")) if ends is None else _bar_between(ends, most),
        form="+.6f",
        cells=cells,
        title=title,
        subtitle=subtitle,
        text_colour=text_colour,
        height=None,
        translate=translate,
    )


_BAR_LINE = 13  # letters of a line beside the colour bar
_BAR_NAME = 3 * _BAR_LINE


def _bar_between(ends: tuple[str, str], most: float) -> Part:
    """A colour bar from -most to most, with what its ends stand for at the ends."""
    low, high = (
        "<br>".join(map(literal, wrap(shortened(end, _BAR_NAME), _BAR_LINE))) for end in ends
    )
    return colour_bar(
        "",
        size=SMALL,
        tickfont={"size": 11},
        tickvals=[-most, -most / 2, 0, most / 2, most],
        ticktext=[
            f"{-most:+.2g}<br>{low}",
            f"{-most / 2:+.2g}",
            "0",
            f"{most / 2:+.2g}",
            f"{high}<br>{most:+.2g}",
        ],
    )


def _without_zeros(difference: np.ndarray) -> list[list[str]]:
    """What stands in the cells: what rounds to 0 has no sign, and needs no ink."""
    return [
        ["" if abs(value) < 0.005 else f"{value:+.2f}" for value in row]
        for row in difference.tolist()
    ]


def _matrix(
    values: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    colours: dict[str, Any],
    *,
    bar: Part,
    form: str,
    cells: dict[str, Any],
    title: str,
    subtitle: str,
    text_colour: str | None,
    height: int | None,
    translate: Translate,
) -> go.Figure:
    if values.shape != (len(tokens), len(key_tokens)):
        raise ValueError(
            f"The weights are {values.shape}, but there are {len(tokens)} query and "
            f"{len(key_tokens)} key tokens."
        )
    keys, x_axis, across = token_axis(key_tokens, translate("key (attended to, columns)"))
    queries, y_axis, down = token_axis(tokens, translate("query (attending, rows)"))
    heatmap = {
        "type": "heatmap",
        "z": float32(values),
        "x": keys,
        "y": queries,
        **colours,
        **in_cells(max(values.shape) <= MAX_PRINTED, text_colour, **cells),
        "hovertemplate": f"<b>%{{y}}</b> → <b>%{{x}}</b><br>%{{z:{form}}}<extra></extra>",
        "colorbar": bar,
    }
    return figure(
        [heatmap],
        x_axis={**x_axis, **TURNED},
        y_axis={**y_axis, **FROM_THE_TOP},
        height=height or min(760, max(300, 150 + 26 * len(tokens))),
        margin={"l": beside(down), "r": 10, "t": 56 if title else 10, "b": below(across)},
        title=heading(title, subtitle, at_top=False),
    )
