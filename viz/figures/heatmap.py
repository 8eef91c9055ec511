"""One head as a Plotly heatmap, and the difference of two."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.marks import PAIR, hidden, slashes, spotlight
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
from viz.style.theme import GREY, Side, colour_scale, diverging_scale
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
    picked: Sequence[int] = (),
    picked_keys: Sequence[int] | None = None,
    allowed: np.ndarray | None = None,
    text_colour: str | None = None,
    paper_colour: str = "white",
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
        picked: Tokens whose rows and columns are framed, while the rest is dimmed; where the keys
            are other tokens, queries whose rows are.
        picked_keys: Keys whose columns are framed, where the keys are other tokens.
        allowed: What the model's mask allows, boolean (Tq, Tk): the rest is struck out and has no
            number, for it is no weight of 0. None: everything.
        text_colour: Of the values printed in the cells (up to 20 tokens), and of the frames.
        paper_colour: Behind the figure, into which what is dimmed fades.
        height: In pixels; by default as tall as the rows need.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the tokens do not match the weights; both numbers are named.
    """
    if allowed is not None and allowed.all():
        allowed = None
    columns = picked if key_tokens is None else picked_keys or ()
    key_tokens = tokens if key_tokens is None else key_tokens
    return _matrix(
        weights if allowed is None else np.where(allowed, weights, np.float32(np.nan)),
        tokens,
        key_tokens,
        {
            "zmin": value_range[0],
            "zmax": value_range[1],
            "colorscale": colour_scale(side, sqrt=sqrt),
        },
        bar=colour_bar(translate("weight"), **_AT_THE_EDGE),
        bar_room=_BAR_ROOM,
        form=".6f",
        cells=_printed(weights, allowed),
        title=title,
        subtitle=subtitle,
        text_colour=text_colour,
        height=height,
        translate=translate,
        shapes=[
            *([] if allowed is None else [slashes(~allowed)]),
            *spotlight(picked, columns, weights.shape, text_colour or GREY, paper_colour),
        ],
        masked=None if allowed is None else ~allowed,
    )


def matrix_height(n_rows: int) -> int:
    """Pixels of a heatmap of tokens: all of it on a screen, and beyond 24 rows growing with them.

    Args:
        n_rows: Tokens.
    """
    return min(760, max(374, 86 + 12 * n_rows))


def difference_heatmap(
    difference: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    ends: tuple[str, str] | None = None,
    allowed: np.ndarray | None = None,
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
        allowed: What the masks of both allow, boolean (Tq, Tk): the rest is struck out and has no
            number. None: everything.
        text_colour: Of the values printed in the cells (up to 20 tokens).
        translate: From English to the reader's language.

    Raises:
        ValueError: If the tokens do not match the difference; both numbers are named.
    """
    if allowed is not None and allowed.all():
        allowed = None
    if allowed is not None:
        difference = np.where(allowed, difference, np.float32(np.nan))
    most = max(float(np.nanmax(np.abs(difference), initial=0)), 1e-4)
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
        shapes=[] if allowed is None else [slashes(~allowed)],
        masked=None if allowed is None else ~allowed,
    )


# Weights need no more than "0.25" beside the bar.
_BAR_ROOM = 80
_AT_THE_EDGE: dict[str, Any] = {"x": 1, "xref": "container", "xanchor": "right", "xpad": 6}

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
    """What stands in the cells: what rounds to 0, or is no number, needs no sign and no ink."""
    return [
        ["" if not abs(value) >= 0.005 else f"{value:+.2f}" for value in row]
        for row in difference.tolist()
    ]


def _printed(weights: np.ndarray, allowed: np.ndarray | None) -> Part:
    """What stands in the cells, if there is room: less than a hundredth needs no ink."""
    if max(weights.shape) > MAX_PRINTED:
        return {}
    shown = weights if allowed is None else np.where(allowed, weights, 0)
    text = [
        ["" if round(weight, 4) < 0.01 else f"{weight:.2f}" for weight in row]
        for row in shown.tolist()
    ]
    return {"text": text, "texttemplate": "%{text}"}


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
    shapes: Sequence[dict[str, Any]] = (),
    masked: np.ndarray | None = None,
    bar_room: int | None = None,
) -> go.Figure:
    # Where the room beside the cells is known, Plotly draws them once; else it tries, and draws
    # them again: half as long once more.
    if values.shape != (len(tokens), len(key_tokens)):
        raise ValueError(
            f"The weights are {values.shape}, but there are {len(tokens)} query and "
            f"{len(key_tokens)} key tokens."
        )
    keys, x_axis, across = token_axis(key_tokens, translate("attended to (key)"), size=SMALL)
    queries, y_axis, down = token_axis(tokens, translate("attending (query)"), size=SMALL)
    height = height or matrix_height(len(tokens))
    room = {"l": beside(down), "r": 10, "t": 50 if title else 10, "b": below(across)}
    if bar_room is not None:
        room = {**room, "r": bar_room, "autoexpand": False}
    # Plotly leaves out every other name where a row is lower than 1.2 times its type.
    pitch = (height - room["t"] - room["b"]) / max(len(tokens), 1)
    names = {"tickfont": {"size": min(12, max(9, int(pitch / 1.2)))}}
    heatmap = {
        "type": "heatmap",
        "z": float32(values),
        "x": keys,
        "y": queries,
        **colours,
        **in_cells(max(values.shape) <= MAX_PRINTED, text_colour, **cells),
        "hovertemplate": f"{PAIR}<br>%{{z:{form}}}<extra></extra>",
        "colorbar": bar,
    }
    traces = [heatmap]
    if masked is not None:
        traces = [{**heatmap, "hoverongaps": False}, hidden(masked, heatmap, translate)]
    return figure(
        traces,
        x_axis={**x_axis, **TURNED},
        y_axis={**y_axis, **FROM_THE_TOP, **names},
        height=height,
        margin=room,
        title=heading(title, subtitle),
        shapes=list(shapes),
    )
