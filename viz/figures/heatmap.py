"""One head as a Plotly heatmap, and the difference of two."""

from collections.abc import Callable, Sequence
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import plotly.graph_objects as go

from viz.style.labels import distinct, literal
from viz.style.theme import Side, colour_scale, diverging_scale

MAX_PRINTED = 20
"""Up to this many tokens on a side, the values fit into the cells."""


MAX_ROOM = 130
"""Pixels that token labels may take before Plotly itself finds the margins."""

SINE_60 = 0.87  # key labels are turned by 60 degrees


def label_room(labels: Sequence[str]) -> int:
    """Pixels that the longest label takes in Plotly's 12 px type; East Asian ones are wider."""
    widths = (
        sum(12 if east_asian_width(letter) in "WF" else 7 for letter in label) for label in labels
    )
    return max(widths, default=0)


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
    translate: Callable[[str], str] = str,
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
        value=translate("weight"),
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
    text_colour: str | None = None,
    translate: Callable[[str], str] = str,
) -> go.Figure:
    """Draw the difference of two heads' weights, the same colour for the same size either way.

    Args:
        difference: First minus second, (Tq, Tk); positive is blue, negative orange.
        tokens: Query tokens, length Tq.
        key_tokens: Key tokens, length Tk.
        title: What is subtracted from what.
        subtitle: Which sentence.
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
        value=translate("difference"),
        form="+.6f",
        cells=cells,
        title=title,
        subtitle=subtitle,
        text_colour=text_colour,
        height=None,
        translate=translate,
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
    value: str,
    form: str,
    cells: dict[str, Any],
    title: str,
    subtitle: str,
    text_colour: str | None,
    height: int | None,
    translate: Callable[[str], str],
) -> go.Figure:
    if values.shape != (len(tokens), len(key_tokens)):
        raise ValueError(
            f"The weights are {values.shape}, but there are {len(tokens)} query and "
            f"{len(key_tokens)} key tokens."
        )
    queries = [literal(label) for label in distinct(tokens)]
    keys = [literal(label) for label in distinct(key_tokens)]
    roomy = max(values.shape) <= MAX_PRINTED
    heatmap = {
        "type": "heatmap",
        "z": np.asarray(values, dtype=np.float32),
        "x": keys,
        "y": queries,
        **colours,
        "xgap": 1 if roomy else 0,
        "ygap": 1 if roomy else 0,
        **(cells if roomy else {}),
        "textfont": {"color": text_colour},  # no size: Plotly fits it to the cells
        "hovertemplate": f"<b>%{{y}}</b> → <b>%{{x}}</b><br>%{{z:{form}}}<extra></extra>",
        "colorbar": {"title": {"text": value, "side": "right"}, "thickness": 10},
    }
    across, down = label_room(keys), label_room(queries)
    # Plotly can find the margins itself, but draws the figure twice for it. Words longer than a
    # third of a phone's screen are worth that.
    fits = max(across, down) <= MAX_ROOM
    axis = {"type": "category", "showgrid": False, "zeroline": False, "automargin": not fits}
    key_title = {"text": translate("key (attended to, columns)")}
    query_title = {"text": translate("query (attending, rows)")}
    layout = {
        "title": {
            "text": literal(title),
            "subtitle": {"text": literal(subtitle)},
            "font": {"size": 14},
            "x": 0,
            "xanchor": "left",
        },
        "height": height or min(760, max(300, 150 + 26 * len(tokens))),
        "margin": {
            "l": min(down, MAX_ROOM) + 44,
            "r": 10,
            "t": 56 if title else 10,
            "b": int(min(across, MAX_ROOM) * SINE_60) + 44,
        },
        "dragmode": "zoom",
        "xaxis": {**axis, "title": key_title, "tickangle": -60, "side": "bottom"},
        "yaxis": {**axis, "title": query_title, "autorange": "reversed"},
    }
    # In one piece: every update_layout or update_xaxes would validate it all over again (10x).
    return go.Figure(data=[heatmap], layout=layout)
