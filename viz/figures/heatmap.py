"""Heatmaps of one head's weights and of the difference between two heads."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.marks import PAIR, hidden, slashes, spotlight
from viz.style.figure import (
    AT_THE_EDGE,
    FROM_THE_TOP,
    SMALL,
    TITLE_ROOM,
    TURNED,
    PlotlyDict,
    Translate,
    colour_bar,
    figure,
    heading,
    token_axis,
    turned_room,
)
from viz.style.labels import literal, number, shortened
from viz.style.theme import GREY, Side, colour_scale, diverging_scale
from viz.style.traces import float32, frame, in_cells

MAX_PRINTED = 20
"""Most tokens on a side for which the values fit into the cells."""


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
    picked: Sequence[int] = (),
    framed: Sequence[tuple[int, int]] = (),
    allowed: np.ndarray | None = None,
    text_colour: str | None = None,
    paper_colour: str = "white",
    height: int | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the weights of one head, with queries as rows and keys as columns.

    Args:
        weights: Attention weights whose rows sum to 1, (Tq, Tk).
        tokens: Query tokens, length Tq.
        key_tokens: Key tokens, length Tk. None if the keys are the queries.
        sqrt: Whether to colour by the square root of the weight. The values do not change.
        value_range: Weights at the two ends of the colour scale, equal in figures to compare.
        picked: Tokens whose rows and columns are framed while all others are dimmed. With
            ``key_tokens``, only their rows are framed.
        framed: Row and column of each cell with a frame.
        allowed: Cells that the mask allows, boolean, (Tq, Tk). Masked cells are pale grey and
            have no value; a few also have a diagonal line. None allows all cells.

    Raises:
        ValueError: If the tokens do not match the weights; both numbers are named.
    """
    columns = picked if key_tokens is None else ()
    shows_scale = sqrt or value_range != (0, 1)  # without a scale, white is 0 and the full hue 1
    return _matrix(
        weights,
        tokens,
        tokens if key_tokens is None else key_tokens,
        {
            "zmin": value_range[0],
            "zmax": value_range[1],
            "colorscale": colour_scale(side, sqrt=sqrt),
            "showscale": shows_scale,
        },
        bar=colour_bar(translate("weight"), **AT_THE_EDGE),
        bar_room=_BAR_ROOM if shows_scale else 10,
        square=True,
        form=".6f",
        in_cell=lambda weight: "" if round(weight, 4) < 0.01 else _in_cell(weight),
        title=title,
        subtitle=subtitle,
        text_colour=text_colour,
        height=height or matrix_height(len(tokens)),
        translate=translate,
        shapes=[
            *spotlight(picked, columns, weights.shape, text_colour or GREY, paper_colour),
            *_framed(framed, text_colour),
        ],
        allowed=allowed,
    )


def matrix_height(n_rows: int) -> int:
    """Height in pixels of a heatmap with square cells, whose numbers are legible; at most 760."""
    return min(760, max(374, 110 + 25 * n_rows))


