"""The curve of a training run's log over the number of tokens."""

from collections.abc import Sequence

import plotly.graph_objects as go

from viz.style.figure import SMALL, Translate, axis, figure
from viz.style.theme import rgb
from viz.style.traces import curve, guide


def training_curve(
    tokens: Sequence[int], accuracy: Sequence[float], changed: float, *, translate: Translate = str
) -> go.Figure:
    """Draw the accuracy on held-out text over the training tokens.

    A line marks ``changed``, the tokens after which Wikipedia was part of the training text.
    """
    millions = [count / 1e6 for count in tokens]
    name = {
        "text": translate("Wikipedia joins"),
        "font": {"size": SMALL},
        "textangle": 0,
        "textposition": "start",
        "xanchor": "left",
    }
    return figure(
        [curve(millions, list(accuracy), rgb("left"), hovertemplate="%{y:.1%}<extra></extra>")],
        x_axis=axis(translate("million tokens read"), rangemode="tozero", showgrid=False),
        y_axis=axis(translate("right guesses"), range=[0, 0.4], dtick=0.1, tickformat=".0%"),
        shapes=[{**guide(x=changed / 1e6), "label": name}],
        height=320,
        margin={"l": 58, "r": 20, "t": 20, "b": 52},
        hovermode="x unified",
    )
