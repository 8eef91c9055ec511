"""All layers of both models as small multiples, and one layer of each up close."""

from functools import partial

import numpy as np
import streamlit as st

from pages.layers import kinds
from pages.layers.address import PARAMETERS
from pages.layers.notebook import layer_lines
from pages.layers.player import player
from pages.shared import address
from pages.shared.closeup import closeup
from pages.shared.language import _, plain
from pages.shared.overviews import overview
from pages.shared.recipe import Recipe, Shown
from pages.shared.source import show_source
from pages.shared.take_away import take_away
from pages.shared.view import View, sync
from viz import Side


@st.fragment(key="depth")
def layer_by_layer(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the choice, the small multiples, the player, and the layer of each side."""
    left, right = left_side.show(), right_side.show()
    kind = kinds.choose_kind()
    if kind == "head":
        kinds.place_boxes(kind, left, right)
    columns = st.columns(2)
    maps = {}
    for shown, column in zip((left, right), columns, strict=True):
        with column:
            st.markdown(f"**{plain(shown.name)}**")
            if kinds.too_long(kind, shown):
                kinds.say_too_long(shown)
                continue
            maps[shown.side] = kinds.maps(shown, kind, kinds.selected_head(shown))
            _multiples(shown, kind, maps[shown.side])
    player(max(shown.capture.n_layers for shown in (left, right)))
    for shown, column in zip((left, right), st.columns(2), strict=True):
        with column:
            if shown.side in maps:
                _closeup(shown, kind, maps[shown.side])
    sync(View({shown.side: (0, kinds.selected_layer(shown)) for shown in (left, right)}))
    address.keep(PARAMETERS)


def _multiples(shown: Shown, kind: str, maps: np.ndarray) -> None:
    if not shown.units:
        st.info(_("Only special tokens are left, and they are hidden."))
        return
    capture = shown.capture
    overview(
        maps[None],  # one row of layers: (1, L, U, U)
        shown.labels,
        key=f"layers_{shown.side}",
        side=shown.side,
        hue=shown.side,
        model=shown.name,
        sentence=capture.text,
        description=_(
            "All {layers} layers of {model}, {kind}. Arrow keys move the selection."
        ).format(model=shown.name, layers=capture.n_layers, kind=kinds.kinds()[kind].name),
        columns=[f"L{layer}" for layer in range(capture.n_layers)],
        on_picked=partial(_pick_layer, shown.side),
    )


def _pick_layer(side: Side) -> None:
    """A callback: a thumbnail was clicked."""
    told = st.session_state[f"layers_{side}"]
    cell = told.picked or told.overlaid
    st.session_state["layer"] = int(cell["head"])


def _closeup(shown: Shown, kind: str, maps: np.ndarray) -> None:
    if not shown.units:
        return
    layer, head = kinds.selected_layer(shown), kinds.selected_head(shown)
    closeup(shown, maps[layer], kinds.place(shown, kind), f"layer_{shown.side}")
    take_away(f"layer_{shown.side}", layer_lines(shown.recipe, kind, layer, head), shown.recipe)
    show_source(f"layer_{shown.side}", [kind], shown.recipe)
