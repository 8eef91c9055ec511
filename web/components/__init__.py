"""Python wrappers of the components that the browser draws: see the .js file of each.

Each component is registered once, on import. The components of a page exchange the state of its
view as an event; ``sync`` sends it: see sync.js.
"""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from web.components.edits import acknowledged
from web.components.script import imported, script

_HERE = Path(__file__).parent

SCRIPTS_AT = "/api/components/"

SCRIPTS: dict[str, bytes] = {}
"""Script of each component by its URL; a browser downloads each once.

Streamlit sends a component's script again after each change. So it gets a short script that
imports the script at this URL.
"""


def _register(
    name: str, *styled_like: str, html: str | None = None, **how: bool
) -> Callable[..., None]:
    like = html or name
    html = (_HERE / like / f"{like}.html").read_text("utf-8")
    css = "".join(
        (_HERE / each / f"{each}.css").read_text("utf-8") for each in (*styled_like, name)
    )
    js = imported(_served(name, script(_HERE / name / f"{name}.js")))
    return _component(name, html=html, css=css, js=js, **how)


def _component(name: str, **parts: Any) -> Callable[..., None]:
    component = st.components.v2.component(f"headlight_{name}", **parts)

    def mount(data: dict[str, Any] | bytes | None = None, **arguments: Any) -> None:
        # Streamlit searches every value of a dictionary for data frames, but not a list. So the
        # dictionary is sent in a list, and common/mount.js unpacks it.
        component(data=[data] if isinstance(data, dict) else data, **arguments)

    return mount


def _register_waiting(name: str) -> Callable[..., None]:
    """Register a component whose script and style are loaded only when it has content."""
    folder = _HERE / name
    style = json.dumps((folder / f"{name}.css").read_text("utf-8"))
    url = _served(name, f"const STYLE = {style};\n" + script(folder / f"{name}.js"))
    return _component(
        name,
        html=(folder / f"{name}.html").read_text("utf-8"),
        js=script(folder / "loader.js").replace("ADDRESS", url),
    )


def _served(name: str, text: str) -> str:
    """Store a component's script, and return its URL."""
    url = f"{SCRIPTS_AT}{name}-{sha256(text.encode()).hexdigest()[:12]}.js"
    SCRIPTS[url] = text.encode()
    return url


_OVERVIEW = _register("overview")
_CHIPS = _register("chips")
_LINES = _register("lines")
_SYNC = _register("sync")
_COPY = _register("copy")
_FILES = _register("files")
_HISTORY = _register("history")
_RECONNECT = _register("reconnect")
_MENU = _register("menu")
_ORDER = _register("order")
_GRIDS = _register("grids")
_STEPS = _register("steps")
_PLAYER = _register("player")
_DECODING = _register("decoding", "player")
_GENERATION = _register("generation", "player", "decoding", html="decoding")
_MASK = _register("mask")
_PICTURE = _register("picture")
_DESK = _register("desk", "classroom")
_CLASSROOM = _register_waiting("classroom")
_LESSON = _register("lesson")
_COURSE = _register("course")
_START = _register("start")
_CAPTION = _register("caption")
_REVEAL = _register("reveal")
# Its elements above the page are in the document, outside any shadow root.
_PRESENT = _register("present", isolate_styles=False)
# Plotly adds its style sheet to the document, where no shadow root uses it.
_CHART = _register("chart", isolate_styles=False)


def overview(
    payload: bytes, key: str, on_picked: Callable[[], None], on_overlaid: Callable[[], None]
) -> None:
    """Draw all heads on one canvas; triggers ``picked`` and ``overlaid``: {layer, head, at}."""
    _OVERVIEW(data=payload, key=key, on_picked_change=on_picked, on_overlaid_change=on_overlaid)


def chips(data: dict[str, Any], key: str, on_picked: Callable[[], None]) -> None:
    """Draw tokens as toggle buttons, of one side or both; triggers ``picked``: {side, units}."""
    _CHIPS(data=data, key=key, on_picked_change=on_picked)


def lines(
    payload: bytes,
    key: str,
    on_picked: Callable[[], None],
    on_picked_keys: Callable[[], None] | None = None,
) -> None:
    """Draw attention as lines between tokens; triggers ``picked``: the indices now picked.

    If keys and queries are different tokens, ``picked`` contains queries, and ``picked_keys``
    contains keys.
    """
    _LINES(
        data=payload,
        key=key,
        on_picked_change=on_picked,
        on_picked_keys_change=on_picked_keys or _nothing,
    )


def sync(view: dict[str, Any], on_picked: Callable[[], None]) -> None:
    """Send the state of the view to the other components; triggers ``picked``: {side, units}."""
    _SYNC(data=view, key="sync", on_picked_change=on_picked)


def player(data: dict[str, Any], key: str, on_stop: Callable[[], None]) -> None:
    """Draw a slider with stops, a play button and curves; triggers ``stop``: {index}."""
    _PLAYER(data=data, key=key, on_stop_change=on_stop)


def decoding(payload: bytes, key: str, on_forced: Callable[[], None]) -> None:
    """Draw a translation step by step; triggers ``forced``: {step, token}.

    A change of the step sends no request; the URL contains the step.
    """
    _DECODING(data=payload, key=key, on_forced_change=on_forced)


