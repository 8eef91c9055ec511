"""Explore: one sentence, two models, every head."""

import streamlit as st

from model import MAX_TOKENS
from pages.explore.address import PARAMETERS
from pages.explore.all_heads import all_heads
from pages.explore.details import details
from pages.explore.options import options
from pages.explore.predictions import predictions
from pages.shared import cache, sentence
from pages.shared.decisions import decision
from pages.shared.findings import menu
from pages.shared.first import shown_first
from pages.shared.opening import ask_for_sides, introduce


def main() -> None:
    """Draw the page from top to bottom."""
    recipes = ask_for_sides(PARAMETERS, _row)
    if recipes is None:
        return
    with st.container(key="explore"):
        left, right = (recipe.show() for recipe in recipes)
        limits = {r.side: min(cache.loaded_model(r.model).max_len, MAX_TOKENS) for r in recipes}
        sentence.show_tokens(left, right, limits)
        with shown_first():
            for shown, column in zip((left, right), st.columns(2), strict=True):
                with column:
                    introduce(shown.recipe)
                    all_heads(shown)
                    predictions(shown.recipe)
                    decision(shown.recipe)
        details(*recipes)


def _row() -> None:
    menu()
    options()


main()
