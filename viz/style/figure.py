"""What figures repeat around what they draw: the layout, titles, legends, colour bars, axes.

The parts are dictionaries in Plotly's own words, and a figure is made of them in one piece: every
update_layout or update_xaxes would validate it all over again (10x). A page sends the parts on as
they are, see :class:`Figure`. Margins are given: Plotly could find them itself, but would draw the
figure twice for it.
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
Part = dict[str, Any]

HEIGHT = 340
TALL = 440  # a matrix, or a plane

SMALL = 12  # pixels of a title beside an axis; Plotly's own are 14
BAR_ROOM = 74  # a colour bar with its numbers and its title

_LEGEND_LINE = 20  # pixels

# -- a figure ------------------------------------------------------------------------------------

_NUMBERS = {"float32": "f4", "float64": "f8"}  # as plotly.js calls them


class Figure(go.Figure):  # type: ignore[misc]  # plotly has no types
    """Plotly's figure, whose parts Plotly looks at when somebody asks it for something.

    It takes 2 ms of a core to look at those of a heatmap, and a page only hands them on.
    """

    def __init__(self, data: Any = None, layout: Any = None, **more: Any) -> None:
        """Take the parts, as :class:`plotly.graph_objects.Figure` does."""
        self._parts: dict[str, Any] | None = {"data": data, "layout": layout, **more}

    def __getattr__(self, name: str) -> Any:
        """What is not there before Plotly has made it."""
        parts = self.__dict__.get("_parts")
        if parts is None:
            raise AttributeError(name)
        self._parts = None
        super().__init__(**parts)
        return getattr(self, name)

    def to_dict(self) -> dict[str, Any]:
        """What the browser is sent: the parts as they are, or what Plotly made of them."""
        if self._parts is None:
            made: dict[str, Any] = super().to_dict()
            return made
        return {"data": _sent(self._parts["data"]), "layout": _sent(self._parts["layout"])}


def _sent(part: Any) -> Any:
    """A copy as it travels: an array of numbers as the bytes that it is."""
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
    traces: list[Part],
    *,
    x_axis: Part,
    y_axis: Part,
    height: int,
    margin: Part,
    **layout: Any,
) -> go.Figure:
    """Make a figure in one piece.

    Args:
        traces: What is drawn.
        x_axis: Its words and its range.
        y_axis: The same.
        height: In pixels; the width is the page's.
        margin: In pixels: l, r, t, b.
        **layout: What else the layout says: title, legend, shapes.
    """
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
    traces: list[Part],
    x_axis: Part,
    y_axis: Part,
    *,
    title: str = "",
    subtitle: str = "",
    height: int = HEIGHT,
    left: int = 58,
    right: int = 14,
    bottom: int = 50,
    legend: int = 0,
    shapes: Sequence[Part] = (),
) -> go.Figure:
    """Make a figure whose margins nothing moves, with room above for what stands there.

    Args:
        traces: What is drawn.
        x_axis: Its words and its range.
        y_axis: The same.
        title: Printed as it stands.
        subtitle: The same.
        height: In pixels, of a figure with one line of names or none.
        left: Margin, in pixels.
        right: The same.
        bottom: The same.
        legend: Lines of names that a phone needs; 0 shows none.
        shapes: Guides.
    """
    above = (56 if subtitle else 36) if title else 12
    height += _LEGEND_LINE * max(0, legend - 1)
    return figure(
        traces,
        x_axis=x_axis,
        y_axis=y_axis,
        height=height,
        margin={
            "l": left,
            "r": right,
            "t": above + _LEGEND_LINE * legend + (8 if legend else 0),
            "b": bottom,
            "autoexpand": False,  # nor may the legend or the colour bar move them
        },
        title=heading(title, subtitle),
        showlegend=legend > 0,
        legend=legend_at(1 - above / height, "top", yref="container"),
        shapes=list(shapes),
    )


def heading(title: str, subtitle: str = "", *, at_top: bool = True) -> Part:
    """A figure's title, both lines printed as they stand.

    Args:
        title: What is drawn.
        subtitle: What else there is to say.
        at_top: Whether it keeps to the figure's edge, or is centred in the margin.
    """
    edge = {"y": 1, "yanchor": "top", "yref": "container", "pad": {"t": 8}} if at_top else {}
    return {
        "text": literal(title),
        "subtitle": {"text": literal(subtitle)},
        "font": {"size": 14},
        "x": 0,
        "xanchor": "left",
        **edge,
    }


def legend_at(y: float, yanchor: str, **more: Any) -> Part:
    """A legend in lines, from the left, at a height of the plot."""
    place = {"x": 0, "xanchor": "left", "y": y, "yanchor": yanchor}
    return {"orientation": "h", **place, **more}


def colour_bar(title: str, *, size: int | None = None, **more: Any) -> Part:
    """What the colours stand for, at the right."""
    return {"title": {**_said(title, size), "side": "right"}, "thickness": 10, **more}


# -- axes ----------------------------------------------------------------------------------------

MAX_ROOM = 130
"""Pixels that names on an axis may take before they are cut."""

_SINE_60 = 0.87  # names below are turned by 60 degrees
_TITLE_ROOM = 44


def axis(title: str, *, size: int | None = SMALL, **more: Any) -> Part:
    """An axis that leaves the margins alone and draws no line through zero."""
    return {"title": _said(title, size), "zeroline": False, "automargin": False, **more}


def counted_axis(title: str, numbers: Numbers, *, pad: bool = False, **more: Any) -> Part:
    """An axis of whole numbers, with room for a marker at both ends if asked."""
    first, last = int(np.min(numbers)), int(np.max(numbers))
    counted = axis(title, tickangle=0, **more)
    if last - first <= 12:
        counted |= {"tick0": 0, "dtick": 1}  # or there would be half positions
    if pad:
        room = 0.5 + 0.02 * (last - first)
        counted["range"] = [first - room, last + room]
    return counted


def token_axis(
    labels: Sequence[str], title: str, *, size: int | None = None
) -> tuple[list[str], Part, int]:
    """An axis with a name for each row or column.

    Returns:
        The coordinates, which are the names, distinct and printed as they stand; the axis; and
        the pixels that the longest name takes.
    """
    names = distinct(labels)
    # A word longer than a third of a phone's screen would leave nothing for its row.
    long = {
        literal(name): literal(_fitting(name)) for name in names if label_room([name]) > MAX_ROOM
    }
    named = axis(title, size=size, type="category", showgrid=False, labelalias=long)
    return [literal(name) for name in names], named, min(label_room(names), MAX_ROOM)


def _fitting(name: str) -> str:
    """As much of a name as fits :data:`MAX_ROOM`."""
    letters = len(name) * MAX_ROOM // label_room([name])
    return shortened(name, max(letters, 2))


def label_room(labels: Sequence[str]) -> int:
    """Pixels that the longest label takes in Plotly's 12 px type; East Asian ones are wider."""
    widths = (
        sum(12 if east_asian_width(letter) in "WF" else 7 for letter in label) for label in labels
    )
    return max(widths, default=0)


def beside(room: int) -> int:
    """The margin for names that take this many pixels, and for the axis's title."""
    return room + _TITLE_ROOM


def below(room: int) -> int:
    """The same for names below, where they are turned."""
    return int(room * _SINE_60) + _TITLE_ROOM


TURNED = {"tickangle": -60}
FROM_THE_TOP = {"autorange": "reversed"}


def _said(text: str, size: int | None) -> Part:
    return {"text": text} if size is None else {"text": text, "font": {"size": size}}
