"""The training of our encoder, folded until somebody wants to see it."""

import streamlit as st

from model.catalogue.names import TRAINED, checkpoint_step
from pages.explore.address import training_begins_open
from pages.explore.training import training
from pages.shared.language import _
from pages.shared.recipe import Recipe

Sides = tuple[Recipe, Recipe]


def fold_button(sides: Sides) -> None:
    """Draw the button that opens the training, if a side shows a moment of it."""
    trained = _trained(sides)
    if not trained:
        return
    opened = _is_open()
    st.button(
        _("Hide the training") if opened else _("Watch it learn"),
        icon=":material/expand_less:" if opened else ":material/expand_more:",
        key="fold_training",
        type="tertiary",
        on_click=_fold,
    )


def trainings(sides: Sides) -> None:
    """Draw the slider of each side that has one; nothing of it is made while it is folded."""
    trained = _trained(sides)
    if trained and _is_open():
        for recipe in trained:
            training(recipe.side, recipe.model)


def _trained(sides: Sides) -> list[Recipe]:
    return [r for r in sides if r.model == TRAINED or checkpoint_step(r.model) is not None]


def _is_open() -> bool:
    """As it began, until somebody folds it: whatever models are chosen meanwhile."""
    if st.session_state["training_open"] is None:
        st.session_state["training_open"] = bool(training_begins_open())
    return bool(st.session_state["training_open"])


def _fold() -> None:
    """A callback."""
    st.session_state["training_open"] = not st.session_state["training_open"]
