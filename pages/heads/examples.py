"""Example selections that the parts of the page open with."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from model.analysis.distances import js_distance
from model.analysis.intervention import Intervention
from model.analysis.links import ranked
from pages.heads.selection import Place, is_decoder, select_example, selected, selected_side
from pages.heads.url import Heads
from web.cache import loaded_models
from web.inference.operations import array_turn
from web.subject import SIDES, Subject
from web.view_state import address, examples
from web.view_state.parameters import DEFAULT_TEXT, View
from web.widgets.findings import FINDINGS

ENCODER_EXAMPLE = ("scratch", (2, 8), "it")
"""Model, head and hidden word: scratch predicts "it" at the mask, and "he" without this
previous-token head."""

DECODER_EXAMPLE = ("smollm2", (1, 3), "too")
"""Model, head and word: after "because it was too" smollm2 predicts "far" with probability 0.60,
and with 0.40 without the head."""


def select_clearest(places: Iterable[Place]) -> None:
    """Select the first head, once, if neither the URL nor another page has chosen one."""
    state = st.session_state
    first = next(iter(places), None)
    if state.get("labels_begun") or first is None:
        return
    state["labels_begun"] = True
    default = View.layer.default, View.head.default
    chosen = "layer" in st.query_params or "clicked_side" in state
    if not chosen and (Heads.layer.value, Heads.head.value) == default:
        select_example(*first)


def select_explored() -> None:
    """Select the head that Explore shows, when the page is entered without a head in its URL.

    Linked sides show one head; the side is the one that was clicked last. Otherwise, the left side
    has the head that other pages share.
    """
    state = st.session_state
    if not address.is_entering() or "layer" in st.query_params:
        return
    side = state.get("clicked_side") if state.get("linked", True) else "left"
    if side:
        Heads.side.value = side


def open_part() -> None:
    """End the examples of the part before; the part for fine-tuned models opens with a pair.

    A callback of the part picker.
    """
    state, pair = st.session_state, FINDINGS["sentiment"].view
    changed = examples.put_back()
    initial = all(state[side] == View.fields[side].default for side in SIDES)
    if Heads.part.value == "tuned" and initial:
        examples.show({side: pair[side] for side in SIDES})
        changed = True
    if changed:
        st.rerun()  # the whole page: the pickers of the models are outside the fragment


def select_link(left: Subject) -> bool:
    """Select "it" and "animal" in the default sentence, once: a cleared selection stays empty."""
    state = st.session_state
    if state.get("links_begun"):
        return False
    state["links_begun"] = True
    if Heads.query.value or Heads.key.value or not _shows_default(left):
        return False
    labels = left.labels
    Heads.query.value = [labels.index("it")]
    Heads.key.value = [labels.index("animal")]
    return True


def switch_example_head_off(left: Subject, right: Subject) -> None:
    """Switch one head off unless the URL lists heads; prefer a model that predicts tokens.

    In the default sentence an encoder also hides the word whose prediction the head changes. A
    decoder selects the word after which the head changes the next token.
    """
    if Heads.off.value is not None:
        return
    Heads.off.value = []
    if Heads.masked.value:
        return
    view = _predicting_side(left, right)
    model, off, word = ENCODER_EXAMPLE
    if view.model == model and _shows_default(view):
        Heads.masked.value = [view.labels.index(word)]
    elif view.model == DECODER_EXAMPLE[0] and _shows_default(view):
        _model, off, word = DECODER_EXAMPLE
        Heads.behind.value = Heads.behind.value or [view.labels.index(word)]
    else:
        off = selected(view)
    examples.show({"heads_side": view.side})
    Heads.off.value = [off]
    hidden = frozenset(p for i in Heads.masked.value for p in view.units[i].positions)
    if not loaded_models.loaded_model(view.model).outputs:
        return  # no head can be switched off; the comparison reports it
    select_most_changed_head(
        replace(view, change=Intervention(masked=hidden)),
        replace(view, change=Intervention(frozenset({off}), Heads.how.value, hidden)),
    )


def select_most_changed_head(before: Subject, after: Subject) -> None:
    """Select the head whose weights changed most, if any changed.

    The weights of a head that is off do not change, so another head is worth looking at.
    """
    first, second = (each.capture().weights for each in (before, after))
    with array_turn(first.size):
        changed = js_distance(first, second)  # (L, H)
    if changed.any():
        select_example(before.side, *ranked(changed)[0])


def _predicting_side(left: Subject, right: Subject) -> Subject:
    """Return the selected side if its model predicts tokens, else the other side if it does."""
    mine = selected_side(left, right)
    for view in (mine, right if mine is left else left):
        if is_decoder(view) or loaded_models.loaded_model(view.model).masked_lm is not None:
            return view
    return mine


def _shows_default(view: Subject) -> bool:
    """Return whether a side shows the default sentence with its example words."""
    return (
        view.text == DEFAULT_TEXT
        and view.text_pair is None
        and {"it", "animal"} <= set(view.labels)
    )
