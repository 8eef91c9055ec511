"""Figures for a paper: curves, points and bars as on the screen."""

import re
from collections.abc import Mapping
from functools import partial
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.paper.figures import colours, note_of, rgba
from viz.paper.sheet import TEXT, PaperFigure, Sheet, drawable, room
from viz.style.figure import HEIGHT, Translate
from viz.style.theme import NOTHING, PAPER_FRAME, THEME_PAPER

_SCREEN = 640  # pixels across a usual figure on the screen, which gives the shape on paper
_POINT = 0.5  # points for a pixel: the text on paper is half as large as on the screen
_DASHES = {"dot": ":", "dash": "--", "dashdot": "-."}
_SYMBOLS = {"circle": "o", "circle-open": "o", "square": "s", "diamond": "D", "x": "x"}
_SMALL = TEXT - 1
_RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))


def is_drawable(figure: go.Figure) -> bool:
    """Check whether :func:`paper_curves` can draw a figure.

    Args:
        figure: A figure of viz.
    """
    return bool(figure.data) and all(trace.type in ("scatter", "bar") for trace in figure.data)


def paper_curves(
    figure: go.Figure,
    facts: Mapping[str, Any],
    title: str = "",
    caption: str = "",
    translate: Translate = str,
) -> PaperFigure:
    """Draw curves, points or bars of the screen for a paper: the same numbers and colours.

    Args:
        figure: A figure for which :func:`is_drawable` is True.
        facts: JSON values for the file's metadata.
        title: First line; the figure's own by default.
        caption: Text below the title; the figure's subtitle by default.
        translate: From English to the reader's language.
    """
    own, known = figure.layout.title, {"figure": "curves", **facts}
    return PaperFigure(
        title or _plain(own.text),
        caption or _plain(own.subtitle.text),
        note_of(known, translate),
        partial(_draw, figure),
        known,
    )


def _draw(figure: go.Figure, sheet: Sheet) -> None:
    height = min((figure.layout.height or HEIGHT) / _SCREEN, 1.2) * sheet.width
    sheet.plot(height, partial(_draw_axes, figure))


def _draw_axes(figure: go.Figure, axes: Any) -> None:
    """Draw all traces into axes of matplotlib."""
    layout = figure.layout
    second = axes.twinx() if any(trace.yaxis == "y2" for trace in figure.data) else axes
    names = {which: _names(figure, which) for which in "xy"}
    offsets: dict[Any, Any] = {}
    bars = [trace for trace in figure.data if trace.type == "bar"]
    for trace in figure.data:
        on = second if trace.yaxis == "y2" else axes
        x, y = _placed(trace.x, names["x"]), _placed(trace.y, names["y"])
        if trace.type == "bar":
            _bars(on, trace, x, y, layout, bars.index(trace), len(bars), offsets)
        else:
            _scatter(on, trace, x, y)
    for shape in layout.shapes:
        _shape(axes, shape)
    for which, axis in (("x", layout.xaxis), ("y", layout.yaxis)):
        _axis(axes, which, axis, names[which])
    if second is not axes:
        _axis(second, "y", layout.yaxis2, [])
    if layout.yaxis.scaleanchor:
        axes.set_aspect("equal", adjustable="box")
    if layout.yaxis.showgrid is not False:
        axes.grid(axis="y", color=PAPER_FRAME, linewidth=0.3, alpha=0.4)
    axes.set_axisbelow(True)
    if layout.showlegend is not False:
        _legend(axes, second)


def _legend(axes: Any, second: Any) -> None:
    handles = [each for on in {axes, second} for each in on.get_legend_handles_labels()[0]]
    if handles:
        longest = room(each.get_label() for each in handles) * _SMALL + 5 * _SMALL  # points
        columns = int(0.8 * 72 * axes.figure.get_figwidth() / longest)
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1.01), "borderaxespad": 0}
        axes.legend(handles=handles, ncols=max(columns, 1), fontsize=_SMALL, frameon=False, **place)


# -- traces ----------------------------------------------------------------------------------------


