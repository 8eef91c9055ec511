"""Example selections that the parts of the page open with."""

from dataclasses import replace

import streamlit as st

from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention
from model.analysis.links import ranked
from pages.heads.selection import is_decoder, select, selected, selected_side
from web.cache import loaded_models
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.sides import Recipe, Shown

ENCODER_EXAMPLE = ("scratch", (2, 8), "it")
"""Model, head and hidden word: scratch predicts "it" at the mask, and "he" without this
previous-token head."""

DECODER_EXAMPLE = ("smollm2", (1, 3), "too")
"""Model, head and word: after "because it was too" smollm2 predicts "far" with probability 0.60,
and with 0.40 without the head."""


def select_link(left: Shown) -> None:
    """Select "it" and "animal" in the default sentence, once: a cleared selection stays empty."""
    state = st.session_state
    if state.get("links_begun"):
        return
    state["links_begun"] = True
    if not state["link_query"] and not state["link_key"] and _shows_default(left):
        labels = left.labels
        state["link_query"] = [labels.index("it")]
        state["link_key"] = [labels.index("animal")]


def switch_example_head_off(left: Shown, right: Shown) -> None:
    """Switch one head off unless the URL lists heads; prefer a model that predicts tokens.

    In the default sentence an encoder also hides the word whose prediction the head changes. A
    decoder selects the word after which the head changes the next token.
    """
    state = st.session_state
    if state["off"] is not None:
        return
    state["off"] = []
    if state["masked"]:
        return
    shown = _predicting_side(left, right)
    model, off, word = ENCODER_EXAMPLE
    if shown.recipe.model == model and _shows_default(shown):
        state["masked"] = [shown.labels.index(word)]
    elif shown.recipe.model == DECODER_EXAMPLE[0] and _shows_default(shown):
        _model, off, word = DECODER_EXAMPLE
        state["next_behind"] = state["next_behind"] or [shown.labels.index(word)]
    else:
        off = selected(shown)
    state["heads_side"], state["off"] = shown.side, [off]
    hidden = frozenset(p for i in state["masked"] for p in shown.units[i].positions)
    recipe = shown.recipe
    select_most_changed_head(
        replace(recipe, change=Intervention(masked=hidden)),
        replace(recipe, change=Intervention(frozenset({off}), state["off_how"], hidden)),
    )


def select_most_changed_head(before: Recipe, after: Recipe) -> None:
    """Select the head whose weights changed most, if any changed.

    The weights of a head that is off do not change, so another head is worth looking at.
    """
    weights = (each.show().capture.weights for each in (before, after))
    changed = jensen_shannon_of_pairs(*weights)  # (L, H)
    if changed.any():
        select(before.side, *ranked(changed)[0])


def _predicting_side(left: Shown, right: Shown) -> Shown:
    """Return the selected side if its model predicts tokens, else the other side if it does."""
    mine = selected_side(left, right)
    for shown in (mine, right if mine is left else left):
        if (
            is_decoder(shown)
            or loaded_models.loaded_model(shown.recipe.model).masked_lm is not None
        ):
            return shown
    return mine


def _shows_default(shown: Shown) -> bool:
    """Return whether a side shows the default sentence with its example words."""
    recipe = shown.recipe
    return (
        recipe.text == DEFAULT_TEXT
        and recipe.text_pair is None
        and {"it", "animal"} <= set(shown.labels)
    )
