"""All heads of a side: a click selects one, a click with shift draws it over the selected head."""

from functools import partial

import streamlit as st

from pages.explore.selected_head import select
from viz import Side
from web.language import _
from web.subject import Subject
from web.widgets.head_picker import layers_without_attention, shared_keys
from web.widgets.overviews import overview


def all_heads(view: Subject) -> None:
    """Draw the overview, unless all tokens are hidden."""
    if not view.units:
        return
    capture, allowed = view.capture(), view.allowed()
    overview(
        view.all_weights(),
        view.labels,
        key_labels=view.key_labels,
        key=f"overview_{view.side}",
        side=view.side,
        hue=view.side,
        model=view.name,
        sentence=capture.text,
        description=_(
            "All heads of {model}: {layers} layers of {heads} heads. The arrow keys "
            "change the layer (up, down) and the head (left, right)."
        ).format(model=view.name, layers=capture.n_layers, heads=capture.n_heads),
        allowed=None if allowed is None else allowed[:, None],  # the same for all heads of a layer
        shared=shared_keys(capture),
        on_picked=partial(_select, view.side),
        on_overlaid=partial(_overlay, view.side),
    )
    if missing := layers_without_attention(capture):
        st.caption(missing)


def _select(side: Side) -> None:
    """A callback: select the clicked head."""
    cell = st.session_state[f"overview_{side}"].picked
    select(side, int(cell["layer"]), int(cell["head"]))
    st.session_state["clicked_side"] = side
    st.rerun("details")


def _overlay(side: Side) -> None:
    """A callback: add a head to the drawn lines, or remove it."""
    cell = st.session_state[f"overview_{side}"].overlaid
    head = (int(cell["layer"]), int(cell["head"]))
    heads = [tuple(pair) for pair in st.session_state["overlaid"]]
    st.session_state["overlaid"] = [h for h in heads if h != head] + [head] * (head not in heads)
    st.session_state["view"] = "lines"
    st.rerun("details")
