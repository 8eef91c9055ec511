"""The views that the browser draws itself: thin Python faces of the .js files beside this one.

Each is registered once, on import. They talk to one another in the page through one event, sent
by ``sync``: see sync.js.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from web.components.edits import acknowledged
from web.components.script import imported, script

_HERE = Path(__file__).parent

SCRIPTS_AT = "/api/components/"

SCRIPTS: dict[str, bytes] = {}
"""Every component's script by the address under which the server sends it, once to a browser.

Streamlit sends a component's script again with each change; what it gets is what fetches this.
"""


def _register(name: str, *styled_like: str, **how: bool) -> Callable[..., Any]:
    html = (_HERE / name / f"{name}.html").read_text("utf-8")
    css = "".join(
        (_HERE / each / f"{each}.css").read_text("utf-8") for each in (*styled_like, name)
    )
    js = imported(_served(name, script(_HERE / name / f"{name}.js")))
    return st.components.v2.component(f"headlight_{name}", html=html, css=css, js=js, **how)


def _register_waiting(name: str) -> Callable[..., Any]:
    """As above, of a component that is fetched with its style once it has something to show."""
    folder = _HERE / name
    style = json.dumps((folder / f"{name}.css").read_text("utf-8"))
    url = _served(name, f"const STYLE = {style};\n" + script(folder / f"{name}.js"))
    return st.components.v2.component(
        f"headlight_{name}",
        html=(folder / f"{name}.html").read_text("utf-8"),
        js=script(folder / "loader.js").replace("ADDRESS", url),
    )


def _served(name: str, text: str) -> str:
    """The address of a component's script."""
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
_PHASOR = _register("phasor")
_ORDER = _register("order")
_GRIDS = _register("grids")
_STEPS = _register("steps")
_PLAYER = _register("player")
_THUMBNAILS = _register("thumbnails")
_DECODING = _register("decoding")
_GENERATION = _register("generation", "decoding")
_MASK = _register("mask")
_DESK = _register("desk", "classroom")
_CLASSROOM = _register_waiting("classroom")
_LESSON = _register("lesson")
_COURSE = _register("course")
_CAPTION = _register("caption")
# What it lays over the page is the page's own: elements that no shadow root holds.
_PRESENT = _register("present", isolate_styles=False)
# Plotly keeps its style sheet in the page, where no shadow root sees it.
_CHART = _register("chart", isolate_styles=False)


def overview(
    payload: bytes, key: str, on_picked: Callable[[], None], on_overlaid: Callable[[], None]
) -> None:
    """All heads on one canvas; triggers ``picked`` and ``overlaid``: {layer, head}."""
    _OVERVIEW(data=payload, key=key, on_picked_change=on_picked, on_overlaid_change=on_overlaid)


def chips(data: dict[str, Any], key: str, on_picked: Callable[[], None]) -> None:
    """Tokens as toggle buttons, of a side or of both; triggers ``picked``: {side, units}."""
    _CHIPS(data=data, key=key, on_picked_change=on_picked)


def lines(
    payload: bytes,
    key: str,
    on_picked: Callable[[], None],
    on_picked_keys: Callable[[], None] | None = None,
) -> None:
    """Attention as lines between tokens; triggers ``picked``: the indices now picked.

    Where the keys are other tokens than the queries, ``picked`` is of the queries, and
    ``picked_keys`` of the keys.
    """
    _LINES(
        data=payload,
        key=key,
        on_picked_change=on_picked,
        on_picked_keys_change=on_picked_keys or _nothing,
    )


def sync(view: dict[str, Any], on_picked: Callable[[], None]) -> None:
    """Tell the other views what the page shows; triggers ``picked``: {side, units}."""
    _SYNC(data=view, key="sync", on_picked_change=on_picked)


def player(data: dict[str, Any], key: str, on_stop: Callable[[], None]) -> None:
    """A slider through stops, with a play button and curves; triggers ``stop``: {index}."""
    _PLAYER(data=data, key=key, on_stop_change=on_stop)


def decoding(payload: bytes, key: str, on_forced: Callable[[], None]) -> None:
    """A translation as it is written, step by step; triggers ``forced``: {step, token}.

    Moving between the steps asks no server; the address in the browser says which is shown.
    """
    _DECODING(data=payload, key=key, on_forced_change=on_forced)


def generation(
    payload: bytes, key: str, on_forced: Callable[[], None], on_picked: Callable[[], None]
) -> None:
    """A text as a decoder wrote it; triggers ``forced``: {step, token}, ``picked``: {layer}.

    As with :func:`decoding`, moving between the steps asks no server.
    """
    _GENERATION(data=payload, key=key, on_forced_change=on_forced, on_picked_change=on_picked)


