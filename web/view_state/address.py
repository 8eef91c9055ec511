"""The view of a page in the query string: read it, write it, keep both in step.

The session state holds the view. When the user navigates (first visit, link, Back, Forward),
:func:`restore` reads the query string into it. After a change, :func:`keep` writes the query
string, which adds a step to the browser's history:

    entered ── restore reads ──> session state ── keep writes ──> on its way to the browser
                   ^                                                     │
                   └── any other query string: a navigation <── message ─┴─> one that was written:
                                                                             no navigation

Streamlit's own ``bind="query-params"`` cannot carry the view: after Back from another page, a bound
widget has its default; the server cannot write a value; components cannot be bound; a default
vanishes from the query string; an unknown value gives no notice. (Measured with Streamlit 1.67.)
"""

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from dataclasses import field as with_factory
from typing import Any

import streamlit as st

from web.language import _, plain, translated
from web.streamlit_patches import script_context
from web.view_state import widget_fields
from web.view_state.field import Field

OF_THE_VISIT = ("lang", "step", "lesson", "present")
"""Parameters that belong to the visit, not to the view of a page: the language, the step of the
lesson, and those that the browser alone changes: a step (decoding/step_url.js), the presented
figure (present.js). All other parameters that a page does not know belong to another page."""


Parameters = Mapping[str, Field[Any]]
"""The fields of a page by their names in the query string."""

ParametersOf = Callable[[str, str], Parameters | None]
"""Returns the parameters of a part of the page at a path; None without such a page."""


@dataclass
class PageUrl:
    """The query string of the page on screen, as far as server and browser know it."""

    reported: dict[str, str] | None = None
    written: list[dict[str, str]] = with_factory(default_factory=list)
    entered: bool = True
    unsure: bool = False
    parameters: Parameters = with_factory(default_factory=dict)

    def receive(self, address: dict[str, str]) -> bool:
        """Record a received query string; return whether the user navigated to it."""
        if address == self.reported:
            return False
        self.reported = address
        if address in self.written:
            del self.written[: self.written.index(address) + 1]
            return False
        self.written.clear()
        return True

    def newest(self) -> dict[str, str]:
        """The query string that the browser shows when it has received every response."""
        return self.written[-1] if self.written else self.reported or {}


def restore(fields: Parameters) -> None:
    """Read the query string into the session state, if the user navigated, with notices."""
    entering = is_entering()
    for field in fields.values():
        if field.key not in st.session_state:
            field.value = deepcopy(field.default)
        elif entering:
            # If a widget of this page takes over the key of another page's widget, Streamlit drops
            # the value unless it is set again.
            field.value = field.value
    url: PageUrl = st.session_state.setdefault("page_url", PageUrl())
    # A page can have parts with parameters of their own. The browser still shows the query string
    # of the part before, which is no navigation.
    address = _received({**url.parameters, **fields})
    url.parameters = fields
    if stepped() and address != url.newest():
        # A response in flight may still replace the query string of this step.
        url.unsure = bool(url.written)
        url.written.clear()
        url.reported = None
    # The page before may have written it, in a response that arrived on this page.
    view = {k: v for k, v in st.query_params.to_dict().items() if k not in OF_THE_VISIT}
    if not (entering or stepped()) and view in st.session_state.get("written_before", []):
        url.unsure = True
    elif url.receive(address) and address:
        for notice in _read(fields, address):
            st.warning(notice)


def _read(fields: Parameters, address: Mapping[str, str]) -> list[str]:
    """Set the session state to a view; return the notices."""
    notices = []
    for name, field in fields.items():
        if name not in address and not field.when():
            continue
        value = deepcopy(field.default)  # it can be a list, and each session needs its own
        if name in address:
            try:
                value = field.parse(address[name])
            except (ValueError, KeyError):
                notice = _(
                    "The link's {name} = {value} is not known here. The page shows {default}."
                )
                default = field.write(value)
                label = field.options.get(default) if isinstance(field.options, Mapping) else None
                shown = translated(label) if isinstance(label, str) else plain(default) or "–"
                written = plain(address[name][:80])
                notices.append(notice.format(name=name, value=written, default=shown))
        field.value = value
    return notices


def keep(fields: Parameters) -> None:
    """Write the view into the query string: a step of the history, except at the entry."""
    url: PageUrl = st.session_state["page_url"]
    address = _address(fields)
    entered, url.entered = url.entered, False
    if entered:
        if address != url.reported:
            whole = {**_received(OF_THE_VISIT), **address}
            st.session_state["entry"] = script_context.complete_query_string(whole)
            url.written.append(address)
        return
    # The browser adds no step for the query string that it has. A page that was entered without
    # one goes on reporting none.
    lost = url.reported and url.reported != address
    if address != url.newest() or lost or url.unsure:
        url.unsure = False
        url.written.append(address)
        st.query_params.from_dict({**_received(OF_THE_VISIT), **address})


def only(fields: Parameters, *names: str) -> bool:
    """Whether only these parameters have changed, so that a callback can rerun a fragment alone."""
    url: PageUrl | None = st.session_state.get("page_url")
    if url is None or url.unsure or stepped() or widget_fields.current().in_flight():
        return False
    newest = url.newest()
    if _received(fields) != newest:
        return False
    url.receive(newest)
    now = _address(fields)
    return all(now.get(name) == newest.get(name) for name in fields if name not in names)


def current() -> dict[str, str]:
    """The view in the session state, which :func:`keep` writes at the end of the run."""
    url: PageUrl | None = st.session_state.get("page_url")
    return {} if url is None else _address(url.parameters)


def link(view: Mapping[str, str]) -> dict[str, str]:
    """The query parameters of a link to another view, with the parameters of the visit."""
    return {**view, **_received(OF_THE_VISIT)}


def leave_lesson() -> None:
    """Remove the lesson from the query string: a new step of the history."""
    url: PageUrl | None = st.session_state.get("page_url")
    kept = {name: text for name, text in _received(OF_THE_VISIT).items() if name != "lesson"}
    st.query_params.from_dict({**kept, **(url.newest() if url else {})})


def entry() -> dict[str, str] | None:
    """The query string with which this page was entered, before and after completion, if any."""
    return st.session_state.get("entry")


def forget() -> None:
    """Delete what belongs to the last page's query string: another page is entered."""
    url: PageUrl | None = st.session_state.pop("page_url", None)
    st.session_state["written_before"] = url.written if url else []
    st.session_state.pop("entry", None)


def is_entering() -> bool:
    """Whether this run is the first of its page."""
    return "page_url" not in st.session_state


def stepped() -> bool:
    """Whether this run answers a step through the browser's history."""
    return script_context.is_history_navigation() or widget_fields.current().stepped


def _received(names: Collection[str]) -> dict[str, str]:
    """The parameters of these names in the browser's query string."""
    return {k: v for k, v in st.query_params.to_dict().items() if k in names}


def _address(fields: Parameters) -> dict[str, str]:
    """The view in the session state, in the form of a query string."""
    address = {}
    for name, field in fields.items():
        if field.when() and (field.always or field.value != field.default):
            address[name] = field.write(field.value)
    return address