def generation(payload: bytes, key: str, on_forced: Callable[[], None]) -> None:
    """Draw a generated text as :func:`decoding` draws a translation."""
    _GENERATION(data=payload, key=key, on_forced_change=on_forced)


def grids(data: dict[str, Any], key: str, on_edited: Callable[[], None]) -> None:
    """Editable grids of numbers; fields of :mod:`edits`: ``cells, names, stored, cleared``."""
    data = {**data, "acknowledged": acknowledged(key)}
    _GRIDS(data=data, key=key, on_edited_change=on_edited)


def steps(data: dict[str, Any], key: str, on_edited: Callable[[], None]) -> None:
    """A calculation as cards. Fields of :mod:`edits`: ``look``, and ``query-key`` of mask cells."""
    data = {**data, "acknowledged": acknowledged(key)}
    _STEPS(data=data, key=key, on_edited_change=on_edited)


def copy_link(data: dict[str, str]) -> None:
    """Draw buttons that copy the page's URL and show its QR code."""
    _COPY(data=data, key="copy_link", width="content")


def plotly_figure(
    payload: bytes,
    key: str,
    height: int,
    on_clicked: Callable[[], None],
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Draw a figure with Plotly; triggers ``clicked``: the ``customdata`` of a point.

    Args:
        payload: JSON from web/widgets/charts.py.
        height: Height in pixels, reserved before the figure is drawn.
        on_clicked: Called only if the payload requests clicks.
    """
    _CHART(data=payload, key=key, width=width, height=height, on_clicked_change=on_clicked)


def files(data: dict[str, Any], key: str) -> None:
    """Draw buttons that download a figure's files, or only state the origin of its numbers."""
    _FILES(data=data, key=key, width="content")


def history(page: str, entry: dict[str, str] | None) -> None:
    """Invisible: keeps one entry of the browser's history for each action.

    ``entry`` is the query string with which the page was entered, ``before`` and ``after``
    completion.
    """
    _HISTORY(data={"page": page, "entry": entry}, key="history")


def reconnect(words: dict[str, str], on_reconnected: Callable[[], None]) -> None:
    """A bar while the connection is down; triggers ``reconnected``: the time."""
    _RECONNECT(data=words, key="reconnect", on_reconnected_change=on_reconnected)


def menu(word: str) -> None:
    """Follow links around the page: the menu on a phone, the model strip; draws nothing."""
    _MENU(data={"menu": word}, key="menu")


def present(data: dict[str, Any]) -> None:
    """Draw the header's buttons, and control present mode."""
    _PRESENT(data=data, key="present")


def caption_line(data: dict[str, Any], on_edited: Callable[[], None]) -> None:
    """Set the caption of present mode; fields of :mod:`edits`: ``layer`` and ``head``."""
    data = {**data, "acknowledged": acknowledged("caption")}
    _CAPTION(data=data, key="caption", on_edited_change=on_edited)


def reveal(data: dict[str, Any], key: str) -> None:
    """Invisible: scroll a table to its marked row; ``key`` begins with "reveal_" (page.css)."""
    _REVEAL(data=data, key=key)


def order(data: dict[str, Any], key: str, on_moved: Callable[[], None]) -> None:
    """Draw words that can be reordered; triggers ``moved``: {order}."""
    _ORDER(data=data, key=key, on_moved_change=on_moved)


def mask(data: dict[str, Any], key: str, on_edited: Callable[[], None]) -> None:
    """An editable mask; field of :mod:`edits`: ``rows``, all of it."""
    data = {**data, "acknowledged": acknowledged(key)}
    _MASK(data=data, key=key, on_edited_change=on_edited)


def picture(data: dict[str, Any], key: str) -> None:
    """Draw a model as nested boxes; a click on one opens its link, so there are no triggers."""
    _PICTURE(data=data, key=key)


def classroom(words: dict[str, str], initial_texts: Sequence[str]) -> None:
    """Draw the bar of the browser's room and its question; nothing outside a room.

    ``initial_texts`` are not a student's own, because pages open with them.
    """
    data = {"words": words, "initialTexts": list(initial_texts)}
    _CLASSROOM(data=data, key="classroom")


def desk(data: dict[str, Any], key: str) -> None:
    """Draw the Classroom page: forms to open and join a room, and the teacher's controls."""
    _DESK(data=data, key=key)


def lesson(data: dict[str, Any], key: str, on_acted: Callable[[], None]) -> None:
    """Draw a step of a lesson; triggers ``acted``: {do, place, answer}.

    The browser stores the right answers; see common/progress.js.
    """
    _LESSON(data=data, key=key, on_acted_change=on_acted)


def course(data: dict[str, Any], key: str) -> None:
    """Draw the list of lessons, with this browser's progress."""
    _COURSE(data=data, key=key)


def start(data: dict[str, Any], on_acted: Callable[[], None]) -> None:
    """Draw Start here, which only a first visit shows; triggers ``acted``: {step}."""
    _START(data=data, key="start", on_acted_change=on_acted)


def _nothing() -> None:
    """Default callback, which does nothing."""
