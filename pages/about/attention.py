"""Introduction to attention: a text, and one head on two sentences."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.weight_statistics import share_on
from viz import attention_heatmap
from web.language import _, plain
from web.subject import Subject
from web.view_state.parameters import DEFAULT_TEXT, OTHER_TEXT
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.findings import link_to, what_to_see
from web.widgets.head_picker import head_name


def attention() -> None:
    """Draw the text and the figures."""
    st.subheader(_("What attention is"), anchor="attention")
    st.markdown(
        _(
            "A model reads a sentence as tokens: words and pieces of words. For two tokens A "
            "and B, a **head** sets a weight from 0 to 1: the share of A's attention that goes to "
            "B. In a picture of a head, a **row** is a token that "
            "attends, a **column** is a token that it attends to. The weights of a row add up to "
            "1: the head mixes the tokens' values (vectors that they pass on) in these shares."
        )
    )
    example = plain(f"“{DEFAULT_TEXT}”")
    present.headline("headline_animal").markdown(f"{example}\n\n{what_to_see('animal')}")
    with present.stage("animal"):
        _draw_heads(st.columns(2))
    link_to("animal", _("See it live"))
    capture = Subject("right", "minilm", DEFAULT_TEXT).capture()
    marks = np.array(
        [
            special or not token.isalnum()
            for token, special in zip(capture.tokens, capture.special, strict=True)
        ]
    )
    st.markdown(
        _(
            "A weight shows what a head attends to, not why the model decides. Over all heads, "
            "[CLS], [SEP] and punctuation get {share:.0%} of minilm's attention in this sentence."
        ).format(share=share_on(capture.weights, marks).mean())
    )


def _draw_heads(columns: Sequence[DeltaGenerator]) -> None:
    """Draw one head on two sentences; a title has the word in which they differ."""
    for number, (text, column) in enumerate(zip((DEFAULT_TEXT, OTHER_TEXT), columns, strict=True)):
        shown = Subject("right", "minilm", text)
        name = f"minilm · {head_name(3, 1)} · {text.split()[-1].strip('.')}"
        figure = attention_heatmap(
            shown.weights(3, 1),
            [unit.label for unit in shown.units],
            title=name,
            side=shown.hue,
            framed=((10, 2), (10, 8)),  # it, animal; it, street
            text_colour=THEME_TEXT,
            translate=_,
        )
        with column:
            chart(figure, f"about_pair_{number}", f"about_{stem(name)}", name)
