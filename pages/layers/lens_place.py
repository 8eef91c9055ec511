"""Selection of the logit lens: the drawn tokens, one token, a depth, a candidate."""

from dataclasses import dataclass

import streamlit as st

from model import LoadedModel
from pages.layers.url import UNSAID, Layers
from viz.figures.logit_lens import depth_names
from web.language import _
from web.subject import Subject

WINDOW = 16
"""Tokens per view; at this number all layers of smollm2 take 14 billion multiplications."""


@dataclass(frozen=True)
class Place:
    """The selection: tokens ``first`` to ``first + count``, one of them at one depth."""

    first: int
    count: int
    at: int
    depth: int


def place_of(side: Subject, model: LoadedModel) -> Place:
    """Return the session's selection within the model's limits, or a default."""
    capture = side.capture()
    n_tokens = len(capture.tokens)
    at = min(Layers.at.value, n_tokens - 1)
    if at == UNSAID:  # the mask, or a decoder's last token, or the middle of the window
        mask = model.tokenizer.token_to_id(model.mask_token)
        if mask in capture.token_ids:
            at = capture.token_ids.index(mask)
        else:
            at = n_tokens - 1 if model.stack == "decoder" else min(WINDOW, n_tokens) // 2
    depth = min(Layers.depth.value, model.n_layers)
    count = min(WINDOW, n_tokens)
    first = min(Layers.first.value, n_tokens - count)
    if not first <= at < first + count or first == UNSAID:
        first = min(max(at - count + 1, 0), n_tokens - count)
    if depth == UNSAID:
        depth = model.n_layers
    return Place(first, count, at, depth)


def draw_boxes(place: Place, n_layers: int, labels: list[str]) -> None:
    """Draw the pickers of the drawn tokens, of one token and of a depth."""
    depths = depth_names(n_layers + 1, _)
    # The session holds a default marker until the user chooses; a widget cannot show it.
    st.session_state["lens_depth_box"], st.session_state["lens_at_box"] = place.depth, place.at
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("After layer"),
            range(n_layers + 1),
            format_func=depths.__getitem__,
            key="lens_depth_box",
            on_change=_take_depth,
            width=150,
        )
        st.selectbox(
            _("Token"),
            range(len(labels)),
            format_func=labels.__getitem__,
            key="lens_at_box",
            on_change=_take_at,
            width=190,
        )
        last = len(labels) - place.count
        if last:
            st.session_state["lens_first_box"] = place.first
            st.slider(
                _("First token drawn ({shown} of {count} fit)").format(
                    shown=place.count, count=len(labels)
                ),
                0,
                last,
                key="lens_first_box",
                on_change=_take_first,
                width=320,
            )


def _take_depth() -> None:
    """Store the chosen depth; a callback."""
    Layers.depth.value = st.session_state["lens_depth_box"]


def _take_at() -> None:
    """Store the chosen token, keep the depth and reset the candidate; a callback."""
    Layers.at.value = st.session_state["lens_at_box"]
    Layers.depth.value = st.session_state["lens_depth_box"]
    Layers.token.value = UNSAID


def _take_first() -> None:
    """Store the first drawn token and select a token among those drawn; a callback."""
    first = Layers.first.value = st.session_state["lens_first_box"]
    if Layers.at.value != UNSAID and first <= Layers.at.value < first + WINDOW:
        return
    Layers.at.value, Layers.token.value = first + WINDOW - 1, UNSAID


def take_cell(place: Place, cell: int) -> None:
    """Select the clicked cell; a callback."""
    depth, column = divmod(cell, place.count)
    Layers.depth.value = depth
    if place.first + column != place.at:
        Layers.at.value = place.first + column
        Layers.token.value = UNSAID
