"""A normalised batch as numbers, with a frame around those that share a mean and variance."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import FROM_THE_TOP, Translate, axis, figure, heading
from viz.style.labels import literal, number
from viz.style.theme import GREY
from viz.style.traces import Frame, frame, in_cells, signed_cells

_ROW = 30  # pixels

TOP = 2.5
"""Largest absolute value of the colour range."""


def norm_heatmap(
    values: np.ndarray,
    rows: Sequence[str],
    *,
    title: str = "",
    together: Frame | None = None,
    text_colour: str | None = None,
    translate: Translate = str,
) -> go.Figure:
    """Draw a batch, (R, D), with tokens as rows and features as columns."""
    n_rows, n_columns = values.shape
    feature = translate("feature")
    printed = [[number(value, "z.2f") for value in row] for row in values.tolist()]
    heatmap = signed_cells(
        values,
        [literal(row) for row in rows],
        [str(column) for column in range(n_columns)],
        TOP,
        "",
        showscale=False,
        hovertemplate=f"%{{y}}, {feature} %{{x}}<br>%{{z:.6g}}<extra></extra>",
        **in_cells(True, text_colour, text=printed, texttemplate="%{text}"),
    )
    return figure(
        [heatmap],
        x_axis=axis(feature, type="category", showgrid=False),
        y_axis=axis(translate("token"), type="category", showgrid=False, **FROM_THE_TOP),
        height=92 + _ROW * n_rows,
        margin={"l": 52, "r": 8, "t": 40, "b": 52},
        title=heading(title),
        shapes=[] if together is None else [frame(together, text_colour or GREY, 3)],
    )
