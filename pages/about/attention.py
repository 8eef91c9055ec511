"""Introduction to attention: a text and three figures."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz import Side
from web.language import _
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.findings import link_to
from web.widgets.head_cells import closeup
from web.widgets.head_picker import head_name
from web.widgets.sides import SideRequest

Head = tuple[Side, str, int, int]
"""A figure's side (colour), model, layer and head."""

HEIGHT = 310
"""Pixels of a figure: every other word has a label, "it" and "animal" included."""


def attention() -> None:
    """Draw the text and the figures of one sentence."""
    st.subheader(_("What attention is"))
    st.markdown(
        _(
            "A model reads a sentence as **tokens**: words and pieces of words. To understand "
            "one of them it looks at the others: “it” means little until one knows what it is. "
            "A **head** is one such way of looking. For every token it hands out shares, which "
            "add up to 1, among all tokens of the sentence: those are its **attention weights**. "
            "What the token then takes with it is a mixture of the others by these shares."
        )
    )
    st.markdown(
        _(
            "A weight comes of two lists of numbers that the model learned to make of each "
            "token: the **query** of the one that looks (what do I need?) and the **key** of the "
            "one looked at (what do I have?). The better they match, the larger the share: "
            "softmax(Q Kᵀ / √d_k). A model has several heads side by side in a **layer** and "
            "several layers on top of one another, each reading what the one below wrote. L3·H1 "
            "is the fourth layer's second head, for both count from 0."
        )
    )
    st.markdown(
        _(
            "In a picture of a head each **row** is a token that looks, each **column** one that "
            "is looked at, and the stronger a cell's colour, the larger the share."
        )
    )
    _pictures()


def _pictures() -> None:
    """Draw the figures in one row; the last one shows two heads."""
    first, second, third = st.columns([1, 1, 2])
    _picture(
        first,
        "animal",
        _("Whom does “it” mean?"),
        _(
            "Find the row *it*, and its strongest cell: the column *animal*. Nobody told the "
            "model; it learned it from text alone. Most other rows of this head rest on [CLS], "
            "the mark at the beginning: there is nothing for them to find."
        ),
        [("right", "minilm", 3, 1)],
    )
    _picture(
        second,
        "previous",
        _("Who stood before me?"),
        _(
            "Each token looks at the one before it: a line just below the diagonal. A simple head, "
            "and a useful one, for other heads build on it: both trained models that Headlight "
            "opens with have one."
        ),
        [("right", "minilm", 0, 2)],
    )
    _picture(
        third,
        "untrained",
        _("Is it learned?"),
        _(
            "The same head before the first step of its training, and after the last. Before, it "
            "looks everywhere a little. Training made the line."
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
        link_to(finding)
    for number, (side, model, layer, head) in enumerate(heads):
        shown = SideRequest(side, model, DEFAULT_TEXT, None, False, "show").view()
        weights = shown.token_weights(shown.capture.weights[layer, head])
        name, key = head_name(layer, head), f"about_{finding}_{number}"
        with drawn[number]:
            closeup(shown, weights, name, key, height=HEIGHT)
