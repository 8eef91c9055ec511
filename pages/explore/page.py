"""Explore: one sentence, two models, every head."""

import streamlit as st

from pages.explore.all_heads import all_heads
from pages.explore.details import details
from pages.explore.options import options
from pages.explore.predictions import predictions, said_next
from pages.explore.url import PARAMETERS
from web.cache import loaded_models
from web.inference.compute_queue_ui import queue_fragment
from web.widgets import present
from web.widgets.chips import show_tokens
from web.widgets.findings import menu
from web.widgets.paint_order import shown_first
from web.widgets.sentence_form import ask_for_models, introduce, sides_of
from web.widgets.sides import Shown
from web.widgets.task_decisions import decision


def main() -> None:
    """Draw the page from top to bottom."""
    models = ask_for_models(PARAMETERS, _row, part="explored")
    if models is not None:
        explored(*models)


@queue_fragment("explored")
def explored(left_model: str, right_model: str) -> None:
    """Draw what depends on the sentence: for another one, nothing else is drawn again."""
    with st.container(key="explore"):
        with st.container():  # a place that stays: what comes below it is not made anew
            recipes = sides_of(left_model, right_model)
        left, right = (recipe.show() for recipe in recipes)
        show_tokens(left, right)
        with present.stage("heads"), shown_first():
            for shown, column in zip((left, right), st.columns(2), strict=True):
                with column:
                    introduce(shown.recipe)
                    _heads(shown)
        details(*recipes)


def _heads(shown: Shown) -> None:
    """Draw all heads of a side, and beside them what the model says, if it says anything."""
    model = loaded_models.loaded_model(shown.recipe.model)
    if model.stack == "decoder":
        all_heads(shown)
        said_next(shown.recipe)
        return
    if model.task is None and model.mask_token not in shown.capture.tokens:
        all_heads(shown)
        return
    heads, says = st.columns([5, 3])  # the heads leave a third of the width: height is dear
    with heads:
        all_heads(shown)
    with says:
        predictions(shown.recipe)
        decision(shown.recipe)


def _row() -> None:
    menu()
    options()


main()
