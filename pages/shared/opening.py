"""How a page about a sentence and two models opens: one row asks for all three."""

from collections.abc import Callable

import streamlit as st

from pages.shared import address, loading, sentence
from pages.shared.hand_out import copy_link
from pages.shared.language import _, plain
from pages.shared.model_name import model_name
from pages.shared.model_picker import (
    describe,
    model_box,
    picked_model,
    side_labels,
    which_models,
)
from pages.shared.recipe import SIDES, Recipe
from pages.shared.trained_length import beyond_training

Sides = tuple[Recipe, Recipe]
"""Left and right."""


def open_page(parameters: address.Parameters) -> Sides | None:
    """Open a page that has nothing to draw between the row and what it says of the models.

    Args:
        parameters: Of the page's address.

    Returns:
        As :func:`ask_for_sides`.
    """
    sides = ask_for_sides(parameters)
    if sides is not None:
        for recipe, column in zip(sides, st.columns(2), strict=True):
            with column:
                introduce(recipe)
    return sides


def ask_for_sides(
    parameters: address.Parameters, options: Callable[[], None] | None = None
) -> Sides | None:
    """Read the link, say what it has and the page does not know, and ask for what to look at.

    Args:
        parameters: Of the page's address.
        options: Draws what else the page has to ask, at the end of the row.

    Returns:
        What both sides show; None, and the address is kept, without a sentence.
    """
    for notice in address.restore(parameters):
        st.warning(notice)
    sentence.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        sentence.box()
        sentence.beside()
        for side, label in side_labels().items():
            model_box(side, label, in_row=True)
        if options is not None:
            options()
        copy_link()
    ready = sentence.below()
    models = [picked_model(side) for side in SIDES]
    if not ready:
        address.keep(parameters)
        return None
    beyond_training(*(model.name for model in models))
    left, right = (Recipe.of_session(s, m.name) for s, m in zip(SIDES, models, strict=True))
    _say_who_reads_one(left, right)
    if right.model != left.model:
        right.begin()  # the left side is asked for first: both at once
    return left, right


def _say_who_reads_one(*recipes: Recipe) -> None:
    """Of two sentences a decoder reads the first."""
    if not st.session_state["pair"].strip():
        return
    for name in dict.fromkeys(r.model for r in recipes if r.text_pair is None):
        st.caption(
            _("{model} is a decoder, never shown pairs: it reads the first sentence alone.").format(
                model=plain(model_name(name))
            )
        )


def introduce(recipe: Recipe) -> None:
    """Say in a line what a side's model is."""
    model = recipe.model
    whence = "" if model_name(model) == model else f"`{plain(model)}`\n\n"  # a folder's path
    st.caption(describe(loading.loaded_model(model)), help=whence + which_models())
