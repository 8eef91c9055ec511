"""Heatmap of one head, or of one layer, of a side."""

import numpy as np

from viz import attention_heatmap, shortened
from web.language import _
from web.subject import Subject
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.view_code import ViewCode

MAX_NAME = 28
"""Maximum length of a model's name in a title."""


def closeup(
    view: Subject,
    weights: np.ndarray,
    name: str,
    key: str,
    *,
    layer: int | None = None,
    height: int | None = None,
    code: ViewCode | None = None,
) -> None:
    """Draw the heatmap, with the names of the model and of the head or layer as its title.

    Args:
        weights: Weights between the side's units, (U, U), or with the sink of ``view.drawn``.
        layer: The layer whose mask hides cells; None if the numbers do not belong to one layer.
        height: Height in pixels; by default as tall as the rows need.
        code: Code of the figure; None draws no exports.
    """
    capture = view.capture()
    query, other = np.unravel_index(weights.argmax(), weights.shape)
    alt = _("{what}. The largest weight is {query} to {key}, {weight:.4f}.").format(
        what=f"{view.name} · {name}",
        query=view.labels[query],
        key=(view.key_labels or view.labels)[other],
        weight=float(weights[query, other]),
    )
    allowed = None if layer is None else view.allowed_in(layer)
    figure = attention_heatmap(
        weights,
        [unit.label for unit in view.units],
        view.key_names if weights.shape[1] > len(view.units) else None,
        title=heading(view.name, name),
        subtitle=shortened(" | ".join(filter(None, (capture.text, capture.text_pair))), 48),
        side=view.side,
        allowed=None if allowed is None else allowed[:, : weights.shape[1]],
        text_colour=THEME_TEXT,
        height=height,
        translate=_,
    )
    chart(
        figure,
        key,
        stem(view.name, name, capture.text.lower()),
        alt,
        code=code,
        sides=[view],
    )


def heading(model: str, name: str) -> str:
    """Return the title of a figure, with room for its toolbar: a long name is cut at its start."""
    short = model if len(model) <= MAX_NAME else f"…{model[1 - MAX_NAME :]}"
    return f"{short} · {name}"
