"""The experiment "Why divide by sqrt(d_k)?": curves over d_k, and one query's weights as bars."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.style.theme import rgb

Pair = tuple[np.ndarray, np.ndarray]
"""Without the division and with it."""

GREY = "rgb(128, 128, 128)"  # guides and markers: seen on a light page and on a dark one
HEIGHT = 340

# Plotly could find the margins itself, but would draw the figure twice for it. There is room for a
# legend of two lines, and for sizes that stand upright: both happen in a narrow column.
_MARGIN = {"l": 58, "r": 12, "t": 78, "b": 66}


def spread_figures(
    sizes: Sequence[int],
    n_keys: int,
    std: Pair,
    entropy: Pair,
    gradient: Pair,
    *,
    current: int,
    translate: Callable[[str], str] = str,
) -> tuple[go.Figure, go.Figure, go.Figure]:
    """Draw what the scores, the softmax and its gradient do as d_k grows.

    Three figures and not one with three panels, so that a phone stacks them.

    Args:
        sizes: The d_k, powers of 2, length S.
        n_keys: Keys of each query; the entropy's ceiling is ln(n_keys).
        std: Standard deviation of the scores, (S,) each.
        entropy: Of the weights in nats, (S,) each.
        gradient: Norm of the softmax's Jacobian, 0 to 1/2, (S,) each.
        current: The d_k to mark.
        translate: From English to the reader's language.

    Raises:
        ValueError: If there is not one value for each size; both numbers are named.
    """
    for values in (*std, *entropy, *gradient):
        if values.shape != (len(sizes),):
            raise ValueError(f"The values are {values.shape}, but there are {len(sizes)} sizes.")
    ends = [sizes[0], sizes[-1]]
    ceiling = math.log(n_keys)
    # Ranges stay as they are from draw to draw, so that draws can be compared.
    return (
        _curves(
            sizes,
            std,
            translate("Spread of the scores"),
            {
                "title": translate("standard deviation") + " (··· √d<sub>k</sub>)",
                "type": "log",
                "range": [math.log10(0.5), math.log10(64)],
                "tickvals": [0.5, 1, 2, 4, 8, 16, 32],
            },
            current,
            translate,
            guide=_guide(ends, [math.sqrt(size) for size in ends]),
        ),
        _curves(
            sizes,
            entropy,
            translate("Entropy of the weights"),
            {
                "title": translate("entropy in nats") + f" (··· ln {n_keys})",
                "range": [0, 1.12 * ceiling],
            },
            current,
            translate,
            guide=_guide(ends, [ceiling, ceiling]),
        ),
        _curves(
            sizes,
            gradient,
            translate("Gradient of the softmax"),
            {"title": translate("norm of ∂w/∂s"), "range": [0, 0.52]},
            current,
            translate,
        ),
    )


def weights_bars(
    weights: Pair,
    scores: Pair,
    *,
    title: str = "",
    translate: Callable[[str], str] = str,
) -> go.Figure:
    """Draw one query's weights over its keys, without and with the division side by side.

    Args:
        weights: They sum to 1, (T,) each.
        scores: What the softmax was given, (T,) each; printed on hovering.
        title: Which query this is.
        translate: From English to the reader's language.

    Raises:
        ValueError: If there is not one score for each weight; both shapes are named.
    """
    n_keys = len(weights[0])
    for values in (*weights, *scores):
        if values.shape != (n_keys,):
            raise ValueError(f"There are {n_keys} keys, but values {values.shape}.")
    hover = f"{translate('weight')} %{{y:.6g}}<br>{translate('score')} %{{customdata:.6g}}"
    bars = [
        {
            "type": "bar",
            "name": name,
            "x": np.arange(1, n_keys + 1),
            "y": weight,
            "customdata": score,
            "marker": {"color": colour},
            "hovertemplate": f"{translate('key')} %{{x}}<br>{hover}<extra>{name}</extra>",
        }
        for (name, colour), weight, score in zip(_names(translate), weights, scores, strict=True)
    ]
    layout = {
        **_layout(title),
        "barmode": "group",
        "xaxis": {
            "title": {"text": translate("key"), "font": {"size": 12}},
            "range": [0.4, n_keys + 0.6],
            "tick0": 1,
            "dtick": 1 if n_keys <= 16 else 4,
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        "yaxis": {
            "title": {"text": translate("weight"), "font": {"size": 12}},
            "range": [0, 1.02],
            "automargin": False,
        },
    }
    return go.Figure(data=bars, layout=layout)


def _names(translate: Callable[[str], str]) -> list[tuple[str, str]]:
    return [(translate("undivided"), rgb("left")), (translate("divided"), rgb("right"))]


def _guide(x: list[int], y: list[float]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        # Wider than a curve: where the curve keeps to it, its dots are still seen on both sides.
        "line": {"color": GREY, "dash": "dot", "width": 6},
        "opacity": 0.5,
        "hoverinfo": "skip",
        "showlegend": False,  # in a narrow column a third name would grow into the title
    }


def _curves(
    sizes: Sequence[int],
    values: Pair,
    title: str,
    y_axis: dict[str, Any],
    current: int,
    translate: Callable[[str], str],
    guide: dict[str, Any] | None = None,
) -> go.Figure:
    curves = [
        {
            "type": "scatter",
            "name": name,
            "x": list(sizes),
            "y": curve,
            "mode": "lines+markers",
            "line": {"color": colour, "width": 2},
            "marker": {"color": colour, "size": 7},
            "hovertemplate": f"d<sub>k</sub> = %{{x}}<br>%{{y:.6g}}<extra>{name}</extra>",
        }
        for (name, colour), curve in zip(_names(translate), values, strict=True)
    ]
    marker = {
        "type": "line",
        "x0": current,
        "x1": current,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"color": GREY, "width": 1.5, "dash": "dash"},
    }
    layout = {
        **_layout(title),
        "shapes": [marker],
        "xaxis": {
            "title": {"text": "d<sub>k</sub>", "font": {"size": 12}},
            "type": "log",
            "range": [math.log10(sizes[0] / 1.25), math.log10(sizes[-1] * 1.25)],
            "tickvals": list(sizes),
            "ticktext": [str(size) for size in sizes],
            "autotickangles": [0, 90],  # upright where they would touch
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        "yaxis": {
            **y_axis,
            "title": {"text": y_axis["title"], "font": {"size": 12}},
            "zeroline": False,
            "automargin": False,
        },
    }
    # In one piece: every update_layout or update_xaxes would validate it all over again (10x).
    return go.Figure(data=[*([guide] if guide else []), *curves], layout=layout)


def _layout(title: str) -> dict[str, Any]:
    return {
        "title": {
            "text": title,
            "font": {"size": 14},
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"t": 8},
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.04,
            "yanchor": "bottom",
        },
        "height": HEIGHT,
        "margin": _MARGIN,
        "dragmode": "zoom",
    }
