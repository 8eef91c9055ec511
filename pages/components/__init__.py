"""The views that the browser draws itself: thin Python faces of the .js files beside this one.

Each is registered once, on import. They talk to one another in the page through one event, sent
by ``sync``: see sync.js.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent


def _register(name: str) -> Callable[..., Any]:
    html, css, js = (
        (_HERE / f"{name}.{kind}").read_text("utf-8") for kind in ("html", "css", "js")
    )
    return st.components.v2.component(f"headlight_{name}", html=html, css=css, js=js)


_OVERVIEW = _register("overview")
_CHIPS = _register("chips")
_LINES = _register("lines")
_SYNC = _register("sync")


def overview(
    payload: bytes, key: str, on_picked: Callable[[], None], on_overlaid: Callable[[], None]
) -> None:
    """All heads on one canvas; triggers ``picked`` and ``overlaid``: {layer, head}."""
    _OVERVIEW(data=payload, key=key, on_picked_change=on_picked, on_overlaid_change=on_overlaid)


def chips(data: dict[str, Any], key: str, on_picked: Callable[[], None]) -> None:
    """Tokens as toggle buttons; triggers ``picked``: the indices now picked."""
    _CHIPS(data=data, key=key, on_picked_change=on_picked)


def lines(payload: bytes, key: str, on_picked: Callable[[], None]) -> None:
    """Attention as lines between tokens; triggers ``picked``: the indices now picked."""
    _LINES(data=payload, key=key, on_picked_change=on_picked)


def sync(view: dict[str, Any], strings: dict[str, str], on_picked: Callable[[], None]) -> None:
    """Tell the other views what the page shows; triggers ``picked``: {side, units}."""
    _SYNC(data={"view": view, "strings": strings}, key="sync", on_picked_change=on_picked)
