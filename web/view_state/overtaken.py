"""Acts that overtake the page: done before the browser had seen what came of the one before.

With every act the browser sends the values of all its boxes, and the address that it has. Of one
that acted too early, some of them are older than the view; which were meant is told apart here, for
:func:`web.view_state.address.restore`.
"""

import secrets
from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import streamlit as st

from web.view_state import raw_widget_values

if TYPE_CHECKING:
    from web.view_state.address import Parameters

KEYS = (
    *("address_sent", "boxes_acted", "boxes_before", "boxes_in_doubt"),
    *("boxes_said", "boxes_told", "boxes_told_as"),
)
"""What is known of the boxes of one page."""

_DRAWN = "boxes_drawn"


def seen_before(address: dict[str, str]) -> dict[str, str] | None:
    """The view that the browser had before it, where it acted before it had the newest.

    Args:
        address: That it sent, and not for a step through its history, which means its address.
    """
    state, entered = st.session_state, st.session_state.get("entry")
    noted = address == state.get("address") != state.get("address_known")
    if noted or address in state.get("address_old", ()):
        return address
    # Entered by a link, or by no address at all: see `address.catch_up`.
    if entered and ("link" in state if entered["before"] else not address):
        first = dict(parse_qsl(entered["after"]))
        return None if first == state.get("address") else first
    return None


def acted_in(
    parameters: "Parameters", address: dict[str, str], now: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Those whose boxes hold something else than when the browser last sent this address.

    It has seen no other view meanwhile: whoever set such a box back to what it was has acted there,
    unless it was told to. If nothing came of it, as where the line broke, it holds until something
    does.

    Args:
        parameters: Of the page.
        address: That the browser sent.
        now: The view as the boxes say it.

    Returns:
        In which somebody acted; and which show what they were told.
    """
    state = st.session_state
    held = raw_widget_values.held(parameter.key or name for name, parameter in parameters.items())
    of, before = state.get("address_sent", (None, {}))
    state["address_sent"] = address, held
    if of != address:
        state["boxes_acted"] = set()
        return set(), set()
    changed = {key for key in held.keys() & before.keys() if held[key] != before[key]}
    moved = {name for name, parameter in parameters.items() if (parameter.key or name) in changed}
    echo = _echo()
    echoed = {name for name in moved & echo.keys() if now.get(name) == echo[name]}
    acted = moved - echoed
    state["boxes_acted"] = acted | state.get("boxes_acted", set())
    return set(state["boxes_acted"]), echoed


def bring_together(
    parameters: "Parameters",
    now: Mapping[str, str],
    before: Mapping[str, str],
    known: Mapping[str, str],
    acted: set[str],
    echoed: set[str],
) -> None:
    """Keep what was done last and what was done just before it.

    With every act the browser sends the values of all its boxes. Of one that acted before it had
    seen what came of its last act, those that this act moved are the old ones: taken for changes,
    they would undo it.

    Args:
        parameters: Of the page.
        now: The view as the boxes say it.
        before: As the browser saw it.
        known: As it had become meanwhile.
        acted: Those whose boxes somebody has changed since.
        echoed: Those that were told to.
    """
    for name in parameters:
        told = now.get(name)
        old = told == before.get(name) or name in echoed
        if old and name not in acted and known.get(name) != told:
            _take_from(known, parameters, name)


def hear(parameters: "Parameters") -> None:
    """Remember what the browser says of its boxes, until the view is written.

    To be called before anything is drawn: a box that was told what to show says that.
    """
    state, said = st.session_state, _said(parameters)
    if not said:
        return
    state["boxes_said"] = said
    old = state.get("boxes_before", {})
    state["boxes_before"] = {name: held for name, held in old.items() if said.get(name) == held}


def note_told(parameters: "Parameters") -> None:
    """Remember what boxes held before they were told what they show now; the view is written."""
    state = st.session_state
    state.pop("boxes_acted", None)
    before = {**state.get("boxes_before", {}), **state.pop("boxes_said", {})}
    state["boxes_before"] = {
        name: held for name, held in before.items() if held != _value(parameters, name)
    }


def hold_what_was_told(
    parameters: "Parameters", now: Mapping[str, str], known: Mapping[str, str]
) -> None:
    """Keep what boxes were told, where the browser acted when it had heard of it and not drawn it.

    Its script writes the address at once; a box says what it was told only when it is drawn again,
    a moment later. One that says what it said before, together with something new elsewhere, was
    not drawn. (With nothing new elsewhere, somebody has set it back.)

    Args:
        parameters: Of the page.
        now: The view as the boxes say it.
        known: As it was last written.
    """
    changed = {name for name in {*now, *known} if now.get(name) != known.get(name)}
    before = st.session_state.get("boxes_before", {})
    late = {name for name in changed & before.keys() if before[name] == _value(parameters, name)}
    for name in late if late < changed else ():
        _take_from(known, parameters, name)


def _said(parameters: "Parameters") -> dict[str, Any]:
    """What the browser said of the boxes of a view, by its name in the address."""
    keys = {parameter.key or name: name for name, parameter in parameters.items()}
    return {keys[key]: value for key, value in raw_widget_values.held(keys).items()}


def _value(parameters: "Parameters", name: str) -> object:
    return st.session_state[parameters[name].key or name]


def _take_from(view: Mapping[str, str], parameters: "Parameters", name: str) -> None:
    """Set a part of the session's view to what another view says of it."""
    parameter = parameters[name]
    key = parameter.key or name
    if name in view:
        st.session_state[key] = parameter.parse(view[name])
    elif not parameter.always and parameter.relevant():
        st.session_state[key] = deepcopy(parameter.default)


def _echo() -> Mapping[str, str]:
    """What boxes were told to show before the line broke: it may have come after what was typed."""
    if not st.session_state.get("address_lost", False):
        return {}
    echo: Mapping[str, str] = st.session_state.get("boxes_told", {})
    return echo


def note_read(parameters: "Parameters") -> None:
    """Remember what all boxes were told: the address was read, and says what they show."""
    _doubt({name: _value(parameters, name) for name in parameters})


def told_over(parameters: "Parameters") -> set[str]:
    """Those whose boxes may show, or come to show, something else than what was typed there last.

    Somebody typed while the box was being told what to show. To be set right is to be told what
    the box shows; who typed something else before that was drawn has to be told again.

    Args:
        parameters: Of the page.
    """
    state = st.session_state
    said, told = state.get("boxes_said", {}), state["boxes_in_doubt"] if in_doubt() else {}
    over = {name for name in told.keys() & said.keys() if said[name] != told[name]}
    if over:
        _doubt({name: _value(parameters, name) for name in over})
    return over


def in_doubt() -> bool:
    """Whether a box may not have shown yet what it was told last, when somebody acted."""
    state = st.session_state
    drawn = raw_widget_values.held([_DRAWN]).get(_DRAWN)
    return "boxes_in_doubt" in state and drawn != state["boxes_told_as"]


def ask_whether_drawn() -> None:
    """Draw a box that nobody sees (page.css), behind all others.

    Told something new together with them, it says so with every act from when they show it.
    """
    if in_doubt():
        st.session_state[_DRAWN] = st.session_state["boxes_told_as"]
    st.text_input("–", key=_DRAWN)


def _doubt(told: dict[str, Any]) -> None:
    st.session_state["boxes_in_doubt"] = told
    st.session_state["boxes_told_as"] = secrets.token_hex(4)
