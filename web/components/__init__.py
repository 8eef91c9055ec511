"""The components that the browser draws, registered on import: see the .js file of each.

A component is called with its data, a key, and ``on_<trigger>`` callbacks.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st

from web.component_script import imported, script
from web.components.edits import acknowledged

_HERE = Path(__file__).parent

SCRIPTS_AT = "api/components/"

SCRIPTS: dict[str, bytes] = {}
"""Script of each component by its URL, relative to the root; a browser downloads each once.

Streamlit sends a component's script again after each change. So it gets a short script that
imports the script at this URL.
"""


def _register(
    name: str, *styled_like: str, html: str = "", width: str = "stretch", **how: bool
) -> Callable[..., None]:
    css = "".join(_file(each, "css") for each in (*styled_like, name))
    return _component(name, width, html=_file(html or name, "html"), css=css, js=_js(name), **how)


def _register_invisible(name: str, script_of: str = "", kind: str = "") -> Callable[..., None]:
    html, css = f'<span class="{kind}" hidden></span>', ":host { display: none; }"
    return _component(name, html=html, css=css, js=_js(script_of or name))


def _register_waiting(name: str) -> Callable[..., None]:
    """Register a component whose script and style are loaded only when it has content."""
    style = json.dumps(_file(name, "css"))
    url = _served(name, f"const STYLE = {style};\n" + script(_HERE / name / f"{name}.js"))
    loader = script(_HERE / name / "loader.js").replace("ADDRESS", url)
    return _component(name, html=_file(name, "html"), js=loader)


def _component(name: str, width: str = "stretch", **parts: Any) -> Callable[..., None]:
    component = st.components.v2.component(f"headlight_{name}", **parts)

    def mount(data: dict[str, Any] | bytes, key: str = name, **options: Any) -> None:
        if "on_edited" in options and isinstance(data, dict):
            data = {**data, "acknowledged": acknowledged(key)}
        options = {f"{k}_change" if k.startswith("on_") else k: v for k, v in options.items()}
        # Streamlit searches every value of a dictionary for data frames, but not a list. So the
        # dictionary is sent in a list, and common/mount.js unpacks it.
        data_or_list = [data] if isinstance(data, dict) else data
        component(data=data_or_list, key=key, **{"width": width, **options})

    return mount


def _file(name: str, extension: str) -> str:
    return (_HERE / name / f"{name}.{extension}").read_text("utf-8")


def _js(name: str) -> str:
    return imported(_served(name, script(_HERE / name / f"{name}.js")))


def _served(name: str, text: str) -> str:
    """Store a component's script, and return its URL."""
    url = f"{SCRIPTS_AT}{name}-{sha256(text.encode()).hexdigest()[:12]}.js"
    SCRIPTS[url] = text.encode()
    return url


# Invisible components.

caption_line = _register_invisible("caption")
"""Sets the caption of present mode; fields of :mod:`edits`: ``layer`` and ``head``."""
history = _register_invisible("history")
"""Keeps one entry of the browser's history for each action."""
menu = _register_invisible("menu")
"""Clicks that change the browser only."""

# Explore and figures.

# Plotly adds its style sheet to the document, where no shadow root uses it.
plotly_figure = _register("chart", isolate_styles=False)
"""A figure; the height is reserved before it is drawn. Triggers ``clicked``: ``customdata``."""
files = _register("files", width="content")
"""Buttons that download a figure's files, or only state the origin of its numbers."""
capture_view = _register("capture_view", isolate_styles=False)
"""All heads and the selected head of one or two subjects; see view.js."""
capture_state = _register_invisible("capture_state", "capture_view", "state")
"""Their selection; fields of :mod:`edits`: those of the selection in store.js."""

# Calculator and Decoder. Fields of :mod:`edits` set what is typed.

decoding = _register("decoding", "player")
"""A translation step by step; triggers ``forced``: {step, token}. A step sends no request."""
generation = _register("generation", "player", "decoding", html="decoding")
"""A generated text, as a translation; triggers ``forced``: {step, token}."""
grids = _register("grids")
"""Editable grids of numbers; fields: ``cells, names, stored, cleared``."""
mask = _register("mask")
"""An editable mask; field: ``rows``, all of it."""
order = _register("order")
"""Words that can be reordered; triggers ``moved``: {order}."""
picture = _register("picture")
"""A model as nested boxes; a click on one opens its link, so there are no triggers."""
player = _register("player")
"""A slider with stops, a play button and curves; triggers ``stop``: {index}."""
table = _register("table")
"""A table of which a row can be selected; triggers ``picked``: {row}."""
steps = _register("steps")
"""A calculation as cards; fields: ``look`` (open step, selected cell), and cells of the mask."""

# The whole page, lessons and rooms.

classroom = _register_waiting("classroom")
"""The bar of the browser's room and its question; nothing outside a room."""
course = _register("course")
"""The list of lessons, with this browser's progress."""
desk = _register("desk", "classroom")
"""The Classroom page: forms to open and join a room, and the teacher's controls."""
lesson = _register("lesson")
"""A step of a lesson; triggers ``acted``: {do, place, answer}. See common/progress.js."""
# Its elements above the page are in the document, outside any shadow root.
present = _register("present", isolate_styles=False)
"""The header's buttons, and present mode."""
reconnect = _register("reconnect")
"""A bar while the connection is down; triggers ``reconnected``: the time."""