def _scatter(axes: Any, trace: Any, x: np.ndarray, y: np.ndarray) -> None:
    mode, line, opacity = trace.mode or "lines", trace.line, trace.opacity
    name = _plain(trace.name) if trace.name and trace.showlegend is not False else None
    if trace.fill == "tonexty":  # towards the trace before, which is the last line
        before = axes.lines[-1]
        axes.fill_between(x, before.get_ydata(), y, color=rgba(trace.fillcolor), linewidth=0)
    if "lines" in mode:
        style = {"linewidth": _POINT * (2 if line.width is None else line.width), "alpha": opacity}
        dash = _DASHES.get(line.dash or "", "-")
        (drawn,) = axes.plot(x, y, dash, color=_colour(line.color), label=name, **style)
        name = None  # one entry in the legend
        drawn.set_gid(f"curve-{_plain(trace.name)}" if trace.name else None)
    if "markers" in mode and _visible(trace.marker):
        _markers(axes, trace, x, y, name)
    for at, text in enumerate(trace.text if "text" in mode else ()):
        axes.annotate(drawable(_plain(text)), (x[at], y[at]), fontsize=TEXT, ha="center")


def _visible(marker: Any) -> bool:
    return not (isinstance(marker.color, str) and marker.color == NOTHING)


def _markers(axes: Any, trace: Any, x: np.ndarray, y: np.ndarray, name: str | None) -> None:
    marker, count = trace.marker, len(x)
    symbols = _each(marker.symbol or "circle", count)
    if "arrow" in symbols:
        arrow = {"arrowstyle": "-|>", "color": _colour(marker.color), "shrinkA": 0, "shrinkB": 0}
        arrow["linewidth"] = 0  # only its head: the curve is its shaft
        axes.annotate("", (x[-1], y[-1]), (x[0], y[0]), arrowprops=arrow)
        return
    inks = _marker_colours(marker, count)
    sizes = (np.array(_each(6 if marker.size is None else marker.size, count)) * _POINT) ** 2
    for symbol in dict.fromkeys(symbols):
        chosen = [i for i in range(count) if symbols[i] == symbol]
        hollow = {"facecolors": "none", "edgecolors": [inks[i] for i in chosen]}
        filled = {"color": [inks[i] for i in chosen]}
        axes.scatter(
            x[chosen],
            y[chosen],
            sizes[chosen],
            marker=_SYMBOLS.get(symbol, "o"),
            linewidths=0.8,
            label=name,
            zorder=3,
            **(hollow if symbol.endswith("-open") else filled),
        )
        name = None
    if marker.colorbar.title.text is not None:
        _colour_bar(axes, marker)


def _marker_colours(marker: Any, count: int) -> list[Any]:
    if isinstance(marker.color, str) or marker.color is None:
        return [_colour(marker.color)] * count
    values = list(marker.color)
    if isinstance(values[0], str):
        return [_colour(value) for value in values]
    return list(colours(np.array(values, dtype=float), marker.colorscale, *_ends(marker)))


def _colour_bar(axes: Any, marker: Any) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.ticker import MaxNLocator

    low, high = _ends(marker)
    inks = colours(np.linspace(low, high, 64), marker.colorscale, low, high)
    scale, whole = (
        ScalarMappable(Normalize(low, high), ListedColormap(inks)),
        MaxNLocator(integer=True),
    )
    bar = axes.figure.colorbar(scale, ax=axes, ticks=whole)
    bar.set_label(drawable(_plain(marker.colorbar.title.text)), size=TEXT)
    bar.outline.set(linewidth=0.4, edgecolor=PAPER_FRAME)
    bar.ax.tick_params(labelsize=_SMALL, width=0.4, length=2)


def _ends(marker: Any) -> tuple[float, float]:
    low, high = float(marker.cmin or 0), float(marker.cmax or 0)
    return low, max(high, low + 1)


def _bars(
    axes: Any,
    trace: Any,
    x: np.ndarray,
    y: np.ndarray,
    layout: Any,
    number: int,
    count: int,
    ends: dict[Any, Any],
) -> None:
    flat = trace.orientation == "h"
    at, length = (y, x) if flat else (x, y)
    stacked = layout.barmode == "stack"
    whole = 1 - (layout.bargap or 0.2)
    thick = whole if stacked else whole / count
    place = at if stacked else at + (number - (count - 1) / 2) * thick
    start = ends.get("end", np.zeros_like(length)) if stacked else np.zeros_like(length)
    ends["end"] = start + length
    style = {"color": _colour(trace.marker.color), "label": _plain(trace.name) or None}
    if flat:
        axes.barh(place, length, thick, start, **style)
    else:
        axes.bar(place, length, thick, start, **style)


