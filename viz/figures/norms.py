"""A small batch, normalised: the numbers, and a frame round those that are averaged together."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.style.figure import FROM_THE_TOP, Part, Translate, axis, figure, heading
from viz.style.labels import literal
from viz.style.theme import GREY
from viz.style.traces import in_cells, signed_cells

_ROW = 30  # pixels

Frame = tuple[int, int, int, int]
"""First and last row, first and last column."""


def norm_heatmap(
    values: np.ndarray,
    rows: Sequence[str],
    *,
    title: str = "",
    together: Frame | None = None,
    cell: tuple[int, int] | None = None,
    faded: Sequence[int] = (),
    top: float = 2.5,
    text_colour: str | None = None,
    paper_colour: str = "white",
    translate: Translate = str,
) -> go.Figure:
    """Draw the tokens of a batch one below the other, their features side by side.

    Args:
        values: (R, D).
        rows: Names of the tokens, distinct, length R.
        title: Which norm.
        together: Whose mean and variance the cell is normalised with: they are framed.
        cell: The one that is looked at: row and column.
        faded: Rows that are padding.
        top: The value at both ends of the colours.
        text_colour: Of the numbers and frames.
        paper_colour: Behind the figure, into which padding fades.
        translate: From English to the reader's language.

    Raises:
        ValueError: If the names do not match the values; both numbers are named.
    """
    n_rows, n_columns = values.shape
    feature = translate("feature")
    heatmap = signed_cells(
        values,
        [literal(row) for row in rows],
        [str(column) for column in range(n_columns)],
        top,
        "",
        showscale=False,
        hovertemplate=f"%{{y}}, {feature} %{{x}}<br>%{{z:.6g}}<extra></extra>",
        **in_cells(True, text_colour, texttemplate="%{z:.2f}"),
    )
    ink = text_colour or GREY
    shapes = [
        {
            "type": "rect",
            "x0": -0.5,
            "x1": n_columns - 0.5,
            "y0": row - 0.5,
            "y1": row + 0.5,
            "fillcolor": paper_colour,
            "opacity": 0.6,
            "line": {"width": 0},
        }
        for row in faded
    ]
    if together is not None:
        shapes.append(_frame(together, ink, 3))
    if cell is not None:
        row, column = cell
        shapes.append({**_frame((row, row, column, column), ink, 2), "line": {"dash": "dot"}})
    return figure(
        [heatmap],
        x_axis=axis(feature, type="category", showgrid=False),
        y_axis={
            **axis(translate("token"), type="category", showgrid=False),
            **FROM_THE_TOP,
        },
        height=92 + _ROW * n_rows,
        margin={"l": 52, "r": 8, "t": 40, "b": 52},
        title=heading(title),
        shapes=shapes,
    )


def _frame(place: Frame, ink: str, width: float) -> Part:
    first_row, last_row, first_column, last_column = place
    return {
        "type": "rect",
        "x0": first_column - 0.5,
        "x1": last_column + 0.5,
        "y0": first_row - 0.5,
        "y1": last_row + 0.5,
        "line": {"color": ink, "width": width},
    }
