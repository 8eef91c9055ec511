"""Strip "you are here": the parts of a model in one row, with the part that the page shows."""

from html import escape
from urllib.parse import urlencode

import streamlit as st

from web.language import _
from web.view_state import address

PARTS = {
    "layers": "layers",
    "heads": "heads",
    "calculator": "scores",
    "positions": "positions",
    "decoder": "output",
    "decoder/masks": "scores",
    "decoder/efficient": "scores",
}
"""The part of the model that each page shows, or one tab of the page.

Model shows all parts; Lessons, Classroom and About show no part of a model. So they have no strip.
"""

LONGEST_TEXT = 500
"""Characters of a text that every link carries. For a longer text the browser completes them."""

ZOOMS = {"layers": "layer", "heads": "head", "scores": "score"}
"""Zoom of the Model page that shows a part; the others are in the whole picture."""


def model_strip(page: str) -> None:
    """Draw the strip, for the pages that have one.

    A link carries the model, the text and the head with which the page was entered. The browser
    replaces them by those of the current view: see menu/menu.js. So the strip changes only
    with the page and its tab, and costs no request.

    Args:
        page: Path of the page; "" for Explore, which has no strip.
    """
    shown = PARTS.get(f"{page}/{_tab(page)}", PARTS.get(page))
    if shown is None:
        return
    # Singular: the navigation has links to the pages Layers, Heads and Positions.
    names = {
        "tokens": _("Token"),
        "positions": _("Position"),
        "layers": _("Layer"),
        "heads": _("Head"),
        "scores": _("Score"),
        "output": _("Output"),
    }
    carried = _entered_with(page)
    links = "".join(
        '<li><a href="model?{}"{}>{}</a></li>'.format(
            escape(urlencode({"zoom": ZOOMS.get(part, "whole"), **carried})),
            ' aria-current="true"' if part == shown else "",
            escape(name),
        )
        for part, name in names.items()
    )
    title = escape(_("You are here"))
    with st.container(key="you_are_here"):
        st.html(f'<nav aria-label="{title}"><span>{title}</span><ol>{links}</ol></nav>')


def _tab(page: str) -> str:
    """The open tab: the address decides first, then the widget of the tabs."""
    if address.is_entering() or address.stepped():
        return st.query_params.get("part", "")
    return str(st.session_state.get(f"{page}_part", ""))


def _entered_with(page: str) -> dict[str, str]:
    """The model, the text and the head with which the visitor entered the page."""
    state, here = st.session_state, st.query_params
    if state.get("strip_page") != page:
        state["strip_page"] = page
        given = {
            "text": here.get("text") or here.get("source") or state.get("text"),
            "left": here.get("model")
            or here.get("translator")
            or here.get("left")
            or state.get("left"),
            **{name: here.get(name) for name in ("lang", "pair", "layer", "head")},
        }
        complete = given["text"] and given["left"] and len(given["text"]) <= LONGEST_TEXT
        kept = {name: value for name, value in given.items() if value is not None}
        state["strip_carries"] = kept if complete else {}
    carried: dict[str, str] = state["strip_carries"]
    return carried
