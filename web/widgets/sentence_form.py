"""How a page about a sentence and two models opens: one row asks for all three."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from web.cache import loaded_models
from web.inference import compute_queue_ui
from web.language import _, plain
from web.view_state import address, reconnect
from web.widgets import sentence_box
from web.widgets.model_name import model_name
from web.widgets.model_picker import describe, model_box, picked_model, side_labels, which_models
from web.widgets.share_link import copy_link
from web.widgets.sides import SIDES, Recipe
from web.widgets.trained_length import beyond_training

Sides = tuple[Recipe, Recipe]
"""Left and right."""


def open_page(parameters: address.Parameters) -> Sides | None:
    """Open a page that has nothing to draw between the row and what it says of the models.

    Args:
        parameters: Of the page's address.

    Returns:
        What both sides show; None, and the address is kept, without a sentence.
    """
    models = ask_for_models(parameters)
    if models is None:
        return None
    sides = sides_of(*models)
    for recipe, column in zip(sides, st.columns(2), strict=True):
        with column:
            introduce(recipe)
    return sides


def ask_for_models(
    parameters: address.Parameters, options: Callable[[], None] | None = None, part: str = ""
) -> tuple[str, str] | None:
    """Read the link, say what it has and the page does not know, and ask for what to look at.

    Args:
        parameters: Of the page's address.
        options: Draws what else the page has to ask, at the end of the row.
        part: Key of the part of the page that draws all that depends on the first sentence.

    Returns:
        The left and the right model; None, and the address is kept, without a sentence.
    """
    st.session_state["part_is_enough"] = False
    for notice in address.restore(parameters):
        st.warning(notice)
    was_cut = sentence_box.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        sentence_box.box(partial(_typed, parameters, part) if part else None)
        sentence_box.beside()
        for side, label in side_labels().items():
            model_box(side, label, in_row=True)
        if options is not None:
            options()
        copy_link()
    ready = sentence_box.below()
    models = [picked_model(side) for side in SIDES]
    if not ready:
        address.keep(parameters)
        return None
    st.session_state["part_is_enough"] = not was_cut
    left, right = (model.name for model in models)
    return left, right


def _typed(parameters: address.Parameters, part: str) -> None:
    """A callback: another sentence. Where nothing else comes or goes, a part of the page is enough.

    A lesson asks for the whole: its strip looks at what is shown.
    """
    sentence_box.forget_picks()
    stands = st.session_state.get("part_is_enough") and reconnect.all_drawn()
    goes = st.session_state.get("lesson") or compute_queue_ui.is_busy_shown()
    if stands and not goes and sentence_box.fits() and address.only(parameters, "text", "picked"):
        st.rerun(part)


def sides_of(left_model: str, right_model: str) -> Sides:
    """The session's sentence through two models, begun with, and what there is to say of it.

    Args:
        left_model: Name of a model.
        right_model: Another, or the same.
    """
    beyond_training(left_model, right_model)
    left, right = Recipe.of_session("left", left_model), Recipe.of_session("right", right_model)
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
    st.caption(describe(loaded_models.loaded_model(model)), help=whence + which_models())
