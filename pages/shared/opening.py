"""How a page about a sentence and two models opens: its link is read, then both are asked for."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import address, sentence
from pages.shared.model_picker import pick_models
from pages.shared.recipe import SIDES, Recipe
from pages.shared.trained_length import beyond_training

Sides = tuple[Recipe, Recipe]
"""Left and right."""


def open_page(parameters: address.Parameters) -> Sides | None:
    """Open a page that has nothing to draw between the sentence and the models.

    Args:
        parameters: Of the page's address.

    Returns:
        What both sides show; None, and the address is kept, without a sentence.
    """
    begin(parameters)
    return pick_sides(parameters, st.columns(2))


def begin(parameters: address.Parameters) -> None:
    """Read the link, say what it has and the page does not know, and ask for the sentence."""
    for notice in address.restore(parameters):
        st.warning(notice)
    sentence.ask()


def pick_sides(parameters: address.Parameters, columns: Sequence[DeltaGenerator]) -> Sides | None:
    """Draw both model pickers; what comes of them and the sentence, as :func:`open_page` says."""
    models = pick_models(columns)
    if not sentence.given():
        address.keep(parameters)
        return None
    beyond_training(*(model.name for model in models))
    left, right = (Recipe.of_session(s, m.name) for s, m in zip(SIDES, models, strict=True))
    return left, right
