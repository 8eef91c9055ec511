"""The part "Layer by layer": small multiples of all layers, and one layer of each side."""

from functools import partial

import numpy as np
import streamlit as st

from pages.layers import kinds
from pages.layers.notebook import layer_lines
from pages.layers.player import player
from pages.layers.url import PARAMETERS
from viz import Side
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, plain
from web.view_state import address
from web.widgets import present
from web.widgets.export import take_away
from web.widgets.figure_sync import View, sync
from web.widgets.head_cells import closeup
from web.widgets.overviews import overview
from web.widgets.sides import Recipe, Shown
from web.widgets.source import show_source

IN_A_ROW = 12
"""Layers per row; deeper models wrap."""


@queue_fragment("depth")
def layer_by_layer(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the kind picker, the small multiples, the player and one layer of each side."""
    left, right = left_side.show(), right_side.show()
    kind = kinds.choose_kind()
    if kind == "head":
        kinds.place_boxes(kind, left, right)
    with present.stage("layers", "stacked"):
        columns = st.columns(2)
    folded = max(shown.capture.n_layers for shown in (left, right)) > IN_A_ROW
    maps = {}
    for shown, column in zip((left, right), columns, strict=True):
        with column:
            st.markdown(f"**{plain(shown.name)}**")
            if kinds.too_long(kind, shown):
                kinds.explain_length_limit(shown)
                continue
            maps[shown.side] = kinds.maps(shown, kind, kinds.selected_head(shown))
            _multiples(shown, kind, maps[shown.side], folded)
    player(max(shown.capture.n_layers for shown in (left, right)))
    with present.stage("layer"):
        columns = st.columns(2)
    for shown, column in zip((left, right), columns, strict=True):
        with column:
            if shown.side in maps:
                _closeup(shown, kind, maps[shown.side])
    for shown, column in zip((left, right), st.columns(2), strict=True):
        with column:
            if shown.side in maps:
                _exports(shown, kind)
    layers = {shown.side: kinds.selected_layer(shown) for shown in (left, right)}
    sync(View({side: (layer, 0) if folded else (0, layer) for side, layer in layers.items()}))
    captures = (left.capture, right.capture)
    heads = max(capture.n_heads for capture in captures) if kind == "head" else 1
    walk = present.Walk(max(capture.n_layers for capture in captures), heads)
    name = "" if kind == "head" else kinds.kinds()[kind].name
    present.caption_line(name, left.name, right.name, left.capture.text, walk=walk)
    address.keep(PARAMETERS)


def _multiples(shown: Shown, kind: str, maps: np.ndarray, folded: bool) -> None:
    """Draw all layers as thumbnails; wrapped ones as rows of one, which the overview lays out."""
    if not shown.units:
        st.info(_("Only special tokens are left, and they are hidden."))
        return
    around = 1 if folded else 0
    masks = kinds.allowed(shown, kind)
    if masks is not None:
        masks = np.expand_dims(np.broadcast_to(masks, maps.shape), around)
    capture = shown.capture
    overview(
        np.expand_dims(maps, around),  # (1, L, U, U), or (L, 1, U, U)
        shown.labels,
        key=f"layers_{shown.side}",
        side=shown.side,
        hue=shown.side,
        model=shown.name,
        sentence=capture.text,
        description=_(
            "All {layers} layers of {model}, {kind}. Arrow keys move the selection."
        ).format(model=shown.name, layers=capture.n_layers, kind=kinds.kinds()[kind].name),
        allowed=masks,
        columns=[""] if folded else [f"L{layer}" for layer in range(capture.n_layers)],
        on_picked=partial(_select_layer, shown.side),
    )


def _select_layer(side: Side) -> None:
    """Select the layer of a clicked thumbnail; a callback."""
    told = st.session_state[f"layers_{side}"]
    cell = told.picked or told.overlaid
    st.session_state["layer"] = int(cell["layer"]) + int(cell["head"])  # the other one is 0


def _closeup(shown: Shown, kind: str, maps: np.ndarray) -> None:
    if not shown.units:
        return
    layer = kinds.selected_layer(shown)
    masked_in = layer if kinds.hides_as_layer(shown, kind) else None
    name = kinds.place(shown, kind)
    closeup(shown, maps[layer], name, f"layer_{shown.side}", layer=masked_in)


def _exports(shown: Shown, kind: str) -> None:
    """Draw the exports and the source of a layer."""
    if not shown.units:
        return
    layer, head = kinds.selected_layer(shown), kinds.selected_head(shown)
    masked_in = layer if kinds.hides_as_layer(shown, kind) else None
    key, lines = f"layer_{shown.side}", layer_lines(shown.recipe, kind, layer, head, masked_in)
    take_away(key, lines, shown.recipe, figure=key)
    show_source(key, [kind], shown.recipe)
