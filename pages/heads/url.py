"""Fields of the Heads page."""

from typing import Any

import streamlit as st

from model.analysis.labels import LABELS
from web.language import N_
from web.subject import SIDES
from web.view_state import field
from web.view_state.field import Field, Fields, read_pairs, write_pairs
from web.view_state.parameters import View


def _read_off(text: str) -> list[tuple[int, int]]:
    return [] if text == "none" else read_pairs(text)


def _write_off(heads: list[tuple[int, int]] | None) -> str:
    return write_pairs(heads or []) or "none"


class Heads(Fields):
    """The part, and the choices in each."""

    part = field.part(
        N_("Part"),
        {
            "labels": N_("What heads do"),
            "links": N_("Which head links X to Y?"),
            "corpus": N_("Grammar over a corpus"),
            "change": N_("Does it matter?"),
            "tuned": N_("Base and fine-tuned"),
        },
        removed={
            "data": (
                "labels",
                N_(
                    "The part “Data set” is gone. To measure every head on your own texts, run "
                    "`python -m model.analysis.survey` where Headlight is installed."
                ),
            ),
            "map": (
                "labels",
                N_(
                    "The part “Map” is gone. The distances between heads are in “Similar heads” on "
                    "the page Layers."
                ),
            ),
        },
        key="heads_part",
    )
    text, pair = View.text, View.pair
    left, right = View.left, View.right
    layer, head = View.layer, View.head
    # The side of the selected head and of the heads that are switched off.
    side: Field[str] = field.choice(N_("Model"), SIDES, "right", key="heads_side")
    _labels = part.among("labels")
    models = field.several(N_("Models"), SIDES, [*SIDES], when=_labels, key="labels_models")
    labels = field.several(N_("Labels"), LABELS, [], when=_labels, key="labels_wanted")
    measures = field.flag(N_("All measures"), when=_labels, key="labels_measures")
    query = field.indices(N_("From (query)"), when=part.among("links"), key="link_query")
    key = field.indices(N_("To (key)"), when=part.among("links"), key="link_key")
    _change = part.among("change")
    # None: not set yet, so the part opens with an example. An empty list: no head is off.
    off = Field[list[tuple[int, int]] | None](
        N_("Heads that are off"), None, _read_off, _write_off, when=_change, widget=st.multiselect
    )
    how: Field[Any] = field.choice(
        N_("A switched-off head"),
        {"zero": N_("adds nothing"), "uniform": N_("looks at all tokens equally")},
        when=_change,
        key="off_how",
        help=N_(
            "Adds nothing: the head's context is replaced by zeros. Looks at all tokens "
            "equally: every token that it sees gets the same weight. The model's parameters "
            "do not change."
        ),
    )
    masked = field.indices(N_("Words that are hidden"), when=_change)
    # The unit for which the effect is stated.
    asked = field.indices(when=_change)
    # The words after which a decoder's next token is predicted.
    behind = field.indices(
        N_("Predict the next token after (without a choice: after the last)"),
        when=part.among("change", "tuned"),
        key="next_after",
    )
    anyway = field.flag(
        N_("Compare these two models anyway"), when=part.among("tuned"), key="compared_anyway"
    )
    special, words = View.special, View.words
