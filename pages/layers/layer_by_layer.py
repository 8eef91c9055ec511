"""The part "Layer by layer": small multiples of all layers, and one layer of each side."""

from functools import partial

import numpy as np
import streamlit as st

from model import HeadlightError
from model.analysis.depth import by_layer
from model.analysis.weight_statistics import share_on
from pages.layers import kinds
from pages.layers.player import player
from pages.layers.url import Layers
from viz import Side
from web.cache import captures
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.subject import Subject
from web.view_state import address
from web.widgets import present
from web.widgets.figure_sync import sync
from web.widgets.head_cells import closeup
from web.widgets.head_picker import layers_without_attention
from web.widgets.overviews import overview
from web.widgets.view_code import heatmap_code

IN_A_ROW = 12
"""Layers per row; deeper models wrap."""


@queue_fragment("depth")
def layer_by_layer(left: Subject, right: Subject) -> None:
    """Draw the kind picker, the small multiples, the player and one layer of each side."""
    kind = kinds.choose_kind()
    if kind in ("mean", "head"):
        st.caption(
            _(
                "Look first for a vertical line: a token that many words look at. A diagonal line "
                "means that words look at a neighbour or at themselves."
            )
        )
    if kind == "head":
        kinds.draw_head_pickers(kind, left, right)
    columns = st.columns(2)
    folded = max(view.capture().n_layers for view in (left, right)) > IN_A_ROW
    maps = {}
    for view, column in zip((left, right), columns, strict=True):
        with column, present.stage(f"multiples_{view.side}"):
            st.markdown(f"**{plain(view.name)}**")
            try:
                maps[view.side] = kinds.maps(view, kind, kinds.selected_head(view))
            except HeadlightError as error:  # too long for flow, or a part is unknown
                st.info(plain(in_words(error)))
                continue
            _multiples(view, kind, maps[view.side], folded)
    player(max(view.capture().n_layers for view in (left, right)))
    with present.stage("layer"):
        columns = st.columns(2)
    for view, column in zip((left, right), columns, strict=True):
        with column:
            if view.side in maps:
                _closeup(view, kind, maps[view.side])
    kinds.draw_formula(kind)
    layers = {view.side: kinds.selected_layer(view) for view in (left, right)}
    sync({side: (layer, 0) if folded else (0, layer) for side, layer in layers.items()})
    shown = (left.capture(), right.capture())
    heads = max(capture.n_heads for capture in shown) if kind == "head" else 1
    walk = present.Walk(max(capture.n_layers for capture in shown), heads)
    name = "" if kind == "head" else Layers.kind.names()[kind]
    present.caption_line(name, left.name, right.name, left.capture().text, walk=walk)
    address.keep(Layers.fields)


def _multiples(view: Subject, kind: str, maps: np.ndarray, folded: bool) -> None:
    """Draw all layers as thumbnails; wrapped ones as rows of one, which the overview lays out."""
    if not view.units:
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
        return
    around = 1 if folded else 0
    masks = kinds.allowed(view, kind)
    if masks is not None:
        masks = np.expand_dims(np.broadcast_to(masks, maps.shape), around)
    capture = view.capture()
    overview(
        np.expand_dims(maps, around),  # (1, L, U, U), or (L, 1, U, U)
        view.labels,
        key=f"layers_{view.side}",
        side=view.side,
        hue=view.side,
        model=view.name,
        sentence=capture.text,
        description=_(
            "All {layers} layers of {model}, {kind}. Arrow keys move the selection."
        ).format(model=view.name, layers=capture.n_layers, kind=Layers.kind.names()[kind]),
        allowed=masks,
        columns=[""] if folded else [f"L{layer}" for layer in range(capture.n_layers)],
        on_picked=partial(_select_layer, view.side),
    )
    if missing := layers_without_attention(capture):
        st.caption(missing)


def _select_layer(side: Side) -> None:
    """Select the layer of a clicked thumbnail; a callback."""
    cell = st.session_state[f"layers_{side}"].picked
    Layers.layer.value = int(cell["layer"]) + int(cell["head"])  # the other one is 0


def _closeup(view: Subject, kind: str, maps: np.ndarray) -> None:
    if not view.units:
        return
    layer = kinds.selected_layer(view)
    masked_in = layer if kinds.has_same_mask_as_layer(view, kind) else None
    name = kinds.layer_title(view, kind)
    if kind == "norm":
        st.caption(_sinks(view))
    sink = view.capture().sink
    if sink is not None and kind in ("mean", "head"):
        share = sink[layer].mean()
        st.caption(
            _(
                "The attention sink takes {share:.1%} of this layer's weight, without a column."
            ).format(share=share)
        )
    function, paper = kinds.FUNCTIONS[kind]
    weights = kinds.weights_code(kind, layer, kinds.selected_head(view))
    code = heatmap_code(view, weights, function, by_layer, paper=paper)
    closeup(view, maps[layer], name, f"layer_{view.side}", layer=masked_in, code=code)


def _sinks(view: Subject) -> str:
    """A sentence that compares the weights on special tokens (or the first) with what they add."""
    layer = kinds.selected_layer(view)
    decoder = view.capture().stack == "decoder"
    keys = np.arange(len(view.capture().tokens)) == 0 if decoder else view.capture().special
    shares = {
        kind: captures.layer_maps(view.model, view.text, view.text_pair, kind)[layer]
        for kind in ("mean", "norm")
    }
    share_on_keys = {kind: share_on(weights, keys) for kind, weights in shares.items()}
    sentence = (
        _(
            "L{layer}: {attention:.0%} of the attention goes to the first token, which "
            "contributes {added:.0%} of the output."
        )
        if decoder
        else _(
            "L{layer}: {attention:.0%} of the attention goes to special tokens, which contribute "
            "{added:.0%} of the output."
        )
    )
    return sentence.format(
        layer=layer, attention=float(share_on_keys["mean"]), added=float(share_on_keys["norm"])
    )
