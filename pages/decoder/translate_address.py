"""What the address of the part Translate carries."""

import streamlit as st

from model.transformer.beam import MOST_BEAMS
from pages.decoder.part import PART
from pages.shared.address import Parameter, holds
from pages.shared.parameters import (
    between,
    fold,
    one_of,
    read_flag,
    read_index,
    whole_between,
    write_flag,
    write_text,
)
from pages.shared.translators import DEFAULT, base_of, read_forced, read_translator, write_forced

STACKS = ("cross", "decoder", "encoder")
WAYS = ("greedy", "beam", "sample")

MOST_TOP_K = 100


_beam, _sample = holds("how", "beam"), holds("how", "sample")


def learning_begins_open() -> bool | None:
    """To a link to a checkpoint it does; None: whose training, from elsewhere, is not known."""
    name = st.session_state["translator"]
    return None if base_of(name) is None else "@" in name


TRANSLATE: dict[str, Parameter] = {
    "part": PART,
    "how": Parameter("greedy", one_of(*WAYS)),
    "model": Parameter("phrases", read_translator, always=True, key="translator"),
    "text": Parameter(DEFAULT["phrases"], str, write_text, always=True, key="phrase"),
    "stack": Parameter("cross", one_of(*STACKS)),
    "layer": Parameter(1, read_index, always=True, key="t_layer"),
    "head": Parameter(0, read_index, always=True, key="t_head"),
    "mean": Parameter(False, read_flag, write_flag, key="t_mean"),
    "view": Parameter("heatmap", one_of("heatmap", "lines"), key="t_view"),
    "beams": Parameter(4, whole_between(2, MOST_BEAMS), relevant=_beam, key="n_beams"),
    "temperature": Parameter(
        1.0, between(0.1, 5.0), "{:g}".format, relevant=_sample, key="t_temperature"
    ),
    "top_k": Parameter(0, whole_between(0, MOST_TOP_K), relevant=_sample),
    "top_p": Parameter(1.0, between(0.01, 1.0), "{:g}".format, relevant=_sample),
    "seed": Parameter(0, whole_between(0, 10**6), relevant=_sample, key="t_seed"),
    "forced": Parameter([], read_forced, write_forced),
    "training": fold("learning_open", learning_begins_open),
}
"""The way of writing comes first: it decides which of the others matter. The step that is shown
stands in the address too, but the browser alone writes it; see decoding/place.js."""
