"""The log of a training run as curves over what it has read."""

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from viz.style.theme import rgb

HEIGHT = 320

# Plotly could find the margins itself, but would draw the figure twice for it.
_MARGIN = {"l": 58, "r": 58, "t": 44, "b": 52}


def training_curves(
    tokens: Sequence[int],
    loss: Sequence[float],
    accuracy: Sequence[float],
    *,
    translate: Callable[[str], str] = str,
) -> go.Figure:
    """Draw the loss and the share of right guesses on held-out text over the tokens read.

    Args:
        tokens: Read so far, length N.
        loss: In nats, length N.
        accuracy: Between 0 and 1, length N.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the three are not equally long; their lengths are named.
    """
    if not len(tokens) == len(loss) == len(accuracy):
        raise ValueError(
            f"There are {len(tokens)} moments, {len(loss)} losses, {len(accuracy)} accuracies."
        )
    millions = [count / 1e6 for count in tokens]
    curves = [
        _curve(translate("loss (nats)"), millions, loss, rgb("left"), "y", "%{y:.3f}"),
        _curve(translate("right guesses"), millions, accuracy, rgb("right"), "y2", "%{y:.1%}"),
    ]
    layout = {
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "height": HEIGHT,
        "margin": _MARGIN,
        "dragmode": "zoom",
        "hovermode": "x unified",
        "xaxis": {
            "title": {"text": translate("million tokens read"), "font": {"size": 12}},
            "rangemode": "tozero",
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        "yaxis": {
            "title": {"text": translate("loss (nats)"), "font": {"size": 12}},
            "zeroline": False,
            "automargin": False,
        },
        "yaxis2": {
            "title": {"text": translate("right guesses"), "font": {"size": 12}},
            "overlaying": "y",
            "side": "right",
            "rangemode": "tozero",
            "tickformat": ".0%",
            "tickmode": "auto",  # else its ticks stand where the other axis has its own
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
    }
    return go.Figure(data=curves, layout=layout)


def _curve(
    name: str, x: Sequence[float], y: Sequence[float], colour: str, axis: str, value: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": list(x),
        "y": list(y),
        "yaxis": axis,
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 5},
        "hovertemplate": value,
    }