def _shape(axes: Any, shape: Any) -> None:
    style = {"color": _colour(shape.line.color), "linewidth": _POINT * (shape.line.width or 2)}
    dash = _DASHES.get(shape.line.dash or "", "-")
    if shape.type == "line" and shape.yref == "paper":
        axes.axvline(shape.x0, linestyle=dash, **style)
    elif shape.type == "line" and shape.xref == "paper":
        axes.axhline(shape.y0, linestyle=dash, **style)
    elif shape.type == "line":
        axes.plot([shape.x0, shape.x1], [shape.y0, shape.y1], dash, **style)


# -- axes ------------------------------------------------------------------------------------------


def _axis(axes: Any, which: str, axis: Any, names: list[str]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter, NullLocator

    scale, own = getattr(axes, f"set_{which}scale"), getattr(axes, f"{which}axis")
    if axis.type == "log":
        scale("log")
    limits = getattr(axes, f"set_{which}lim")
    if axis.range is not None:
        limits(*(10.0**end if axis.type == "log" else end for end in axis.range))
    elif axis.rangemode == "tozero":
        limits(0)
    if axis.tickvals is not None:
        texts = axis.ticktext or [f"{value:g}" for value in axis.tickvals]
        own.set_ticks(list(axis.tickvals), [drawable(_plain(text)) for text in texts])
        own.set_minor_locator(NullLocator())
    elif names:
        own.set_ticks(range(len(names)), [drawable(_plain(name)) for name in names])
    elif axis.type == "log":
        own.set_major_formatter(FuncFormatter(_power))
        own.set_minor_formatter(NullFormatter())
    else:
        own.set_major_locator(MaxNLocator(6, integer=axis.dtick == 1))
        if (axis.tickformat or "").endswith("%"):
            own.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        elif axis.tickformat == "~s":
            own.set_major_formatter(FuncFormatter(_short))
    if axis.autorange == "reversed":
        own.set_inverted(True)
    if axis.showticklabels is False:
        own.set_ticks([])
    getattr(axes, f"set_{which}label")(drawable(_plain(axis.title.text)), fontsize=TEXT)
    axes.tick_params(axis=which, labelsize=_SMALL, width=0.4, length=2, pad=2)
    for spine in axes.spines.values():
        spine.set(color=PAPER_FRAME, linewidth=0.4)


def _power(value: float, _place: object) -> str:
    """A power of ten; numbers of up to four digits as they are."""
    if 1e-3 <= value < 1e4:
        return f"{value:g}"
    return "10" + "".join(_RAISED[sign] for sign in f"{np.log10(value):.0f}")


def _short(value: float, _place: object) -> str:
    """A number with the letter of its thousands, as Plotly's format ``~s``."""
    for power, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= power:
            return f"{value / power:g}{letter}"
    return f"{value:g}"


def _names(figure: go.Figure, which: str) -> list[str]:
    """The categories of an axis in the order of the screen; none for numbers."""
    ordered = figure.layout[f"{which}axis"].categoryarray
    values = (value for trace in figure.data for value in _listed(trace[which]))
    found = [*_listed(ordered), *(value for value in values if value is not None)]
    return list(dict.fromkeys(found)) if any(isinstance(v, str) for v in found) else []


def _placed(values: Any, names: list[str]) -> np.ndarray:
    """Coordinates: numbers, or the places of categories; nan for a gap, (N,)."""
    listed = _listed(values)
    if not names:
        return np.array(listed, dtype=float)
    return np.array([np.nan if each is None else names.index(each) for each in listed])


def _listed(values: Any) -> list[Any]:
    return [] if values is None else list(values)


def _each(value: Any, count: int) -> list[Any]:
    """A value for each point: the list itself, or one value repeated."""
    return [value] * count if isinstance(value, (str, int, float)) else list(value)


def _colour(name: str | None) -> Any:
    return "white" if name == THEME_PAPER else "black" if name is None else rgba(name)


def _plain(text: str | None) -> str:
    """Text without Plotly's markup: d<sub>k</sub> becomes d_k."""
    without = re.sub("<sub>(.*?)</sub>", r"_\1", text or "").replace("<br>", " ")
    return unescape(re.sub("</?[a-z]+>", "", without))
