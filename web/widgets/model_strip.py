"""Strip "you are here": the parts of a model in one row, with the part that the page shows."""

import streamlit as st
from markupsafe import Markup

from web.language import _

PARTS = {
    "explore": "heads",
    "layers": "layers",
    "heads": "heads",
    "calculator": "scores",
    "positions": "positions",
    "decoder": "output",
}
"""The part of the model that each page shows; pages without the strip are left out."""

ZOOMS = {"layers": "layer", "heads": "head", "scores": "score"}
"""Zoom of the Model page that shows a part; the others are in the whole picture."""


def model_strip(page: str) -> None:
    """Draw the strip, for the pages that have one.

    The browser completes a link with the model, the text and the head of the current view: see
    menu/you_are_here.js. So the strip never changes, and costs no request.

    Args:
        page: Path of the page; "" for Explore.
    """
    shown = PARTS.get(page or "explore")
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
    links = Markup("").join(
        Markup('<li><a href="model?zoom={}"{}>{}</a></li>').format(
            ZOOMS.get(part, "whole"),
            Markup(' aria-current="true"') if part == shown else "",
            name,
        )
        for part, name in names.items()
    )
    strip = Markup('<nav aria-label="{0}"><span>{0}</span><ol>{1}</ol></nav>')
    with st.container(key="you_are_here"):
        st.html(strip.format(_("You are here"), links))
