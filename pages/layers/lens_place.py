"""Selection of the logit lens: the drawn tokens, one token, a depth, a candidate."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from model import LoadedModel
from pages.layers.url import UNSAID, Layers
from viz.figures.logit_lens import depth_names
from web.language import _, translated
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
    """Draw the pickers of a depth and of a token."""
    with st.container(horizontal=True):
        depths = dict(enumerate(depth_names(n_layers + 1, _)))
        Layers.depth.draw_as(place.depth, options=depths)
        keep_depth = partial(_keep_depth, place.depth)
        Layers.at.draw_as(place.at, keep_depth, options=dict(enumerate(labels)))


def draw_window(place: Place, labels: list[str]) -> None:
    """Draw the slider of the drawn tokens, unless all are drawn."""
    if last := len(labels) - place.count:
        label = translated(Layers.first.label).format(shown=place.count, count=len(labels))
        Layers.first.draw_as(place.first, _select_drawn, label=label, min_value=0, max_value=last)


def _keep_depth(depth: int) -> None:
    """Keep the depth and reset the candidate, for another token; a callback."""
    if Layers.depth.value == UNSAID:
        Layers.depth.value = depth
    Layers.token.value = UNSAID


def _select_drawn() -> None:
    """Select a token among those drawn; a callback."""
    first = Layers.first.value
    if Layers.at.value == UNSAID or not first <= Layers.at.value < first + WINDOW:
        Layers.at.value, Layers.token.value = first + WINDOW - 1, UNSAID


def take_cell(place: Place, cell: int) -> None:
    """Select the clicked cell; a callback."""
    depth, column = divmod(cell, place.count)
    Layers.depth.value = depth
    if place.first + column != place.at:
        Layers.at.value = place.first + column
        Layers.token.value = UNSAID
