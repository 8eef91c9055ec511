"""Explore: one sentence, two models, every head."""

import streamlit as st

from model import MAX_TOKENS
from pages.explore.address import PARAMETERS
from pages.explore.all_heads import all_heads
from pages.explore.details import details
from pages.explore.options import options
from pages.explore.predictions import predictions
from pages.explore.training import training
from pages.shared import address, sentence
from pages.shared.decisions import decision
from pages.shared.findings import findings
from pages.shared.first import shown_first
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from pages.shared.recipe import SIDES, Recipe


def main() -> None:
    """Draw the page from top to bottom."""
    for notice in address.restore(PARAMETERS):
        st.warning(notice)
    ready = sentence.ask()
    options()
    findings("explore", PARAMETERS)
    tokens = st.container()
    columns = st.columns(2)
    names = (_("Left model"), _("Right model"))
    models = []
    for side, name, column in zip(SIDES, names, columns, strict=True):
        with column:
            models.append(pick_model(side, name))
    if not ready:
        address.keep(PARAMETERS)
        return
    recipes = [Recipe.of_session(s, m.name) for s, m in zip(SIDES, models, strict=True)]
    left, right = (recipe.show() for recipe in recipes)
    with tokens:
        limits = {s: min(m.max_len, MAX_TOKENS) for s, m in zip(SIDES, models, strict=True)}
        sentence.show_tokens(left, right, limits)
    with shown_first():
        for shown, column in zip((left, right), columns, strict=True):
            with column:
                all_heads(shown)
                predictions(shown.recipe)
                decision(shown.recipe)
        for recipe in recipes:
            training(recipe.side, recipe.model)
    details(*recipes)


main()
