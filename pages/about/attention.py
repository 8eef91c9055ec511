"""Introduction to attention: a text and three figures."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz import Side
from web.language import _
from web.subject import Subject
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.findings import link_to
from web.widgets.head_cells import closeup
from web.widgets.head_picker import head_name

Head = tuple[Side, str, int, int]
"""A figure's side (colour), model, layer and head."""

HEIGHT = 310
"""Pixels of a figure: every other word has a label, "it" and "animal" included."""


def attention() -> None:
    """Draw the text and the figures of one sentence."""
    st.subheader(_("What attention is"))
    st.markdown(
        _(
            "A model reads a sentence as **tokens**: words and pieces of words. To understand a "
            "token, it needs the others. For example, “it” means little without the word that "
            "it refers to. A **head** gives every token one share for each token of the "
            "sentence. These shares add up to 1. They are the **attention weights**. The head "
            "then mixes information from the tokens by these weights."
        )
    )
    st.markdown(
        _(
            "The model computes two lists of numbers for each token: a **query** (what does "
            "this token need?) and a **key** (what does it offer?). A query and a key that "
            "match well give a large weight: softmax(Q\u00a0Kᵀ\u00a0/\u00a0√d_k). A **layer** "
            "has several heads, and a model has several layers. Each layer reads the output of "
            "the layer before it. L3·H1 is the second head of the fourth layer, because both "
            "count from 0."
        )
    )
    st.markdown(
        _(
            "In the picture of a head, each **row** is a token that attends. Each **column** is "
            "a token that it attends to. A stronger colour means a larger weight."
        )
    )
    _pictures()


def _pictures() -> None:
    """Draw the figures in one row; the last one shows two heads."""
    first, second, third = st.columns([1, 1, 2])
    _picture(
        first,
        "animal",
        _("Where does “it” look?"),
        _(
            "Find the row *it*. Its strongest cell is in the column *animal*. If the sentence ends "
            "with *wide*, which describes the street, *animal* still gets more than *street*: a "
            "weight is not a meaning. Most other rows attend to [CLS], a token that the model "
            "adds at the start."
        ),
        [("right", "minilm", 3, 1)],
    )
    _picture(
        second,
        "previous",
        _("Which token comes before?"),
        _(
            "Each token attends to the previous one, so the cells form a line next to the "
            "diagonal. Other heads can use this information. Both trained models on the Explore "
            "page have such a head."
        ),
        [("right", "minilm", 0, 2)],
    )
    _picture(
        third,
        "untrained",
        _("Is it learned?"),
        _(
            "This is one head before and after the training. Before, its weights are almost "
            "even. The line comes from the training."
        ),
        [("left", "scratch@0", 1, 10), ("left", "scratch", 1, 10)],
    )


def _picture(
    place: DeltaGenerator, finding: str, title: str, words: str, heads: Sequence[Head]
) -> None:
    """Draw one or two heads, and below them a text and a link."""
    with place:
        st.markdown(f"**{title}**")
        drawn = st.columns(len(heads))
        st.markdown(words)
        link_to(finding, _("See it live"))
    for number, (side, model, layer, head) in enumerate(heads):
        shown = Subject(side, model, DEFAULT_TEXT, None, False, "show")
        weights = shown.between_units(shown.capture().weights[layer, head])
        name, key = head_name(layer, head), f"about_{finding}_{number}"
        with drawn[number]:
            closeup(shown, weights, name, key, height=HEIGHT)
