"""Plotly figures on a page: their description and their export, everywhere alike."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st

from viz.style.theme import THEME_TEXT as THEME_TEXT  # what pages give to figures that print text


def chart(
    figure: go.Figure,
    key: str,
    file_stem: str,
    alt: str,
    on_points: Callable[[int], None] | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Draw a figure in a container of its own.

    Args:
        figure: As viz makes it.
        key: Of the container.
        file_stem: Of the files that the toolbar saves, after "headlight_": what is inside.
        alt: What there is to see, for those who do not.
        on_points: Called with the ``customdata`` of a point that is clicked.
        width: In pixels, of a figure whose cells must not shrink; as wide as there is room for
            unless given.
    """
    config: dict[str, Any] = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
        "toImageButtonOptions": {
            "format": "png",
            "scale": 3,
            "filename": f"headlight_{file_stem}".replace("/", "-"),
        },
    }
    selecting: dict[str, Any] = {}
    if on_points is not None:
        selecting = {"on_select": partial(_clicked, f"{key}_chart", on_points)}
        selecting["selection_mode"] = "points"
    with st.container(key=key):
        st.plotly_chart(
            figure, key=f"{key}_chart", alt=alt, config=config, width=width, **selecting
        )


def _clicked(key: str, on_points: Callable[[int], None]) -> None:
    points = st.session_state[key].selection.points
    if points:
        on_points(int(points[0]["customdata"]))
