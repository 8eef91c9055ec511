"""The page's address carries its view: parse it, restore it, keep it up to date.

The session state is the one place where the view lives; the address is written from it on every
run, and read into it when it says something else than what was last written (a first visit, a
reload, Back, or an edited address).
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.query_params import EMBED_QUERY_PARAMS_KEYS

from web.language import _, plain
from web.view_state import overtaken, reconnect

OF_THE_VISIT = ("lang", "step", "lesson", "present")
"""What an address says besides the view: the language, where in the course a learner is, and what
the browser alone moves to: a step (decoding/step_url.js), the presented figure (present.js).
All else that a page does not know is another page's."""

MOST_OLD = 20
"""Addresses that were written and that the browser may go on sending, until it sends the newest."""


@dataclass(frozen=True)
class Parameter:
    """A part of the view: its default, and how it is read from and written to the address."""

    default: Any
    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str
    always: bool = False  # in the address even at its default
    relevant: Callable[[], bool] = lambda: True  # whether it says anything about the view as it is
    key: str = ""  # in the session state, where it is not the name in the address


Parameters = Mapping[str, "Parameter"]


def holds(key: str, *values: object) -> Callable[[], bool]:
    """When a parameter matters: while the session has one of these values under a key."""
    return lambda: st.session_state[key] in values


def restore(parameters: Parameters) -> list[str]:
    """Bring the session state in line with the address.

    Args:
        parameters: Of the page; those that decide what is relevant come first.

    The address is read on a first visit, and when the browser has moved through its history.
    Whenever a widget has changed, the session state is ahead of the address and stands: the
    browser may even send an older address than was last written.

    Returns:
        A notice for every value that the address has and the product does not know; the default
        stands in its place.
    """
    entering = "address_known" not in st.session_state
    for name, parameter in parameters.items():
        key = parameter.key or name
        if key not in st.session_state:
            st.session_state[key] = deepcopy(parameter.default)
        elif entering:
            # A value that another page's widget left behind is lost when a widget of this page
            # takes over its key, unless it is set by hand.
            st.session_state[key] = st.session_state[key]
    overtaken.hear(parameters)
    address = _told(parameters)
    written = st.session_state.get("address")
    # The view that was last restored or written: a visitor may type before the first run ends.
    known = st.session_state.get("address_known")
    before = None if stepped() else overtaken.seen_before(address)
    late, now = before is not None, _address(parameters)
    acted, echoed = overtaken.acted_in(parameters, address, now)
    if before is not None and known is not None:
        overtaken.bring_together(parameters, now, before, known, acted, echoed)
    elif known is not None and not stepped():
        overtaken.hold_what_was_told(parameters, now, known)
    # A step through the history means its address, whatever was typed before it and not yet read.
    ahead = known is not None and not stepped() and _address(parameters) != known
    lost = reconnect.cut_short() and st.session_state.get("address_lost", False)
    over = overtaken.told_over(parameters)
    tell = parameters.keys() if lost else () if stepped() else over
    for name in tell:
        key = parameters[name].key or name
        st.session_state[key] = st.session_state[key]
    if tell:
        st.session_state["boxes_told"] = _address(parameters)
    if address == written:
        for key in ("address_old", "boxes_told"):
            st.session_state.pop(key, None)
    if not address or address == written or ahead or late:
        return []
    notices = []
    for name, parameter in parameters.items():
        if name not in address and not parameter.relevant():
            continue
        value = deepcopy(parameter.default)  # lists among them, and every visitor needs their own
        if name in address:
            try:
                value = parameter.parse(address[name])
            except (ValueError, KeyError):
                notices.append(
                    _("The link's {name} = {value} is not known here; {default} is shown.").format(
                        name=name,
                        value=plain(address[name][:80]),
                        default=plain(parameter.write(value)) or "–",
                    )
                )
        st.session_state[parameter.key or name] = value
    st.session_state["address_known"] = view = _address(parameters)
    overtaken.note_read(parameters)
    # Not to be written: the address says it all, or tells of a step through the browser's history.
    # A link on the page itself is a step of its own.
    if address == view or (written is not None and stepped()):
        st.session_state["address"] = view
        if stepped() and "address_old" in st.session_state:
            tell_again()  # what was written before may arrive only now, and be taken for this
    return notices


