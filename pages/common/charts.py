"""Plotly figures on a page: their description and their export, everywhere alike."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

THEME_TEXT = "#000037"
"""A colour that Streamlit replaces, in charts, by the text colour of the reader's theme."""


def chart(figure: go.Figure, key: str, file_stem: str, alt: str) -> None:
    """Draw a figure in a container of its own.

    Args:
        figure: As viz makes it.
        key: Of the container.
        file_stem: Of the files that the toolbar saves, after "headlight_": what is inside.
        alt: What there is to see, for those who do not.
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
    with st.container(key=key):
        st.plotly_chart(figure, key=f"{key}_chart", alt=alt, config=config)
