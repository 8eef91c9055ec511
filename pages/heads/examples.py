"""Example selections that the parts of the page open with."""

from dataclasses import replace

import streamlit as st

from model.analysis.intervention import Intervention
from model.analysis.links import ranked
from pages.heads.selection import select_example, selected, selected_side
from pages.heads.url import Heads
from web.cache import loaded_models
from web.inference.operations import array_turn
from web.language import _
from web.subject import SIDES, Subject
from web.view_state import examples
from web.view_state.parameters import DEFAULT_TEXT, View
from web.widgets.findings import FINDINGS
from web.widgets.head_difference import head_changes
from web.widgets.head_picker import head_name

ENCODER_EXAMPLE = ("scratch", (2, 8), "it")
"""Model, head and hidden word: scratch predicts "it" at the mask, and "he" without this
previous-token head."""

N_DECISIVE = 15
"""Heads of scratch, of 72, each of which alone changes the first choice in this example."""

DECODER_EXAMPLE = ("smollm2", (1, 3), "too")
"""Model, head and word: after "because it was too" smollm2 predicts "far" with probability 0.60,
and with 0.40 without the head."""


def select_clearest(layer: int, head: int) -> None:
    """Select the first head of the table when the part opens, unless one is chosen.

    After a part that shows the initial head, the URL names it, but the reader has not chosen it.
    """
    opened = st.session_state.get("labels_opened")
    if not opened and not _is_head_chosen(in_url=opened is None and "layer" in st.query_params):
        examples.show({"layer": layer, "head": head})
    st.session_state["labels_opened"] = True


def select_explored() -> None:
    """Select the head that Explore shows, if there is none in the URL.

    Linked sides show one head; the side is the one that was clicked last. Otherwise, the left side
    has the head that other pages share.
    """
    state = st.session_state
    state.pop("labels_opened", None)
    side = state.get("clicked_side") if state.get("linked", True) else "left"
    if side and "layer" not in st.query_params:
        Heads.side.value = side


def open_part() -> None:
    """End the examples of the part before, and show those of the new one; a callback."""
    changed = examples.put_back()
    st.session_state["labels_opened"] = False
    if show_tuned_pair() or changed:
        st.rerun()  # the whole page: the sentence and the models are outside the fragment


def show_tuned_pair() -> bool:
    """Show a base model and its fine-tuned one, if their part opens with the initial view."""
    names, found = [*SIDES, "text", "layer", "head"], FINDINGS["sentiment"].view
    initial = all(st.session_state[name] == View.fields[name].default for name in names)
    shows = Heads.part.value == "tuned" and initial
    if shows:
        examples.show({name: View.fields[name].parse(found[name]) for name in names})
    return shows


def leave() -> None:
    """Give the reader's sentence and models back; a callback."""
    if examples.put_back():
        st.rerun()


def is_of_page() -> bool:
    """Return whether the sentence is an example of the part."""
    return examples.is_shown("text")


def select_link(left: Subject) -> bool:
    """Select "it" and "animal" in the default sentence, once: a cleared selection stays empty.

    Returns:
        Whether the head that links the chosen words most should be selected.
    """
    state = st.session_state
    if state.get("links_begun"):
        return False
    state["links_begun"] = True
    if Heads.query.value or Heads.key.value:
        return not _is_head_chosen("layer" in st.query_params)  # the words came in the URL
    if not _shows_default(left):
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
        _show_effect(selected_side(left, right))
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


def how_many_decide(view: Subject) -> str:
    """Return how many heads change the first choice of the encoder's example; "" elsewhere."""
    hidden = [view.labels[i] for i in Heads.masked.value]
    shown = _shows_default(view) and Heads.how.value == Heads.how.default
    if not shown or (view.model, Heads.off.value, hidden) != (
        ENCODER_EXAMPLE[0], [ENCODER_EXAMPLE[1]], [ENCODER_EXAMPLE[2]]
    ):  # fmt: skip
        return ""
    text = _(
        "In this example, “it” and “he” are nearly tied: for {count} of the 72 heads, {head} among "
        "them, switching off that head alone puts “he” first."
    )
    return text.format(count=N_DECISIVE, head=head_name(*ENCODER_EXAMPLE[1]))


def _show_effect(view: Subject) -> None:
    """Select the most changed head once for each link that switches the selected head off."""
    state, off = st.session_state, frozenset(Heads.off.value or ())
    is_new = state.get("off_shown") != off
    state["off_shown"] = off
    outputs = loaded_models.loaded_model(view.model).outputs
    if not is_new or not outputs or selected(view) not in off:
        return
    # Others of a link may not exist in this model.
    change = Intervention(frozenset({selected(view)}), Heads.how.value)
    select_most_changed_head(replace(view, change=change.baseline), replace(view, change=change))


def select_most_changed_head(before: Subject, after: Subject) -> None:
    """Select the head with the largest change of a weight, if any changed.

    The weights of a head that is off do not change, so another head is worth looking at.
    """
    first, second = (each.all_weights() for each in (before, after))
    with array_turn(first.size):
        changed = head_changes(first, second)  # (L, H)
    if changed.any():
        select_example(before.side, *ranked(changed)[0])


def _is_head_chosen(in_url: bool) -> bool:
    """Return whether the URL or another page has chosen a head."""
    default = View.layer.default, View.head.default
    return in_url or (Heads.layer.value, Heads.head.value) != default


def _predicting_side(left: Subject, right: Subject) -> Subject:
    """Return the selected side if its model predicts tokens, else the other side if it does."""
    mine = selected_side(left, right)
    for view in (mine, right if mine is left else left):
        model = loaded_models.loaded_model(view.model)
        if loaded_models.is_decoder(view.model) or model.masked_lm is not None:
            return view
    return mine


def _shows_default(view: Subject) -> bool:
    """Return whether a side shows the default sentence with its example words."""
    return (
        view.text == DEFAULT_TEXT
        and view.text_pair is None
        and {"it", "animal"} <= set(view.labels)
    )
