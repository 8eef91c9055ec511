"""Controls of the selected head of each side."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.explore.selected_head import selected, wanted
from pages.explore.similar_head import similar_head, similarity
from pages.explore.training import training_button
from pages.explore.url import Explore
from viz import Side
from viz.style.theme import HEAD_COLOURS
from web.language import _, plain, translated
from web.subject import Subject
from web.widgets.glossary import explain
from web.widgets.head_picker import head_boxes, head_name, index_box

MAX_OVERLAID = len(HEAD_COLOURS) - 1


def controls(left: Subject, right: Subject) -> None:
    """Draw the controls, and a note for a model without the selected head."""
    linked = st.session_state["linked"]
    layers = max(left.capture().n_layers, right.capture().n_layers if linked else 0)
    heads = max(left.capture().n_heads, right.capture().n_heads if linked else 0)
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        with _head_of("left", "" if linked else left.name):
            head_boxes(layers, heads, label_visibility="collapsed")
        explain()
        similar_head(left, right)
        training_button((left, right))
        # Last in the row: they appear after a search, which must not move the buttons.
        if not linked:
            with _head_of("right", right.name):
                for field, count, letter in (
                    (Explore.right_layer, right.capture().n_layers, "L"),
                    (Explore.right_head, right.capture().n_heads, "H"),
                ):
                    label = translated(field.label).format(model=plain(right.name))
                    index_box(field, count, letter, label, label_visibility="collapsed")
        similarity(left, right)
    if st.session_state["view"] == "lines":
        _overlay_box(left, right)
    for view in (left, right):
        _note_missing_head(view)


def _head_of(side: Side, name: str) -> DeltaGenerator:
    """Draw the container of a side's pickers: for one model, or without a name for both."""
    group = st.container(
        horizontal=True, vertical_alignment="center", width="content", key=f"head_of_{side}"
    )
    group.caption(f"**{plain(name)}**" if name else _("Both models"), width="content")
    return group


def _overlay_box(left: Subject, right: Subject) -> None:
    layers = max(left.capture().n_layers, right.capture().n_layers)
    heads = max(left.capture().n_heads, right.capture().n_heads)
    options = [(layer, head) for layer in range(layers) for head in range(heads)]
    known = [(layer, head) for layer, head in Explore.overlaid.value if (layer, head) in options]
    Explore.overlaid.value = known[:MAX_OVERLAID]
    Explore.overlaid.draw(
        options=options, format_func=lambda head: head_name(*head), max_selections=MAX_OVERLAID
    )


def _note_missing_head(view: Subject) -> None:
    requested = wanted(view.side)
    if selected(view) != requested:
        st.caption(
            _("{model} has no {wanted}; {head} is shown.").format(
                model=plain(view.name),
                wanted=head_name(*requested),
                head=head_name(*selected(view)),
            )
        )
