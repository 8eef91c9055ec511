"""The cells of one head, or of one layer, of a side."""

import numpy as np

from viz import attention_heatmap, shortened
from web.language import _
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.sides import SideView

MAX_NAME = 28
"""Letters of a model's name in a title."""


def closeup(
    view: SideView,
    weights: np.ndarray,
    name: str,
    key: str,
    *,
    layer: int | None = None,
    height: int | None = None,
) -> None:
    """Draw them as a heatmap under the model's name and theirs.

    Args:
        view: The side; some of its units are shown.
        weights: Between its units, (U, U).
        name: Of the head or layer.
        key: Of the chart.
        layer: Whose mask hides some of the cells; None where the numbers are of no single layer's
            attention.
        height: In pixels; by default as tall as the rows need.
    """
    capture = view.capture
    query, other = np.unravel_index(weights.argmax(), weights.shape)
    alt = _("{what}; strongest: {query} to {key}, {weight:.4f}.").format(
        what=f"{view.name} · {name}",
        query=view.labels[query],
        key=view.labels[other],
        weight=float(weights[query, other]),
    )
    figure = attention_heatmap(
        weights,
        [unit.label for unit in view.units],
        title=heading(view.name, name),
        subtitle=shortened(" | ".join(filter(None, (capture.text, capture.text_pair))), 48),
        side=view.side,
        allowed=None if layer is None else view.allowed_in(layer),
        text_colour=THEME_TEXT,
        height=height,
        translate=_,
    )
    chart(figure, key, stem(view.name, name, capture.text.lower()), alt)


def heading(model: str, name: str) -> str:
    """A figure's title beside which its toolbar has room: of a long name, the end.

    Args:
        model: What it is called on screen.
        name: Of the head or layer.
    """
    short = model if len(model) <= MAX_NAME else f"…{model[1 - MAX_NAME :]}"
    return f"{short} · {name}"