def difference_heatmap(
    difference: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    ends: tuple[str, str] | None = None,
    hues: tuple[Side, Side] | None = None,
    top: float | None = None,
    allowed: np.ndarray | None = None,
    framed: Sequence[tuple[int, int]] = (),
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the difference between the weights of two heads.

    Equal absolute differences have equal opacity.

    Args:
        difference: (Tq, Tk), such as right minus left, or after minus before.
        hues: Of negative and of positive cells, if these are two models; None for two runs of one.
        ends: Labels at the negative and the positive end of the colour bar.
        top: The difference with the darkest colour, equal in figures to compare. None uses the
            largest one.
        allowed: Cells that count, and both masks allow; the rest as for :func:`attention_heatmap`.
        framed: Row and column of each cell with a frame.
    """
    shown = True if allowed is None else allowed
    largest = float(np.nanmax(np.abs(difference), where=shown, initial=0)) if top is None else top
    most = max(largest, 1e-4)
    return _matrix(
        difference,
        tokens,
        key_tokens,
        {"zmin": -most, "zmax": most, "zmid": 0, "colorscale": diverging_scale(hues)},
        bar=colour_bar(translate("difference")) if ends is None else _bar_between(ends, most),
        form="+.6f",
        in_cell=lambda value: _in_cell(value, "+") if abs(value) >= 0.005 else "",
        title=title,
        subtitle=subtitle,
        text_colour=text_colour,
        height=matrix_height(len(tokens)),
        translate=translate,
        allowed=allowed,
        gap=translate("not counted"),
        shapes=_framed(framed, text_colour),
    )


def _framed(cells: Sequence[tuple[int, int]], text_colour: str | None) -> list[PlotlyDict]:
    return [frame((row, row, key, key), text_colour or GREY, 2) for row, key in cells]


HEADING = 46  # pixels of a title and its subtitle
TITLE = 24  # pixels of a title alone
BOTTOM = 10  # pixels below the cells

LEFT: PlotlyDict = {"constrain": "domain", "constraintoward": "left"}
SQUARE: PlotlyDict = {"constrain": "domain", "constraintoward": "top", "scaleanchor": "x"}

# The longest tick label of the colour bar is "0.25".
_BAR_ROOM = 80

_BAR_LINE = 13  # letters of a line beside the colour bar
_BAR_NAME = 3 * _BAR_LINE


def _bar_between(ends: tuple[str, str], most: float) -> PlotlyDict:
    """A colour bar from -most to most with a label at each end."""
    low, high = (
        "<br>".join(map(literal, wrap(shortened(end, _BAR_NAME), _BAR_LINE))) for end in ends
    )
    return colour_bar(
        "",
        size=SMALL,
        tickfont={"size": 11},
        ticklabeloverflow="allow",  # Plotly would hide an end with more than two lines
        tickvals=[-most, -most / 2, 0, most / 2, most],
        ticktext=[
            f"{number(-most, '+.2g')}<br>{low}",
            number(-most / 2, "+.2g"),
            "0",
            number(most / 2, "+.2g"),
            f"{high}<br>{number(most, '+.2g')}",
        ],
    )


def _in_cell(value: float, sign: str = "") -> str:
    """A number below 1 without its leading 0: Plotly fits the font size to the longest text."""
    text = number(value, f"{sign}.2f")
    return text[:-1] if "1." in text else text.replace("0.", ".", 1)


def _matrix(
    values: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    colours: dict[str, Any],
    *,
    bar: PlotlyDict,
    form: str,
    in_cell: Callable[[float], str],
    title: str,
    subtitle: str,
    text_colour: str | None,
    height: int,
    translate: Translate,
    shapes: Sequence[dict[str, Any]] = (),
    allowed: np.ndarray | None,
    bar_room: int | None = None,
    square: bool = False,
    gap: str = "",
) -> go.Figure:
    # With a fixed right margin Plotly draws the cells once. Otherwise it measures the colour bar
    # and draws them again, which takes half as long again.
    if values.shape != (len(tokens), len(key_tokens)):
        raise ValueError(
            f"The weights are {values.shape}, but there are {len(tokens)} query and "
            f"{len(key_tokens)} key tokens."
        )
    keys, x_axis, across = token_axis(key_tokens, translate("attended to (key)"))
    column_title = {**x_axis["title"], "standoff": 6}
    queries, y_axis, down = token_axis(tokens, translate("attending (query)"))
    # The names stand above the columns: a reader who scrolls down to a heatmap sees them first.
    top = turned_room(across) + (0 if not title else HEADING if subtitle else TITLE)
    room = {"l": down + TITLE_ROOM, "r": 10, "t": top, "b": BOTTOM, "pad": 2}
    if bar_room is not None:
        room = {**room, "r": bar_room, "autoexpand": False}
    # Plotly omits every other label if a row is lower than 1.2 times the font size.
    pitch = (height - room["t"] - room["b"]) / max(len(tokens), 1)
    names = {"tickfont": {"size": min(12, max(9, int(pitch / 1.2)))}}
    masked = np.zeros(values.shape, bool) if allowed is None else ~allowed
    printed = max(values.shape) <= MAX_PRINTED
    every = {"dtick": 1} if printed else {}  # all names, also where their lines touch
    cells: PlotlyDict = {}
    if printed:
        text = [[in_cell(value) for value in row] for row in np.where(masked, 0, values).tolist()]
        cells = {"text": text, "texttemplate": "%{text}"}
    heatmap = {
        "type": "heatmap",
        "z": float32(np.where(masked, np.nan, values)),
        "x": keys,
        "y": queries,
        **colours,
        **in_cells(printed, text_colour, **cells),
        "hovertemplate": f"{PAIR}<br>%{{z:{form}}}<extra></extra>",
        "colorbar": bar,
    }
    traces = [heatmap]
    if masked.any():
        over = hidden(masked, heatmap, gap or translate("masked"))
        traces = [{**heatmap, "hoverongaps": False}, over]
        shapes = [*slashes(masked), *shapes]
    return figure(
        traces,
        x_axis={
            **x_axis,
            **TURNED,
            **every,
            **(LEFT if square else {}),
            "side": "top",
            "ticks": "",
            "title": column_title,
        },
        y_axis={**y_axis, **FROM_THE_TOP, **(SQUARE if square else {}), **names},
        height=height,
        margin=room,
        title=heading(title, subtitle),
        shapes=list(shapes),
    )
