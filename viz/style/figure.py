"""Parts that all figures share: layout, titles, legends, colour bars, axes.

A part is a dictionary with Plotly's own names. A figure is built from its parts in one call:
each update_layout or update_xaxes would validate the whole figure again (10 times slower).
A page sends the parts unvalidated, see :class:`Figure`. The margins are fixed: if Plotly computed
them, it would draw every figure twice.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import plotly.graph_objects as go

from viz.style.labels import distinct, literal, shortened

Translate = Callable[[str], str]
Numbers = Sequence[int] | np.ndarray
PlotlyDict = dict[str, Any]

HEIGHT = 340
TALL = 440  # a matrix, or a plane

SMALL = 12  # font size of an axis title in pixels; Plotly's own is 14
BAR_ROOM = 74  # pixels for a colour bar with its ticks and its title

_LEGEND_LINE = 20  # pixels

# -- a figure ------------------------------------------------------------------------------------

_NUMBERS = {"float32": "f4", "float64": "f8"}  # the dtype names of plotly.js


class Figure(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A Plotly figure that validates its parts only when a caller uses Plotly's interface.

    Validation takes 2 ms of one core for a heatmap, and a page only sends the parts to the browser.
    """

    def __init__(self, data: Any = None, layout: Any = None, **more: Any) -> None:
        """Store the parts without validating them."""
        self._parts: dict[str, Any] | None = {"data": data, "layout": layout, **more}

    def __getattr__(self, name: str) -> Any:
        """Build the Plotly figure on the first access to one of its attributes."""
        parts = self.__dict__.get("_parts")
        if parts is None:
            raise AttributeError(name)
        self._parts = None
        super().__init__(**parts)
        return getattr(self, name)

    def to_dict(self) -> dict[str, Any]:
        """The figure as JSON data for the browser: the unvalidated parts, or what Plotly built."""
        if self._parts is None:
            made: dict[str, Any] = super().to_dict()
            return made
        return {"data": _sent(self._parts["data"]), "layout": _sent(self._parts["layout"])}


def _sent(part: Any) -> Any:
    """A copy of a part as the browser receives it: number arrays become base64 bytes."""
    if isinstance(part, np.ndarray):
        kind = _NUMBERS.get(part.dtype.name)
        if kind is None or not part.size:
            return part.tolist()
        cells = {"dtype": kind, "bdata": b64encode(part.tobytes()).decode()}
        return cells | ({"shape": str(part.shape)[1:-1]} if part.ndim > 1 else {})
    if isinstance(part, dict):
        return {name: _sent(value) for name, value in part.items() if value is not None}
    if isinstance(part, (list, tuple)):
        return [_sent(each) for each in part]
    return part


# -- layout --------------------------------------------------------------------------------------


def figure(
    traces: list[PlotlyDict],
    *,
    x_axis: PlotlyDict,
    y_axis: PlotlyDict,
    height: int,
    margin: PlotlyDict,
    **layout: Any,
) -> go.Figure:
    """Build a figure in one call; the margin is in pixels, with the keys l, r, t and b."""
    whole = {
        "height": height,
        "margin": margin,
        "dragmode": "zoom",
        "xaxis": x_axis,
        "yaxis": y_axis,
        **layout,
    }
    return Figure(data=traces, layout=whole)


def panel(
    traces: list[PlotlyDict],
    x_axis: PlotlyDict,
    y_axis: PlotlyDict,
    *,
    title: str = "",
    subtitle: str = "",
    height: int = HEIGHT,
    right: int = 14,
    legend: int = 0,
    shapes: Sequence[PlotlyDict] = (),
) -> go.Figure:
    """Build a figure with fixed margins and room above the plot for its title and legend.

    Args:
        title: First line above the plot, without markup.
        subtitle: Second line above the plot, without markup.
        height: Height in pixels of a figure with at most one legend line.
        legend: Legend lines on a phone. 0 hides the legend.
        shapes: Layout shapes, such as :func:`viz.style.traces.guide`.
    """
    above = (56 if subtitle else 36) if title else 12
    height += _LEGEND_LINE * max(0, legend - 1)
    return figure(
        traces,
        x_axis=x_axis,
        y_axis=y_axis,
        height=height,
        margin={
            "l": 58,
            "r": right,
            "t": above + _LEGEND_LINE * legend + (8 if legend else 0),
            "b": 50,
            "autoexpand": False,  # the legend and the colour bar must not move the margins
        },
        title=heading(title, subtitle),
        showlegend=legend > 0,
        legend=legend_at(1 - above / height, "top", yref="container"),
        shapes=list(shapes),
    )


