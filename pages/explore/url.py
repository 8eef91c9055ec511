"""URL parameters of the Explore page."""

import streamlit as st

from model.catalogue.names import TRAINED, checkpoint_step
from web.view_state.address import Parameter, holds
from web.view_state.parameters import (
    VIEW,
    fold,
    one_of,
    read_flag,
    read_index,
    read_indices,
    read_pairs,
    write_flag,
    write_indices,
    write_pairs,
)


def training_opens_by_default() -> bool | None:
    """Whether the training opens: for a checkpoint; None without such a history."""
    models = [st.session_state[side] for side in ("left", "right")]
    if any(checkpoint_step(model) is not None for model in models):
        return True
    return False if TRAINED in models else None


PARAMETERS: dict[str, Parameter] = {
    **{name: VIEW[name] for name in ("text", "pair", "left", "right", "layer", "head")},
    # Both sides show the same layer and head; otherwise the right side has its own.
    "linked": Parameter(True, read_flag, write_flag),
    "right_layer": Parameter(3, read_index, relevant=holds("linked", False)),
    "right_head": Parameter(1, read_index, relevant=holds("linked", False)),
    # A selected head selects the same place on the other side, and not the most similar head.
    "same": Parameter(False, read_flag, write_flag),
    "view": Parameter("heatmap", one_of("heatmap", "lines")),
    "scale": Parameter("linear", one_of("linear", "sqrt")),
    "range": Parameter("unit", one_of("unit", "data")),
    **{name: VIEW[name] for name in ("special", "words")},
    "picked": Parameter([], read_indices, write_indices),
    "overlaid": Parameter([], read_pairs, write_pairs),
    "training": fold("training_open", training_opens_by_default),
}
