"""Present mode: a figure of the page fills a projector's screen, without a request to the server.

A page names the containers that can fill the screen (figures can without this), the caption, and
what the arrow keys select; see components/present/present.js.
"""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from web import components
from web.components import edits
from web.language import COOKIE, _, language, languages
from web.widgets.share_link import share_data


@dataclass(frozen=True)
class Walk:
    """What the arrow keys select: ``{prefix}layer`` and, of several heads, ``{prefix}head``."""

    layers: int
    heads: int = 1
    prefix: str = ""

    def place(self) -> tuple[int, int]:
        """Return the session's layer and head, limited to the model's sizes."""
        layer, head = (st.session_state[f"{self.prefix}{name}"] for name in ("layer", "head"))
        return min(layer, self.layers - 1), min(head, self.heads - 1)

    def go(self, layer: int, head: int) -> None:
        """Store the layer, and the head if there are several, in the session."""
        st.session_state[f"{self.prefix}layer"] = min(max(layer, 0), self.layers - 1)
        if self.heads > 1:
            st.session_state[f"{self.prefix}head"] = min(max(head, 0), self.heads - 1)


def stage(name: str, *, grown: bool = False) -> DeltaGenerator:
    """Return a container that can fill the screen; a ``grown`` one is magnified to fill it."""
    return st.container(key=f"stage_grown_{name}" if grown else f"stage_{name}")


def headline(key: str = "headline") -> DeltaGenerator:
    """Return the container of a page's sentence: its bold parts are captions, one for each figure.

    Args:
        key: Begins with "headline"; a phone shows the default one above the page's controls.
    """
    return st.container(key=key)


def caption_line(*texts: str, walk: Walk | None = None) -> None:
    """Set the caption of a page without a headline, and what arrow keys select."""
    payload: dict[str, object] = {"text": " · ".join(dict.fromkeys(filter(None, texts)))}
    if walk is not None:
        layer, head = walk.place()
        payload["walk"] = {"layer": layer, "head": head, "layers": walk.layers, "heads": walk.heads}

    def walked() -> None:
        place = edits.received("caption")
        if walk is not None and place:
            walk.go(int(place["layer"]), int(place["head"]))

    components.caption_line(payload, on_edited=walked)


def tools() -> None:
    """Draw the header's buttons (language, example, link, present mode), and handle keys."""
    spoken = {"language": language(), "languages": languages(), "cookie": COOKIE}
    link = {"copy": _("Copy link"), "copied": _("Link copied."), **share_data()}
    words = {
        "reset": _("Reset this page to its example (the browser's Back button undoes it)"),
        "present": _(
            "Present (p). Arrow keys: heads, layers or steps. Space: play. Enter: next figure"
        ),
        "leave": _("Exit (Esc)"),
        "choose": _("Language"),
    }
    components.present(words | spoken | link)
