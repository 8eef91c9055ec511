"""Figures for a paper: a heatmap as on the screen, all heads of a model, lines between tokens.

Axes: L n_layers, H n_heads, N heads, Tq queries, Tk keys, R rows, C columns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.canvas import pooled
from viz.figures.heatmap import attention_heatmap
from viz.paper.sheet import LEGIBLE, MARGIN, TEXT, PaperFigure, Sheet, room
from viz.style.figure import Translate
from viz.style.labels import distinct, shortened
from viz.style.theme import (
    HEAD_COLOURS,
    NOTHING,
    PAPER,
    PAPER_FRAME,
    PAPER_SLASH,
    Side,
    colour_scale,
    rgb,
)

MOST_CELLS = 50_000
"""Cells of all heads together, because smaller ones cannot be distinguished. A heatmap with more
cells, which has more than 223 tokens, omits the white ones."""

MOST_LETTERS = 24
"""Letters of a name on an axis. The SVG contains the whole name of each cell."""

WEAKEST = 0.01
"""Lines of smaller weights are not drawn, as on the screen."""

_AXIS = 1.3 * TEXT  # points across an axis title
_LARGEST = 40.0  # points on a side of a cell
_TALLEST = 1.4  # height of the cells as a share of the sheet's width
_BAR, _BAR_HEIGHT, _BAR_STEPS = 5.0, 90.0, 64  # points, points, shades of a colour bar
_MASK = (0.91, 0.91, 0.91)
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)  # between numbers on an axis


@dataclass(frozen=True)
class Style:
    """Colours and language of a figure."""

    side: Side = "right"
    sqrt: bool = False
    translate: Translate = str


def attention_figure(
    capture: Any, layer: int, head: int, style: Style = Style(), **facts: Any
) -> PaperFigure:
    """Draw a head as a heatmap for a paper: ``attention_figure(c, 3, 1).save("head.pdf")``.

    Args:
        layer: Layer, from 0.
        head: Head, from 0.

    Raises:
        IndexError: If the capture has no such layer or head.
    """
    capture = _with_sink(capture)
    figure = attention_heatmap(
        _weights(capture, layer, head),
        capture.tokens,
        capture.key_tokens,
        side=style.side,
        sqrt=style.sqrt,
        allowed=capture.allowed[layer],
        translate=style.translate,
    )
    title, caption = f"{capture.model} · {_name(layer, head)}", _sentence(capture)
    known = facts_of(capture, layer=layer, head=head, **facts)
    return paper_heatmap(figure, known, title, caption, style.translate)


def facts_of(capture: Any, **more: Any) -> dict[str, Any]:
    """Collect what an exported file states about its numbers."""
    texts = {"text": capture.text, "text_pair": capture.text_pair}
    if capture.other_keys is not None and capture.other_keys.text != capture.text:
        texts["source"] = capture.other_keys.text
    return {"model": capture.model, "stack": capture.stack, **texts, **more, **capture.origin}


def _with_sink(capture: Any) -> Any:
    """The capture, with the weights of attention sinks as those of a last key."""
    return capture if getattr(capture, "sink", None) is None else capture.with_sink_key()


def _weights(capture: Any, layer: int, head: int) -> np.ndarray:
    n_layers, n_heads = capture.weights.shape[:2]
    if not (0 <= layer < n_layers and 0 <= head < n_heads):
        raise IndexError(
            f"{capture.model} has {n_layers} layers of {n_heads} heads, but no "
            f"{_name(layer, head)}."
        )
    weights: np.ndarray = capture.weights[layer, head]
    return weights


def _name(layer: int, head: int) -> str:
    return f"L{layer}·H{head}"


def _sentence(capture: Any) -> str:
    """The whole sentence, both sentences of a pair, or the source and what was written."""
    if capture.other_keys is not None and capture.other_keys.text != capture.text:
        return f"{capture.other_keys.text} → {capture.text}"
    return " | ".join(filter(None, (capture.text, capture.text_pair)))


# -- heatmaps --------------------------------------------------------------------------------------


def is_heatmap(figure: go.Figure) -> bool:
    """Check whether :func:`paper_heatmap` can draw a figure."""
    traces = figure.data
    return any(trace.type == "heatmap" for trace in traces) and all(
        trace.type == "heatmap" or getattr(trace.marker, "color", None) == NOTHING
        for trace in traces
    )


def paper_heatmap(
    figure: go.Figure,
    facts: Mapping[str, Any],
    title: str = "",
    caption: str = "",
    translate: Translate = str,
) -> PaperFigure:
    """Draw a heatmap of the screen for a paper: the same numbers, names and colours.

    Marks of what is selected on the screen are left out.
    """
    own, known = figure.layout.title, {"figure": "heatmap", **facts}
    return PaperFigure(
        title or unescape(own.text or ""),
        caption or unescape(own.subtitle.text or ""),
        note_of(known, translate),
        partial(_draw_heatmap, figure),
        known,
    )


def _draw_heatmap(figure: go.Figure, sheet: Sheet) -> None:
    heatmap, *others = (trace for trace in figure.data if trace.type == "heatmap")
    values = np.asarray(heatmap.z, dtype=np.float32)
    masked = np.isfinite(np.asarray(others[0].z)) if others else np.zeros_like(values, dtype=bool)
    rows, columns = ([unescape(str(name)) for name in axis] for axis in (heatmap.y, heatmap.x))
    named = heatmap.colorbar.title.text or heatmap.colorbar.ticktext
    bar = _bar_of(heatmap) if named else None
    n_rows, n_columns = values.shape
    size, longest = TEXT, room(_short(rows))
    for _ in range(5):  # the size of the names determines the size of the cells, and vice versa
        left = MARGIN + _AXIS + longest * size + 3
        wide = min((sheet.width - left - _bar_room(bar) - MARGIN) / n_columns, _LARGEST)
        high = min(wide, _TALLEST * sheet.width / n_rows)
        size = _name_size(high, heatmap.y)
    x, y = left + wide * np.arange(n_columns), sheet.height + high * np.arange(n_rows)
    boxes = _boxes(x, y, wide, high)
    shades = colours(values.ravel(), heatmap.colorscale, heatmap.zmin, heatmap.zmax)
    shades[masked.ravel()] = _MASK
    drawn = _inked(shades) if values.size > MOST_CELLS else np.ones(values.size, dtype=bool)
    names = [  # (R * C,) -> (R, C)
        (f"cell-{i}-{j}", f"{rows[i]} → {columns[j]}: {_number(values[i, j])}")
        for i, j in np.argwhere(drawn.reshape(values.shape)).tolist()
    ]
    sheet.cells("cells", boxes[drawn], shades[drawn], names)
    a, b, w, h = boxes[masked.ravel()].T  # (N, 4) -> 4 x (N,)
    sheet.lines("masked", _segments(a, b + h, a + w, b), PAPER_SLASH, 0.25)
    _numbers(sheet, heatmap, values, boxes)
    right, top, bottom = left + wide * n_columns, sheet.height, sheet.height + high * n_rows
    _frames(sheet, np.array([[left, top, right - left, bottom - top]]))
    down, across = (
        unescape(axis.title.text or "") for axis in (figure.layout.yaxis, figure.layout.xaxis)
    )
    sheet.text(MARGIN + TEXT / 2, (top + bottom) / 2, down, turned=True)
    for at, name in zip(y + high / 2, _shown(rows, high, heatmap.y), strict=True):
        sheet.text(left - 2, at, name, size, across="right")
    size = _name_size(wide, heatmap.x)
    for at, name in zip(x + wide / 2, _shown(columns, wide, heatmap.x), strict=True):
        sheet.text(at, bottom + 2, name, size, across="right", turned=True)
    sheet.height = bottom + room(_short(columns)) * size + 4 + _AXIS
    sheet.text((left + right) / 2, sheet.height - TEXT / 2, across)
    if bar is not None:
        sheet.height = max(sheet.height, _draw_bar(sheet, bar, right + 6, top))


def _number(value: np.float32) -> str:
    """The shortest digits that identify a number."""
    return "masked" if np.isnan(value) else str(value)


def _inked(shades: np.ndarray) -> np.ndarray:
    """Which colours are not white on paper, (N,)."""
    return np.asarray((shades < 254.5 / 255).any(axis=1))


def _short(names: Iterable[str]) -> list[str]:
    return [shortened(name, MOST_LETTERS) for name in names]


def _name_size(pitch: float, axis: Sequence[Any]) -> float:
    """Font size of an axis: every name of a token fits; numbers can be left out."""
    return min(TEXT, 0.9 * pitch) if isinstance(axis[0], str) else TEXT - 1


def _shown(names: Sequence[str], pitch: float, axis: Sequence[Any]) -> list[str]:
    """The names of an axis; of numbers only as many as fit, and "" for the others."""
    least = 1 if isinstance(axis[0], str) else 2 * TEXT / pitch
    step = next(step for step in _STEPS if step >= least)
    return [name if i % step == 0 else "" for i, name in enumerate(_short(names))]


def _numbers(sheet: Sheet, heatmap: Any, values: np.ndarray, boxes: np.ndarray) -> None:
    """The numbers that the screen prints into the cells, if they are legible on the sheet."""
    template = heatmap.texttemplate or ""
    if form := re.search("%{z:(.*?)}", template):
        texts = [format(value, form[1].replace("~", "")) for value in values.ravel().tolist()]
    elif template:
        texts = [unescape(str(text)) for row in heatmap.text for text in row]
    else:
        return
    wide, high = boxes[0, 2:]
    size = min(TEXT - 1, 0.7 * high, 0.9 * wide / max(room(texts), 0.1))
    for (x, y, w, h), text in zip(boxes, texts, strict=True) if size >= LEGIBLE else ():
        sheet.text(x + w / 2, y + h / 2, text, size)


# -- all heads -------------------------------------------------------------------------------------


def overview_figure(capture: Any, style: Style = Style(), **facts: Any) -> PaperFigure:
    """Draw all heads of a model for a paper, a row for each layer."""
    capture = _with_sink(capture)
    weights, translate = capture.weights, style.translate
    most = max(int((MOST_CELLS / (weights.shape[0] * weights.shape[1])) ** 0.5), 2)
    shown, blocks = pooled(weights, most)
    note = translate("Each square is one head: rows attend (query), columns are attended to (key).")
    if max(blocks) > 1:
        merged = translate("Each cell is the largest weight of {queries} × {keys} tokens.")
        note += " " + merged.format(queries=blocks[0], keys=blocks[1])
    shown = shown.copy()  # captures are read-only
    for heads, mask in zip(shown, capture.allowed, strict=True):
        if mask is not None:
            heads[:, ~pooled(mask, most)[0]] = np.nan
    bar = _Bar(translate("weight"), _ticks(0, 1), colour_scale(style.side, sqrt=style.sqrt), 0, 1)
    known = facts_of(capture, figure="heads", **facts)
    note = f"{note} {note_of(known, translate)}"
    draw = partial(_draw_heads, shown, bar)
    return PaperFigure(capture.model, _sentence(capture), note, draw, known)


def _draw_heads(weights: np.ndarray, bar: "_Bar", sheet: Sheet) -> None:
    n_layers, n_heads, n_queries, n_keys = weights.shape
    left, top, gap = MARGIN + TEXT * 2.2, sheet.height + TEXT * 1.2, 1.5
    pitch = (sheet.width - left - _bar_room(bar) - MARGIN) / n_heads
    # The heads of a deep model fit a page.
    cell = min((pitch - gap) / n_keys, _TALLEST * sheet.width / n_layers / n_queries)
    pitch, tall = cell * n_keys + gap, cell * n_queries + gap
    size = min(TEXT - 1, pitch / 2)
    x, y = left + pitch * np.arange(n_heads), top + tall * np.arange(n_layers)
    for layer, head in np.ndindex(n_layers, n_heads):
        values = weights[layer, head]
        shades = colours(values.ravel(), bar.scale, bar.low, bar.high)
        shades[np.isnan(values).ravel()] = _MASK
        inked = _inked(shades)
        corners = x[head] + cell * np.arange(n_keys), y[layer] + cell * np.arange(n_queries)
        boxes = _boxes(*corners, cell, cell)
        names = [  # (Tq * Tk,) -> (Tq, Tk)
            (f"head-{layer}-{head}-cell-{i}-{j}", _number(values[i, j]))
            for i, j in np.argwhere(inked.reshape(values.shape)).tolist()
        ]
        sheet.cells(f"head-{layer}-{head}", boxes[inked], shades[inked], names)
    _frames(sheet, _boxes(x, y, pitch - gap, tall - gap))
    for at, name in zip(x, (f"H{head}" for head in range(n_heads)), strict=True):
        sheet.text(at + (pitch - gap) / 2, top - 0.6 * TEXT, name, size)
    for at, name in zip(y, (f"L{layer}" for layer in range(n_layers)), strict=True):
        sheet.text(left - 2, at + (tall - gap) / 2, name, min(size, tall), across="right")
    end = _draw_bar(sheet, bar, left + pitch * n_heads + 4, top)
    sheet.height = max(top + tall * n_layers, end) + 2


# -- lines -----------------------------------------------------------------------------------------


def lines_figure(
    capture: Any, heads: Sequence[tuple[int, int]], style: Style = Style(), **facts: Any
) -> PaperFigure:
    """Draw heads as lines between the tokens for a paper: a stronger line is a larger weight.

    Args:
        heads: Layer and head of each; several have the colours of the screen and a legend.

    Raises:
        IndexError: If the capture has no such layer or head.
    """
    capture = _with_sink(capture)
    weights = np.stack([_weights(capture, *place) for place in heads])
    masks = [capture.allowed[layer] for layer, _ in heads]
    weights = np.stack([w if m is None else w * m for w, m in zip(weights, masks, strict=True)])
    hues = HEAD_COLOURS[: len(heads)] if len(heads) > 1 else [rgb(style.side)]
    names = [_name(*place) for place in heads]
    note = style.translate("From the attending token (left) to the attended one (right).")
    weak = style.translate("Weights below {weight} have no line.").format(weight=WEAKEST)
    known = {"layer": heads[0][0], "head": heads[0][1], "heads": heads, **facts}
    known = facts_of(capture, figure="lines", **known)
    return PaperFigure(
        f"{capture.model} · {', '.join(names)}",
        _sentence(capture),
        f"{note} {weak} {note_of(known, style.translate)}",
        partial(
            _draw_lines,
            weights,
            weights ** (0.5 if style.sqrt else 1),
            distinct(capture.tokens),
            distinct(capture.key_tokens),
            dict(zip(names, hues, strict=True)),
        ),
        known,
    )


def _draw_lines(
    weights: np.ndarray,
    strength: np.ndarray,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    hues: Mapping[str, str],
    sheet: Sheet,
) -> None:
    n_heads, n_queries, n_keys = weights.shape
    for name, hue in hues.items() if n_heads > 1 else ():
        sheet.paragraph(name, color=rgba(hue))
    most = max(n_queries, n_keys)
    row = min(1.35 * TEXT, 2 * sheet.width / most)
    size = min(TEXT, 0.85 * row)
    left, right = _short(tokens), _short(key_tokens)
    a = MARGIN + room(left) * size + 2
    b = sheet.width - MARGIN - room(right) * size - 2
    at = [  # the shorter list is centred on the longer one
        sheet.height + row * (np.arange(n) + 0.5 + (most - n) / 2) for n in (n_queries, n_keys)
    ]
    for y, word in zip(at[0], left, strict=True):
        sheet.text(a - 2, y, word, size, across="right")
    for y, word in zip(at[1], right, strict=True):
        sheet.text(b + 2, y, word, size, across="left")
    shown = np.argwhere(weights >= WEAKEST)
    # The strongest on top. (N, 3) -> 3 x (N,)
    shown = shown[np.argsort(weights[tuple(shown.T)], kind="stable")]
    heads, queries, keys = shown.T
    shift = (heads - (n_heads - 1) / 2) * min(1.5, row / (n_heads + 1))
    share = strength[heads, queries, keys]
    inks = np.zeros((len(shown), 3))
    for head, hue in enumerate(hues.values()):
        scale = [(0, PAPER), (1, hue)]
        inks[heads == head] = colours(share[heads == head], scale, 0, 1)
    ends = _segments(np.full(len(shown), a), at[0][queries] + shift, b, at[1][keys] + shift)
    labels = [
        (f"line-{n}-{i}-{j}", f"{tokens[i]} → {key_tokens[j]}: {_number(weights[n, i, j])}")
        for n, i, j in shown.tolist()
    ]
    sheet.lines("lines", ends, inks, 0.4 + 1.6 * share, labels)
    sheet.height += row * most + 3


# -- parts -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bar:
    """A colour bar: its title, its ticks with their labels, and a Plotly colour scale."""

    title: str
    ticks: Sequence[tuple[float, str]]
    scale: Iterable[Sequence[Any]]
    low: float
    high: float


def _bar_of(heatmap: Any) -> _Bar:
    given, low, high = heatmap.colorbar, heatmap.zmin, heatmap.zmax
    ticks = _ticks(low, high)
    if given.tickvals is not None:
        texts = given.ticktext or [f"{value:g}" for value in given.tickvals]
        ticks = [
            (value, unescape(text.replace("<br>", "\n")))
            for value, text in zip(given.tickvals, texts, strict=True)
        ]
    return _Bar(unescape(given.title.text or ""), ticks, heatmap.colorscale, low, high)


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(4).tick_values(low, high)
    return [(tick, f"{tick:g}") for tick in ticks if low <= tick <= high]


def _bar_room(bar: _Bar | None) -> float:
    if bar is None:
        return 0.0
    longest = room(line for _, text in bar.ticks for line in text.splitlines())
    return 6 + _BAR + 3 + longest * (TEXT - 1) + _AXIS


def _draw_bar(sheet: Sheet, bar: _Bar, x: float, top: float) -> float:
    """Draw a colour bar; returns the height at which it ends."""
    edges = np.linspace(bar.high, bar.low, _BAR_STEPS + 1)
    step = _BAR_HEIGHT / _BAR_STEPS
    boxes = _boxes(np.array([x]), top + step * np.arange(_BAR_STEPS), _BAR, step)
    sheet.cells("bar", boxes, colours((edges[1:] + edges[:-1]) / 2, bar.scale, bar.low, bar.high))
    _frames(sheet, np.array([[x, top, _BAR, _BAR_HEIGHT]]))
    for value, text in bar.ticks:
        y = top + _BAR_HEIGHT * (bar.high - value) / (bar.high - bar.low)
        sheet.text(x + _BAR + 2, y, text, TEXT - 1, across="left")
    sheet.text(x + _bar_room(bar) - 6 - TEXT / 2, top + _BAR_HEIGHT / 2, bar.title, turned=True)
    return top + _BAR_HEIGHT


def _boxes(x: np.ndarray, y: np.ndarray, wide: float, high: float) -> np.ndarray:
    """Rectangles of equal size by rows: left, top, width and height, (R * C, 4)."""
    down, across = np.meshgrid(y, x, indexing="ij")
    both = np.stack([across, down, np.full_like(across, wide), np.full_like(across, high)], -1)
    return both.reshape(-1, 4)  # (R, C, 4) -> (R * C, 4)


def _segments(x0: Any, y0: Any, x1: Any, y1: Any) -> np.ndarray:
    """Lines between two points each, (N, 2, 2)."""
    ends = np.stack(np.broadcast_arrays(x0, y0, x1, y1), -1)
    return ends.reshape(-1, 2, 2)  # (N, 4) -> (N, 2, 2)


def _frames(sheet: Sheet, boxes: np.ndarray) -> None:
    x, y, w, h = boxes.T  # (N, 4) -> 4 x (N,)
    corners = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
    sides = [_segments(*a, *b) for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)]
    sheet.lines("frames", np.concatenate(sides), PAPER_FRAME, 0.4)


def note_of(facts: Mapping[str, Any], translate: Translate) -> str:
    """Write the small text below a figure."""
    version = f"Headlight {facts['headlight']}." if "headlight" in facts else ""
    counted = translate("Layers and heads count from 0.")
    numbered = "layer" in facts or facts["figure"] == "heads"
    return f"{counted} {version}" if numbered else version


def colours(
    values: np.ndarray, scale: Iterable[Sequence[Any]], low: float, high: float
) -> np.ndarray:
    """Colours of numbers (N,) on white paper: red, green and blue from 0 to 1, (N, 3).

    The colours of the Plotly scale are hexadecimal, or red, green, blue and alpha.
    """
    stops, named = zip(*scale, strict=True)
    shades = np.array([rgba(colour) for colour in named])
    share = np.clip((values - low) / (high - low), 0, 1)
    # (stops, 4) -> 4 x (stops,)
    red, green, blue, alpha = (np.interp(share, stops, channel) for channel in shades.T)
    return 1 - alpha[:, None] * (1 - np.stack([red, green, blue], -1))


def rgba(colour: str) -> tuple[float, ...]:
    """Read a colour of a figure: red, green, blue and alpha from 0 to 1."""
    if colour.startswith("#"):
        return (*(part / 255 for part in bytes.fromhex(colour[1:])), 1.0)
    red, green, blue, *alpha = map(float, re.findall(r"[\d.]+", colour))
    return (red / 255, green / 255, blue / 255, *(alpha or [1.0]))
