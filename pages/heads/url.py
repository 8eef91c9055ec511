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
            "links": N_("Which head links X to Y?"),
            "labels": N_("What heads do"),
            "change": N_("Does it matter?"),
            "corpus": N_("Grammar"),
            "tuned": N_("Base and fine-tuned"),
        },
        key="heads_part",
    )
    text, pair = View.text, View.pair
    left, right = View.left, View.right
    layer, head = View.layer, View.head
    # The side of the selected head and of the heads that are switched off.
    side: Field[str] = field.choice(N_("Model"), SIDES, "right", key="heads_side", hidden=True)
    labels = field.several(
        N_("All patterns"),
        LABELS,
        when=part.among("labels"),
        key="labels_wanted",
        hidden=True,
    )
    _links = part.among("links")
    query = field.indices(N_("From (query)"), widget=st.multiselect, when=_links, key="link_query")
    key = field.indices(N_("To (key)"), widget=st.multiselect, when=_links, key="link_key")
    _change = part.among("change")
    # None: not set yet, so the part opens with an example. An empty list: no head is off.
    off = Field[list[tuple[int, int]] | None](
        N_("Heads that are off"), None, _read_off, _write_off, when=_change, widget=st.multiselect
    )
    how: Field[Any] = field.box(
        N_("A switched-off head"),
        {"zero": N_("adds nothing"), "uniform": N_("attends to all tokens equally")},
        when=_change,
        key="off_how",
    )
    masked = field.indices(N_("Words that are hidden"), widget=st.multiselect, when=_change)
    # The unit for which the effect is stated.
    asked = field.indices(when=_change)
    # The words after which a decoder's next token is predicted.
    behind = field.indices(
        N_("Predict the next token after"),
        widget=st.multiselect,
        when=part.among("change", "tuned"),
        key="next_after",
    )
    special, words = View.special, View.words
