"""Curves of a training run's log over the number of tokens."""

from collections.abc import Sequence

import plotly.graph_objects as go

from viz.style.figure import PlotlyDict, Translate, axis, figure, legend_at
from viz.style.theme import rgb
from viz.style.traces import curve, guide


def training_curves(
    tokens: Sequence[int],
    loss: Sequence[float],
    accuracy: Sequence[float],
    changed: float,
    *,
    translate: Translate = str,
) -> go.Figure:
    """Draw the loss in nats and the accuracy on held-out text over the training tokens.

    A line marks ``changed``, the tokens after which the training text was another one.
    """
    millions = [count / 1e6 for count in tokens]
    curves = [
        _curve(translate("loss (lower is better)"), millions, loss, rgb("left"), "y", "%{y:.3f}"),
        _curve(translate("right guesses"), millions, accuracy, rgb("right"), "y2", "%{y:.1%}"),
    ]
    return figure(
        curves,
        x_axis=axis(translate("million tokens read"), rangemode="tozero", showgrid=False),
        y_axis=axis(translate("loss (lower is better)"), range=[3, 7], dtick=1),
        yaxis2=axis(
            translate("right guesses"),
            overlaying="y",
            side="right",
            range=[0, 0.4],
            dtick=0.1,
            tickformat=".0%",
            showgrid=False,
        ),
        shapes=[guide(x=changed / 1e6)],
        height=320,
        margin={"l": 58, "r": 58, "t": 44, "b": 52},
        legend=legend_at(1.02, "bottom"),
        hovermode="x unified",
    )


def _curve(
    name: str, x: Sequence[float], y: Sequence[float], colour: str, axis: str, value: str
) -> PlotlyDict:
    return curve(list(x), list(y), colour, name=name, yaxis=axis, hovertemplate=value)
