"""The slider through the layers, with its play button."""

import streamlit as st

from pages import components
from pages.shared.language import _


def player(n_layers: int) -> None:
    """Draw it, at the session's layer; a single layer needs none."""
    if n_layers == 1:
        return
    names = [f"L{layer}" for layer in range(n_layers)]
    components.player(
        {
            "side": "left",
            "hue": "var(--st-primary-color)",
            "current": min(st.session_state["layer"], n_layers - 1),
            "stops": names,
            "spoken": names,
            "curves": [],
            "strings": {
                "name": _("Layer"),
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
    """A callback: the slider was moved."""
    st.session_state["layer"] = max(0, int(st.session_state["layer_player"].stop["index"]))
