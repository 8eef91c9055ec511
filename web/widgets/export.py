"""Export button: captures and the Python code of a figure.

The browser exports the figure itself (PNG, SVG, CSV, HTML): see components/chart and files.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Protocol

import streamlit as st

from model import AttentionCapture
from web import components
from web.language import _, plain
from web.widgets.model_name import model_name


class Captured(Protocol):
    """Anything that has a capture."""

    @property
    def model(self) -> str:
        """The model's name, used in file names."""

    def captured(self) -> AttentionCapture:
        """Return the capture."""


MAX_JSON_TOKENS = 256
"""Tokens above which the JSON of a capture exceeds 50 MB; NPZ has no limit."""


def stem(*parts: str) -> str:
    """Return the stem of a file name, of letters, digits, dots and hyphens."""
    cleaned = (re.sub(r"[^A-Za-z0-9.@]+", "-", part).strip("-.")[:48].strip("-.") for part in parts)
    return "_".join(filter(None, cleaned))


def export_menu(key: str, lines: str, *sides: Captured, figure: str = "") -> None:
    """Draw a popover with all exports of a figure.

    Args:
        key: Unique on the page.
        lines: Python code that reproduces the figure.
        *sides: The sides whose captures the figure shows.
        figure: The chart's key; by default the last chart drawn before.
    """
    models = {model_name(side.model) for side in sides}
    label = _("Export {model}").format(model=plain(*models)) if len(models) == 1 else _("Export")
    opened = st.popover(label, icon=":material/download:", key=f"export_{key}", on_change="rerun")
    if not opened.open:  # computed only on demand
        return
    with opened:
        _figure_buttons(key, figure)
        with st.container(horizontal=True):
            for number, request in enumerate(sides, start=1):
                called = model_name(request.model)
                name = called if len(sides) == 1 else f"{number}: {called}"
                _capture_buttons(f"{key}_{number}", request, name)
        st.caption(_("In a notebook, in Headlight's folder:"))
        st.code(lines, language="python")


def _figure_buttons(key: str, figure: str) -> None:
    titles = {
        "png": _("Download the figure as PNG"),
        "svg": _("Download the figure as SVG"),
        "csv": _("Download the numbers as CSV"),
        "html": _("Download the figure as an interactive page"),
    }
    components.files(
        {"figure": figure, "place": f"export_{key}", "titles": titles}, key=f"files_{key}"
    )


def _capture_buttons(key: str, request: Captured, whose: str) -> None:
    capture = request.captured()
    name = stem(model_name(request.model), capture.text.lower())
    _button(
        _("Capture as NPZ ({whose})").format(whose=plain(whose)),
        f"{key}_npz",
        f"{name}.npz",
        partial(_npz, request),
    )
    if len(capture.tokens) <= MAX_JSON_TOKENS:
        _button(
            _("Capture as JSON ({whose})").format(whose=plain(whose)),
            f"{key}_json",
            f"{name}.json",
            partial(_json, request),
        )


def _button(label: str, key: str, file: str, data: Callable[[], bytes]) -> None:
    st.download_button(label, data=data, file_name=f"headlight_{file}", key=key, on_click="ignore")


def _npz(request: Captured) -> bytes:
    return request.captured().to_npz()


def _json(request: Captured) -> bytes:
    return request.captured().to_json()
