"""The slider through the layers, with its play button."""

import streamlit as st

from pages.layers.url import Layers
from web import components
from web.language import _


def player(n_layers: int) -> None:
    """Draw the slider at the selected layer, unless there is only one layer."""
    if n_layers == 1:
        return
    names = [f"L{layer}" for layer in range(n_layers)]
    components.player(
        {
            "side": "left",
            "hue": "var(--st-primary-color)",
            "current": min(Layers.layer.value, n_layers - 1),
            "stops": names,
            "spoken": names,
            "curves": [],
            "strings": {
                "slider": _("Layer"),
                "play": _("Play through the layers"),
                "pause": _("Pause"),
                "description": "",
                "of": "",
            },
        },
        key="layer_player",
        on_stop=_go_to_layer,
    )


def _go_to_layer() -> None:
    """Store the slider's layer; a callback."""
    Layers.layer.value = max(0, int(st.session_state["layer_player"].stop["index"]))
