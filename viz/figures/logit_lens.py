"""The logit lens: the most probable token of each layer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import (
    SMALL,
    TITLE_ROOM,
    TURNED,
    Translate,
    axis,
    colour_bar,
    figure,
    heading,
    token_axis,
)
from viz.style.labels import literal, percent, shortened
from viz.style.theme import GREY, NOTHING, Side, colour_scale
from viz.style.traces import float32, frame, in_cells

CELL = 46
"""Width in pixels of a token's column, which shows seven letters."""

ROW = 20
LETTERS = 7

_LEFT, _RIGHT = 98, 76

TOLD = 5
"""Candidates in the hover text of a cell."""

Said = Sequence[Sequence[Sequence[str]]]
"""Candidates of each depth and token, the most probable one first, R x T x N."""


def lens_heatmap(
    said: Said,
    probabilities: np.ndarray,
    tokens: Sequence[str],
    *,
    title: str = "",
    subtitle: str = "",
    side: Side = "left",
    chosen: tuple[int, int] | None = None,
    hidden: int | None = None,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw the most probable token at each depth and token, coloured by its probability.

    The embeddings are at the top and the model's output at the bottom. :func:`lens_width` is the
    width of the figure. The ``customdata`` of a point is the row-major number of its cell.

    The method is nostalgebraist's "interpreting GPT: the logit lens" (2020).

    Args:
        chosen: Row and column of a cell with a frame.
        hidden: A column with a thin frame: its word is hidden from the model.
    """
    n_depths, n_tokens, _ = probabilities.shape
    across, x_axis, room = token_axis(tokens, translate("token"))
    names = depth_names(n_depths, translate)
    heatmap = {
        "type": "heatmap",
        "z": float32(probabilities[:, :, 0]),
        "x": across,
        "y": names,
        "zmin": 0,
        "zmax": 1,
        "colorscale": colour_scale(side),
        **in_cells(True, text_colour),
        "text": [[_in_cell(candidates[0]) for candidates in row] for row in said],
        "texttemplate": "%{text}",
        "textfont": {"color": text_colour, "size": 11},
        "hoverinfo": "skip",
        "colorbar": colour_bar(translate("probability"), size=SMALL),
    }
    # Heatmap cells report no clicks. The transparent points over them do.
    cells = {
        "type": "scatter",
        "x": across * n_depths,
        "y": [name for name in names for _ in across],
        "customdata": list(range(n_depths * n_tokens)),
        "text": [
            _told(candidates, numbers)
            for row, of_row in zip(said, probabilities, strict=True)
            for candidates, numbers in zip(row, of_row, strict=True)
        ],
        "mode": "markers",
        "marker": {"symbol": "square", "size": ROW, "color": NOTHING},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hovertemplate": "<b>%{y}</b> · <b>%{x}</b>%{text}<extra></extra>",
        "showlegend": False,
    }
    margin = {"l": _LEFT, "r": _RIGHT, "t": 54 if title else 10, "b": room + TITLE_ROOM}
    frames = []
    if chosen is not None:
        row, column = chosen
        frames.append(frame((row, row, column, column), text_colour or GREY, 2))
    if hidden is not None:
        frames.append(frame((0, n_depths - 1, hidden, hidden), text_colour or GREY, 1))
    return figure(
        [heatmap, cells],
        x_axis={**x_axis, **TURNED, "range": [-0.5, n_tokens - 0.5]},
        y_axis={
            **axis("", type="category", showgrid=False, dtick=1, tickfont={"size": 11}),
            "range": [n_depths - 0.5, -0.5],
        },
        height=margin["t"] + margin["b"] + ROW * n_depths,
        margin=margin,
        title=heading(title, subtitle),
        shapes=frames,
        hovermode="closest",
        hoverdistance=CELL // 2,
        meta={"focus": chosen[1] / n_tokens} if chosen is not None else None,
    )


def lens_width(n_tokens: int) -> int:
    """Width in pixels of :func:`lens_heatmap`. It is at least 360, so that the title fits."""
    return max(_LEFT + CELL * n_tokens + _RIGHT, 360)


def depth_names(n_depths: int, translate: Translate = str) -> list[str]:
    """Row labels: the embeddings, then every layer."""
    return [translate("embeddings"), *(f"L{layer}" for layer in range(n_depths - 1))]


def _in_cell(token: str) -> str:
    """The part of a token that fits a cell, without the blank before a word."""
    return literal(shortened(token.strip("␣") or token, LETTERS))


def _told(candidates: Sequence[str], probabilities: np.ndarray) -> str:
    pairs = zip(candidates[:TOLD], probabilities.tolist(), strict=False)
    return "".join(
        f"<br>{literal(shortened(token, 40))} {percent(probability)}"
        for token, probability in pairs
    )
