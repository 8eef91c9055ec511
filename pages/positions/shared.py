"""What the parts of the page share: fragments, number inputs, a heatmap, a caption."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from model import HeadlightError
from pages.positions.url import Positions
from viz.figures.offsets import matrix_heatmap
from web import settings
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.view_state import address
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.view_code import ViewCode

Number = TypeVar("Number", int, float)

MAX_OFFSET = 5_000
MAX_BASE = 10**12
MAX_TOKENS = 256
"""Largest size of a matrix over all pairs of tokens."""


def section(draw: Callable[[], None]) -> Callable[[], None]:
    """Make a part a fragment that reruns alone and updates the URL."""

    @queue_fragment("positions")
    @wraps(draw)
    def drawn() -> None:
        draw()
        address.keep(Positions.fields)

    return drawn


@contextmanager
def showing_errors() -> Iterator[None]:
    """Show an invalid value's error message and leave the controls unchanged."""
    try:
        yield
    except HeadlightError as error:
        st.error(plain(in_words(error)), icon=":material/error:")


def choose_sizes() -> None:
    """Draw the inputs of the sinusoids; values beyond the limits show an error message."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Positions.length.draw()
        Positions.d_model.draw()
        Positions.base.draw()


def checked_sizes() -> tuple[int, int, float]:
    """Return the session's length, d_model and base, each within its limits."""
    limits = settings.now()
    return (
        within("length", Positions.length.value, 1, limits.positions),
        within("d_model", Positions.d_model.value, 2, limits.width),
        within("base", Positions.base.value, 1, MAX_BASE),
    )


def within(name: str, value: Number, low: float, high: float) -> Number:
    """Return a value within its limits, or raise a HeadlightError."""
    if not low <= value <= high:
        raise HeadlightError(
            "{name} must be from {low:,} to {high:,}, not {value:,}.",
            name=name,
            low=low,
            high=high,
            value=value,
        )
    return value


def matrix(
    values: np.ndarray, key: str, file_stem: str, alt: str, code: ViewCode, **look: Any
) -> None:
    """Draw a matrix (N, N) with the options of :func:`matrix_heatmap`."""
    figure = matrix_heatmap(values, text_colour=THEME_TEXT, translate=_, **look)
    chart(figure, key, file_stem, alt, code=code)


def caption_drawn_part(length: int, d_model: int, rows: np.ndarray, columns: np.ndarray) -> None:
    """Name the drawn rows and columns of a table with more cells than a screen has pixels."""
    steps = [int(x[1] - x[0]) if len(x) > 1 else 1 for x in (rows, columns)]
    if max(steps) > 1:
        st.caption(
            _(
                "{drawn:,} of {cells:,} values are drawn: positions in steps of {rows}, dimensions "
                "in steps of {columns}."
            ).format(
                cells=length * d_model,
                drawn=len(rows) * len(columns),
                rows=steps[0],
                columns=steps[1],
            )
        )
