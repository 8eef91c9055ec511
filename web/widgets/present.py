"""Present: what a page shows fills a projector's screen.

The browser does it, at once and without the server: components/present/present.js. A page says what
can fill the screen (figures do by themselves), what the line below it reads, and where arrow keys
lead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from web import components
from web.language import _, said_once


@dataclass(frozen=True)
class Walk:
    """Where arrow keys lead.

    Attributes:
        layers: How many there are.
        heads: How many a layer has; 1 where a layer is shown as a whole.
        prefix: Of the session keys ``layer`` and ``head``.
    """

    layers: int
    heads: int = 1
    prefix: str = ""

    def place(self) -> tuple[int, int]:
        """The session's layer and head, inside what there is."""
        layer, head = (st.session_state[f"{self.prefix}{name}"] for name in ("layer", "head"))
        return min(layer, self.layers - 1), min(head, self.heads - 1)

    def go(self, layer: int, head: int) -> None:
        """Make it the session's; a head only where heads are walked."""
        st.session_state[f"{self.prefix}layer"] = min(max(layer, 0), self.layers - 1)
        if self.heads > 1:
            st.session_state[f"{self.prefix}head"] = min(max(head, 0), self.heads - 1)


def stage(name: str, kind: Literal["", "grown", "stacked"] = "") -> DeltaGenerator:
    """A container whose content can fill the screen.

    Args:
        name: Distinct on the page.
        kind: Figures and overviews take the room that they find. What takes no more than it needs
            is ``grown`` until it fills the screen; columns that are wide and low are ``stacked``.
    """
    return st.container(key="_".join(filter(None, ("stage", kind, name))))


def off_stage(name: str) -> DeltaGenerator:
    """A container of a stage that does not fill the screen with it: a table of Streamlit's, say.

    Such a table measures itself on the screen, so that its type cannot be magnified.

    Args:
        name: Distinct on the page.
    """
    return st.container(key=f"off_stage_{name}")


def on_stage(name: str) -> DeltaGenerator:
    """A container that is seen on a projector alone, in another's place.

    Args:
        name: Distinct on the page.
    """
    return st.container(key=f"on_stage_{name}")


def caption_line(*said: str, walk: Walk | None = None) -> None:
    """Say what the line at the bottom of the screen reads; drawn once in a page, or a part of it.

    Args:
        *said: Models, a text, as they are.
        walk: Where arrow keys lead, and which layer and head the line names.
    """
    told: dict[str, object] = {"said": _joined(said)}
    if walk is not None:
        layer, head = walk.place()
        told["walk"] = {"layer": layer, "head": head, "layers": walk.layers, "heads": walk.heads}
    components.caption_line(told, on_walked=partial(_walked, walk))


def tools() -> None:
    """Draw the header's buttons: the page's example, and the switch; keys listen from here on."""
    components.present(_words())


@said_once
def _words() -> dict[str, object]:
    return {
        "reset": _("Back to the page's example: this visit forgets what was typed"),
        "present": _("Present (p)"),
        "leave": _("Leave the presentation (p)"),
        "whole": _("the whole page"),
        "close": _("Close"),
        "title": _("Keys while presenting"),
        "keys": [
            ["p · Esc", _("begin, leave")],
            ["← → ↑ ↓", _("heads and layers, steps of a calculation")],
            [_("Space"), _("play, pause; heads one after another where nothing plays")],
            [_("Enter"), _("the page's next figure")],
            [
                "s",
                _("spotlight on a query of a heatmap or of lines; ↑ ↓ or the pointer move it"),
            ],
            ["b", _("blank the screen")],
            ["f", _("the browser's full screen")],
            ["?", _("these keys")],
        ],
    }


def _joined(said: Sequence[str]) -> str:
    return " · ".join(dict.fromkeys(filter(None, said)))


def _walked(walk: Walk | None) -> None:
    """A callback: an arrow key led to another layer or head."""
    place = st.session_state["caption"].walked
    if walk is not None and place is not None:
        walk.go(int(place["layer"]), int(place["head"]))
