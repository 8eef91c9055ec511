"""Plotly figures on a page, with their alternative text and their export."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st
from plotly.io.json import to_json_plotly

from model.version import citation, version
from viz.style.theme import THEME_TEXT as THEME_TEXT  # for pages that draw figures with text
from viz.view_payload import figure_strings
from web import components
from web.language import _
from web.server.static_files import PLOTLY_URL
from web.widgets.export import Captured, figure_tools, heatmap_papers
from web.widgets.view_code import ViewCode


def chart(
    figure: go.Figure,
    key: str,
    file_stem: str,
    alt: str,
    on_points: Callable[[int], None] | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
    code: ViewCode | None = None,
    sides: Sequence[Captured] = (),
) -> None:
    """Draw a figure in a container, and below it its exports and its code.

    Args:
        file_stem: Name of the saved files, after "headlight_".
        on_points: Called with the ``customdata`` of a clicked point.
        width: Pixels, for figures whose cells must not shrink.
        code: Code of the figure; None draws no exports.
        sides: Export offers their captures.
    """
    drawn = figure.to_dict()
    drawn["layout"].pop("template", None)  # the browser adds the template of the current theme
    payload = {
        "key": key,
        "figure": drawn,
        "alt": alt,
        "file": f"headlight_{file_stem}".replace("/", "-"),
        "clicks": on_points is not None,
        "plotly": PLOTLY_URL,
        "about": {"headlight": version(), "citation": citation()},
        "strings": figure_strings(_),
    }
    with st.container(key=key):
        components.plotly_figure(
            to_json_plotly(payload).encode(),
            key=f"{key}_chart",
            height=drawn["layout"].get("height", 450),  # Plotly's default
            on_clicked=partial(_clicked, f"{key}_chart", on_points),
            width=width,
        )
    if code is not None:
        papers = partial(heatmap_papers, figure, file_stem)
        figure_tools(key, code, *sides, figure=key, papers=papers)


def _clicked(key: str, on_points: Callable[[int], None] | None) -> None:
    point: Any = st.session_state[key].clicked
    if on_points and point is not None:
        on_points(int(point))
