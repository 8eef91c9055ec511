"""Heatmap of a square matrix between positions or dimensions."""

import numpy as np

from viz.figures.offsets import matrix_heatmap
from viz.style.theme import Sign
from web.language import _
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.view_code import ViewCode


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
    code: ViewCode,
) -> None:
    """Draw a matrix (N, N) as a heatmap, with its numbers if they are legible."""
    figure = matrix_heatmap(
        values,
        x_title=x_title,
        y_title=y_title,
        top=top,
        sign=sign,
        title=title,
        text_colour=THEME_TEXT,
        translate=_,
    )
    chart(figure, key, file_stem, alt, code=code)
