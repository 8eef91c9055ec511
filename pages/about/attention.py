"""Introduction to attention: a text and three figures."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.weight_statistics import share_on
from viz import Side, attention_heatmap
from web.language import _
from web.subject import Subject
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.findings import link_to, what_to_see
from web.widgets.head_picker import head_name

Head = tuple[Side, str, int, int]
"""A figure's side, model, layer and head."""

PICTURES: dict[str, list[Head]] = {
    "animal": [("right", "minilm", 3, 1)],
    "previous": [("left", "scratch", 1, 10), ("right", "minilm", 0, 2)],
    "untrained": [("left", "scratch@0", 1, 10), ("left", "scratch", 1, 10)],
}
"""The heads of each finding."""


def attention() -> None:
    """Draw the text, and the figures of one sentence."""
    st.subheader(_("What attention is"))
    st.markdown(
        _(
            "A model reads a sentence as tokens: words and pieces of words. Each **head** gives "
            "every token one weight for each token, from 0 to 1: how much of that token's "
            "information it takes in. In a picture of a head, a **row** "
            "is a token that attends, a **column** is a token that it attends to. The weights of a "
            "row add up to 1."
        )
    )
    for finding, heads in PICTURES.items():
        columns = st.columns(2)
        _draw_heads(finding, heads, columns)
        with columns[1] if len(heads) == 1 else st.container():
            st.markdown(what_to_see(finding))
            link_to(finding, _("See it live"))
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


def _draw_heads(finding: str, heads: Sequence[Head], columns: Sequence[DeltaGenerator]) -> None:
    """Draw heads side by side."""
    for number, (column, head) in enumerate(zip(columns, heads, strict=False)):
        side, model, layer, head_at = head
        shown = Subject(side, model, DEFAULT_TEXT)
        name = f"{model} · {head_name(layer, head_at)}"
        figure = attention_heatmap(
            shown.weights(layer, head_at),
            [unit.label for unit in shown.units],
            title=name,
            side=shown.hue,
            text_colour=THEME_TEXT,
            translate=_,
        )
        with column:
            chart(figure, f"about_{finding}_{number}", f"about_{finding}_{number}", name)
