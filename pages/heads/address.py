"""What the Heads page's address carries."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from model.analysis.labels import LABELS
from pages.shared.address import Parameter
from pages.shared.parameters import (
    VIEW,
    one_of,
    read_indices,
    read_pairs,
    several_of,
    write_indices,
    write_pairs,
)
from pages.shared.recipe import SIDES

PARTS = ("labels", "links", "map", "corpus", "change", "tuned")
HOWS = ("zero", "uniform")


def _in(*parts: str) -> Callable[[], bool]:
    return lambda: st.session_state["heads_part"] in parts


PARAMETERS: dict[str, Parameter] = {
    "part": Parameter("labels", one_of(*PARTS), always=True, key="heads_part"),
    **{name: VIEW[name] for name in ("text", "pair", "left", "right", "layer", "head")},
    # Whose head is selected, and whose heads are switched off.
    "side": Parameter("right", one_of("left", "right"), key="heads_side"),
    "models": Parameter(
        list(SIDES),
        several_of(*SIDES),
        ".".join,
        relevant=_in("labels"),
        key="labels_models",
    ),
    "labels": Parameter(
        [], several_of(*LABELS), ".".join, relevant=_in("labels"), key="labels_wanted"
    ),
    "query": Parameter([], read_indices, write_indices, relevant=_in("links"), key="link_query"),
    "key": Parameter([], read_indices, write_indices, relevant=_in("links"), key="link_key"),
    "colour": Parameter("layer", one_of("layer", "label"), relevant=_in("map"), key="map_colour"),
    "off": Parameter([], read_pairs, write_pairs, relevant=_in("change")),
    "how": Parameter("zero", one_of(*HOWS), relevant=_in("change"), key="off_how"),
    "masked": Parameter([], read_indices, write_indices, relevant=_in("change")),
    **{name: replace(VIEW[name]) for name in ("special", "words")},
}
"""The part comes first: it decides which of the others matter."""
