"""Introduction to attention: a text and five figures."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.weight_statistics import share_on
from viz import Side, attention_heatmap
from web.language import _
from web.subject import Subject
from web.view_state.parameters import DEFAULT_TEXT, OTHER_TEXT
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.findings import link_to, what_to_see
from web.widgets.head_picker import head_name

Head = tuple[Side, str, int, int, str]
"""A figure's side, model, layer and head, and the sentence."""

PAIR: list[Head] = [("right", "minilm", 3, 1, text) for text in (DEFAULT_TEXT, OTHER_TEXT)]
"""A head whose link stays where the word means something else."""

PREVIOUS: list[Head] = [
    ("left", "scratch@0", 1, 10, DEFAULT_TEXT),
    ("left", "scratch", 1, 10, DEFAULT_TEXT),
    ("right", "minilm", 0, 2, DEFAULT_TEXT),
]
"""Heads for the previous token: before training, after it, and of another model."""


def attention() -> None:
    """Draw the text, and the figures of one sentence."""
    st.subheader(_("What attention is"), anchor="attention")
    st.markdown(
        _(
            "A model reads a sentence as tokens: words and pieces of words. For each pair of "
            "tokens, a **head** sets a weight from 0 to 1: the share of the first one's attention "
            "that goes to the second. In a picture of a head, a **row** is a token that attends, a "
            "**column** is a token that it attends to. The weights of a row add up to 1: "
            "the head mixes the tokens' values in these shares."
        )
    )
    *columns, text = st.columns(3)
    _draw_heads("pair", PAIR, columns)
    _say("animal", text)
    _draw_heads("previous", PREVIOUS, st.columns(3))
    for finding, column in zip(("untrained", "previous"), st.columns([2, 1]), strict=True):
        _say(finding, column)
    capture = Subject("right", "minilm", DEFAULT_TEXT).capture()
    marks = np.array(
        [
            special or not token.isalnum()
            for token, special in zip(capture.tokens, capture.special, strict=True)
        ]
    )
    st.markdown(
        _(
            "A weight shows where a head reads, not why the model decides. [CLS], [SEP] and "
            "punctuation get {share:.0%} of minilm's attention in this sentence."
        ).format(share=share_on(capture.weights, marks).mean())
    )


def _draw_heads(key: str, heads: Sequence[Head], columns: Sequence[DeltaGenerator]) -> None:
    """Draw heads side by side; a title has the word in which the sentences differ."""
    for number, (head, column) in enumerate(zip(heads, columns, strict=True)):
        side, model, layer, at, text = head
        shown = Subject(side, model, text)
        name = f"{model} · {head_name(layer, at)}"
        if key == "pair":
            name += f" · {text.split()[-1].strip('.')}"
        figure = attention_heatmap(
            shown.weights(layer, at),
            [unit.label for unit in shown.units],
            title=name,
            side=shown.hue,
            text_colour=THEME_TEXT,
            translate=_,
        )
        with column:
            chart(figure, f"about_{key}_{number}", f"about_{stem(name)}", name)


def _say(finding: str, column: DeltaGenerator) -> None:
    with column:
        st.markdown(what_to_see(finding))
        link_to(finding, _("See it live"))
