"""Layers: how attention changes with depth, between models, and between sentences."""

import streamlit as st

from pages.layers.address import PARAMETERS, PARTS
from pages.layers.difference import differences
from pages.layers.multiples import layers
from pages.layers.profile import profile
from pages.layers.similarity import similarity
from pages.shared import address, sentence
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from pages.shared.recipe import SIDES, Recipe

DRAW = {
    "layers": layers,
    "profile": profile,
    "similarity": similarity,
    "difference": differences,
}


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    ready = sentence.ask()
    models = []
    labels = {"left": _("Left model"), "right": _("Right model")}
    for side, column in zip(SIDES, st.columns(2), strict=True):
        with column:
            models.append(pick_model(side, labels[side]))
    names = {
        "layers": _("Layer by layer"),
        "profile": _("Profile"),
        "similarity": _("Similar heads"),
        "difference": _("Difference"),
    }
    st.segmented_control(
        _("Part"),
        PARTS,
        format_func=names.__getitem__,
        key="part",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    if not ready:
        address.keep(PARAMETERS)
        return
    recipes = [Recipe.of_session(s, m.name) for s, m in zip(SIDES, models, strict=True)]
    DRAW[st.session_state["part"]](*recipes)


main()