def only(parameters: Parameters, *names: str) -> bool:
    """Whether these alone were changed, in the newest view and with nothing to be set right.

    :func:`restore` would do nothing then, and a page can do without it. For callbacks.

    Args:
        parameters: Of the page.
        *names: Of some of them.
    """
    state, address = st.session_state, _told(parameters)
    known, old = state.get("address_known"), state.get("address_old", ())
    newest = address == state.get("address") == known and address not in old
    open_still = any(state.get(key) for key in ("link", "address_lost", "boxes_told"))
    if known is None or not newest or stepped() or open_still or overtaken.in_doubt():
        return False
    now = _address(parameters)
    if any(now.get(name) != known.get(name) for name in parameters if name not in names):
        return False
    overtaken.acted_in(parameters, address, now)
    return True


def _told(parameters: Parameters) -> dict[str, str]:
    """The view as the browser's address says it."""
    return {k: v for k, v in st.query_params.to_dict().items() if k in parameters}


def keep(parameters: Parameters) -> None:
    """Write the view into the address: another step of the browser's history.

    The first time on a page it belongs to the step that Streamlit took when the page was entered,
    and the browser is told to complete that one (:func:`entry`).
    """
    overtaken.note_told(parameters)
    address = st.session_state["address_known"] = _address(parameters)
    written = st.session_state.get("address")
    if address == written and not st.session_state.pop("address_lost", False):
        return
    st.session_state["address"] = address
    other = _of_the_visit()
    if written is None:
        _complete({**other, **address})
    else:
        old = st.session_state.get("address_old", ())
        st.session_state["address_old"] = [*old, written][-MOST_OLD:]
        st.query_params.from_dict({**other, **address})


def note(parameters: Parameters) -> None:
    """Remember a view that a callback has made: another act may come before it is written."""
    overtaken.hear(parameters)
    st.session_state["address_known"] = _address(parameters)


def tell_again() -> None:
    """Write the address once more: another may have come in between, or the line have broken.

    It makes a step of the browser's history only if the browser does not have it.
    """
    st.session_state["address_lost"] = True


def _complete(address: dict[str, str]) -> None:
    """Have the browser complete the address with which this page was entered."""
    context = get_script_run_ctx()
    if context is None:
        return
    before = context.query_string
    embedded = [(k, v) for k, v in parse_qsl(before) if k in EMBED_QUERY_PARAMS_KEYS]
    context.query_string = urlencode([*embedded, *address.items()])
    st.session_state["entry"] = {"before": before, "after": context.query_string}
    st.session_state["link"] = before
    # `st.query_params` would tell the browser too, which would add a step. It has no other way.
    with context.session_state.query_params() as params:
        params.populate_from_query_string(context.query_string)


def link(view: Mapping[str, str]) -> dict[str, str]:
    """The address of another view, for a link: what this visit's address says besides stays."""
    return {**view, **_of_the_visit()}


def say_besides(name: str, value: str | None) -> None:
    """Write into the address what it says besides the view: another step of the history.

    Args:
        name: One of :data:`OF_THE_VISIT`.
        value: None takes it out.
    """
    said = {**_of_the_visit(), name: value}
    kept = {other: text for other, text in said.items() if text is not None}
    st.query_params.from_dict({**kept, **st.session_state.get("address", {})})


def _of_the_visit() -> dict[str, str]:
    return {k: v for k, v in st.query_params.to_dict().items() if k in OF_THE_VISIT}


def entry() -> dict[str, str] | None:
    """The address with which this page was entered, before and after it was completed, if it was.

    ``components.history`` takes it.
    """
    return st.session_state.get("entry")


def catch_up() -> None:
    """Tell Streamlit's own script in the browser how the address was completed.

    Where a page was entered by a link that says a part of the view, that script goes on sending
    this part with every act, until it is told; the address itself has moved on, so that this adds
    no step. To be called on every run, before the page.
    """
    context, link = get_script_run_ctx(), st.session_state.get("link")
    written = st.session_state.get("address")
    if context is None or not link or written is None:
        return
    if context.query_string == link and not stepped():
        st.query_params.from_dict({**_of_the_visit(), **written})
    else:  # it knows
        del st.session_state["link"]


def forget() -> None:
    """Another page is entered: what the last one wrote says nothing about this one's address."""
    of_one_page = ("address", "address_known", "address_lost", "address_old")
    for key in (*of_one_page, "entry", "link", *overtaken.KEYS):
        st.session_state.pop(key, None)


def stepped() -> bool:
    """Whether this run answers a step through the browser's history."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _address(parameters: Parameters) -> dict[str, str]:
    """The view in the session state, as the address says it."""
    address = {}
    for name, parameter in parameters.items():
        value = st.session_state[parameter.key or name]
        if parameter.relevant() and (parameter.always or value != parameter.default):
            address[name] = parameter.write(value)
    return address