def grids(data: dict[str, Any], key: str, on_edited: Callable[[], None]) -> None:
    """Editable grids of numbers; fields of :mod:`edits`: ``cells, names, stored, cleared``."""
    data = {**data, "acknowledged": acknowledged(key)}
    _GRIDS(data=data, key=key, on_edited_change=on_edited)


def steps(data: dict[str, Any], key: str, on_edited: Callable[[], None]) -> None:
    """A calculation as cards.

    Fields of :mod:`edits`: ``look``, which is the open step and the selected cell; and for each
    edited cell of the mask ``query-key``, whether it is allowed.
    """
    data = {**data, "acknowledged": acknowledged(key)}
    _STEPS(data=data, key=key, on_edited_change=on_edited)


def copy_link(data: dict[str, str]) -> None:
    """A button that copies the page's address, and one that shows its QR code."""
    _COPY(data=data, key="copy_link", width="content")


def plotly_figure(
    payload: bytes,
    key: str,
    height: int,
    on_clicked: Callable[[], None],
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """A figure, drawn by Plotly; triggers ``clicked``: the ``customdata`` of a point.

    Args:
        payload: JSON, as web/widgets/charts.py makes it.
        key: Of the component.
        height: In pixels, known before the figure is drawn.
        on_clicked: Called only if the payload says that it is listened to.
        width: In pixels; as wide as there is room for unless given.
    """
    _CHART(data=payload, key=key, width=width, height=height, on_clicked_change=on_clicked)


def files(data: dict[str, Any], key: str) -> None:
    """A figure's files as buttons; nothing, where there is no figure."""
    _FILES(data=data, key=key)


def history(page: str, entry: dict[str, str] | None) -> None:
    """Invisible: keeps one entry of the browser's history for each action, in their order.

    Args:
        page: Path of the page.
        entry: The query string with which it was entered, ``before`` and ``after`` completion.
    """
    _HISTORY(data={"page": page, "entry": entry}, key="history")


def reconnect(words: dict[str, str], on_reconnected: Callable[[], None]) -> None:
    """A bar while the connection is down; triggers ``reconnected``: the time."""
    _RECONNECT(data=words, key="reconnect", on_reconnected_change=on_reconnected)


def menu() -> None:
    """Nothing to see: on a phone, closes the menu of pages when one was chosen from it."""
    _MENU(key="menu")


def present(data: dict[str, Any]) -> None:
    """The header's own buttons, and the mode that fills a projector's screen with a figure."""
    _PRESENT(data=data, key="present")


def caption_line(data: dict[str, Any], on_walked: Callable[[], None]) -> None:
    """What the line under a presented figure says; triggers ``walked``: {layer, head}."""
    _CAPTION(data=data, key="caption", on_walked_change=on_walked)


def thumbnails(payload: bytes, key: str) -> None:
    """Nothing to see: shows a head's thumbnail beside its point on a chart of heads."""
    _THUMBNAILS(data=payload, key=key)


def phasor(data: dict[str, Any], key: str) -> None:
    """A pair of sinusoids as a point on its circle, with a slider of its own."""
    _PHASOR(data=data, key=key)


def order(data: dict[str, Any], key: str, on_moved: Callable[[], None]) -> None:
    """Words to be dragged into another order; triggers ``moved``: {order}."""
    _ORDER(data=data, key=key, on_moved_change=on_moved)


def mask(data: dict[str, Any], key: str, on_edited: Callable[[], None]) -> None:
    """An editable mask; field of :mod:`edits`: ``rows``, all of it."""
    data = {**data, "acknowledged": acknowledged(key)}
    _MASK(data=data, key=key, on_edited_change=on_edited)


def classroom(words: dict[str, str]) -> None:
    """The bar of the room that the browser is in, and its question; nothing outside a room."""
    _CLASSROOM(data={"words": words}, key="classroom")


def desk(data: dict[str, Any], key: str) -> None:
    """The Classroom page: forms to open and join a room, and the teacher's controls."""
    _DESK(data=data, key=key)


def lesson(data: dict[str, Any], key: str, on_acted: Callable[[], None]) -> None:
    """A step of a lesson; triggers ``acted``: {do, place, answer}.

    What was answered right is kept in the browser; see common/progress.js.
    """
    _LESSON(data=data, key=key, on_acted_change=on_acted)


def course(data: dict[str, Any], key: str) -> None:
    """The lessons, and how far this browser has come."""
    _COURSE(data=data, key=key)


def _nothing() -> None:
    """Nobody listens."""
