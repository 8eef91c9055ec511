"""What the parts of the page open with, so that nobody begins at an empty form."""

from dataclasses import replace

import streamlit as st

from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention
from model.analysis.links import ranked
from pages.heads.selection import is_decoder, select, selected, selected_side
from pages.shared import loading
from pages.shared.parameters import DEFAULT_TEXT
from pages.shared.recipe import Recipe, Shown

TELLING = ("scratch", (2, 8), "it")
"""Model, head and hidden word of an example: behind the mask scratch guesses "it" first, and
without the head, which looks at the token before, "he"."""

TELLING_NEXT = ("smollm2", (1, 3), "too")
"""Model, head and word of an example: behind "because it was too" smollm2 would write "far" with a
probability of 0.60, and of 0.40 without the head."""


def with_link(left: Shown) -> None:
    """Choose "it" and "animal" in the default sentence, once: what is cleared later stays so."""
    state = st.session_state
    if state.get("links_begun"):
        return
    state["links_begun"] = True
    if not state["link_query"] and not state["link_key"] and _default(left):
        labels = left.labels
        state["link_query"] = [labels.index("it")]
        state["link_key"] = [labels.index("animal")]


def with_a_head_off(left: Shown, right: Shown) -> None:
    """Switch a head off, of a model that predicts if there is one, unless a link says what is off.

    On the default sentence a word is hidden besides, whose prediction the head changes; of a
    decoder one is chosen, behind which it changes what comes next.
    """
    state = st.session_state
    if state["off"] is not None:
        return
    state["off"] = []
    if state["masked"]:
        return
    shown = _predicting(left, right)
    model, off, word = TELLING
    if shown.recipe.model == model and _default(shown):
        state["masked"] = [shown.labels.index(word)]
    elif shown.recipe.model == TELLING_NEXT[0] and _default(shown):
        _model, off, word = TELLING_NEXT
        state["next_behind"] = state["next_behind"] or [shown.labels.index(word)]
    else:
        off = selected(shown)
    state["heads_side"], state["off"] = shown.side, [off]
    hidden = frozenset(p for i in state["masked"] for p in shown.units[i].positions)
    recipe = shown.recipe
    select_most_moved(
        replace(recipe, change=Intervention(masked=hidden)),
        replace(recipe, change=Intervention(frozenset({off}), state["off_how"], hidden)),
    )


def select_most_moved(before: Recipe, after: Recipe) -> None:
    """Select the head that a change moved most, if it moved any.

    It is the one to look at: the weights of a head that is off stay.
    """
    weights = (each.show().capture.weights for each in (before, after))
    moved = jensen_shannon_of_pairs(*weights)  # (L, H)
    if moved.any():
        select(before.side, *ranked(moved)[0])


def _predicting(left: Shown, right: Shown) -> Shown:
    """The selected side if its model predicts, else the other if that one does."""
    mine = selected_side(left, right)
    for shown in (mine, right if mine is left else left):
        if is_decoder(shown) or loading.loaded_model(shown.recipe.model).masked_lm is not None:
            return shown
    return mine


def _default(shown: Shown) -> bool:
    """Whether a side shows the sentence that everybody meets first, with its words."""
    recipe = shown.recipe
    return (
        recipe.text == DEFAULT_TEXT
        and recipe.text_pair is None
        and {"it", "animal"} <= set(shown.labels)
    )