def heading(title: str, subtitle: str = "") -> PlotlyDict:
    """The title of a figure, at its top edge. Markup is escaped."""
    return {
        "text": literal(title),
        "subtitle": {"text": literal(subtitle), "font": {"size": SMALL}},
        "font": {"size": 14},
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "top",
        "yref": "container",
        "pad": {"t": 8},
    }


def legend_at(y: float, yanchor: str, **more: Any) -> PlotlyDict:
    """A horizontal legend at the left edge of the plot."""
    place = {"x": 0, "xanchor": "left", "y": y, "yanchor": yanchor}
    return {"orientation": "h", **place, **more}


AT_THE_EDGE: PlotlyDict = {"x": 1, "xref": "container", "xanchor": "right", "xpad": 6}
"""Place of a colour bar within a fixed margin. Plotly's own distance is a share of the width,
too much on a wide screen."""


def colour_bar(title: str, *, size: int | None = None, **more: Any) -> PlotlyDict:
    """A colour bar at the right of the plot."""
    return {"title": {**_said(title, size), "side": "right"}, "thickness": 10, **more}


# -- axes ----------------------------------------------------------------------------------------

MAX_ROOM = 130
"""Longest label on an axis in pixels. Longer ones are cut."""

TITLE_ROOM = 44
"""Pixels beside or below the labels of an axis for its title."""


def axis(title: str, **more: Any) -> PlotlyDict:
    """An axis without a zero line that does not change the margins."""
    return {"title": _said(title, SMALL), "zeroline": False, "automargin": False, **more}


def counted_axis(title: str, numbers: Numbers, *, pad: bool = False, **more: Any) -> PlotlyDict:
    """An axis of whole numbers."""
    first, last = int(np.min(numbers)), int(np.max(numbers))
    counted = axis(title, tickangle=0, **more)
    if last - first <= 12:
        counted |= {"tick0": 0, "dtick": 1}  # without these, ticks appear at half positions
    if pad:
        room = 0.5 + 0.02 * (last - first)
        counted["range"] = [first - room, last + room]
    return counted


def token_axis(labels: Sequence[str], title: str) -> tuple[list[str], PlotlyDict, int]:
    """An axis with one label a row or column: the escaped labels, the axis, the room in pixels."""
    names = distinct(labels)
    # A label longer than a third of a phone's screen leaves no room for its row.
    long = {
        literal(name): literal(_fitting(name)) for name in names if label_room([name]) > MAX_ROOM
    }
    named = axis(title, type="category", showgrid=False, labelalias=long)
    return [literal(name) for name in names], named, min(label_room(names), MAX_ROOM)


def _fitting(name: str) -> str:
    """The part of a label that fits :data:`MAX_ROOM`."""
    letters = len(name) * MAX_ROOM // label_room([name])
    return shortened(name, max(letters, 2))


def label_room(labels: Sequence[str]) -> int:
    """Pixels of the longest label in Plotly's 12 px font; East Asian letters are wider."""
    widths = (
        sum(12 if east_asian_width(letter) in "WF" else 7 for letter in label) for label in labels
    )
    return max(widths, default=0)


def turned_room(room: int) -> int:
    """Top margin in pixels for upright column labels and the axis title."""
    return room + 34


TURNED = {"tickangle": -90}
FROM_THE_TOP: PlotlyDict = {"autorange": "reversed"}


def _said(text: str, size: int | None) -> PlotlyDict:
    return {"text": text} if size is None else {"text": text, "font": {"size": size}}
