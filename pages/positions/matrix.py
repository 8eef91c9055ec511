"""A square matrix between places, or between dimensions."""

import numpy as np

from pages.shared.charts import THEME_TEXT, chart
from pages.shared.language import _
from viz.figures.offsets import matrix_heatmap
from viz.style.theme import Sign

MAX_PRINTED = 16
"""Rows and columns, of a matrix that is drawn with its numbers."""


def matrix(
    values: np.ndarray,
    *,
    x_title: str,
    y_title: str,
    top: float,
    sign: Sign = "both",
    title: str,
    key: str,
    file_stem: str,
    alt: str,
) -> None:
    """Draw it as a heatmap, with its numbers while they can be read.

    Args:
        values: (N, N).
        x_title: What the columns are.
        y_title: What the rows are.
        top: The largest number in either direction: the end of the colours.
        sign: Of all numbers that can occur.
        title: Of the figure.
        key: Of the chart.
        file_stem: Of the files that the toolbar saves.
        alt: What there is to see, for those who do not.
    """
    places = np.arange(len(values))
    figure = matrix_heatmap(
        values,
        rows=places,
        columns=places,
        x_title=x_title,
        y_title=y_title,
        top=top,
        sign=sign,
        title=title,
        printed=len(values) <= MAX_PRINTED,
        text_colour=THEME_TEXT,
        translate=_,
    )
    chart(figure, key, file_stem, alt)
