"""Which widget values of a message are edits by the user, and which widgets the server must set.

With every rerun request the browser sends the values of all its widgets, and the server sets
widgets too. A message that was sent before the browser had drawn a response contains older values,
which are not edits. One :class:`WidgetField` for each widget tells the two apart:

    in sync ── response n sets another value ──> set in flight
       ^                                            │
       ├── a message reports the newest set value ──┤
       ├── a message acknowledges response n ───────┤   (hidden text inputs, of the page and of its
       │                                            │    fragments, hold numbers of drawn responses)
       └── message with any other value: an edit ───┘   (each later response sets the edited value,
                                                         until one of them is acknowledged)

Messages are recorded on receipt: Streamlit merges requests, and a late response can overwrite an
edit before the next message is sent. Such an edit is lost if its own message is lost too.
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from copy import deepcopy
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from web.streamlit_patches import widget_messages
from web.streamlit_patches.script_context import is_fragment_run

Args = ParamSpec("Args")

ACKNOWLEDGEMENT = "response_drawn"
"""Key of the page's hidden text input (page.css) that holds the number of its response.

The key of a fragment's input begins with it.
"""

UNKNOWN = object()
"""Value of a widget that the browser has not reported, or has removed."""


class WidgetField:
    """Server's record of one widget.

    ``reported`` is the value in the newest message. ``sets`` has, by number of a response that this
    message does not acknowledge, the values that the widget can have when the response is drawn.
    """

    def __init__(self) -> None:
        self.reported: object = UNKNOWN
        self.sets: dict[int, list[object]] = {}

    def receive(self, value: object, drawn: int) -> bool:
        """Record a received value; return whether the user edited the widget."""
        if value != self.reported:
            # If a response changed it, at least the oldest one that sets this value is drawn; and
            # if a response made the widget, the oldest of all.
            new = self.reported is UNKNOWN
            setting = (n for n, values in self.sets.items() if new or values[0] == value)
            drawn = max(drawn, min(setting, default=0))
        possible = [self.reported]  # the values that the browser can show without an edit
        for response, values in sorted(self.sets.items()):
            possible = values if response <= drawn else [*possible, *values]
        self.sets = {number: values for number, values in self.sets.items() if number > drawn}
        self.reported = value
        edited = value not in possible
        if edited:
            # Nobody knows whether the user edited before or after a response was drawn in part.
            for values in self.sets.values():
                values.append(value)
        return edited

    def must_set(self, value: object, response: int) -> bool:
        """Return whether a response must set the widget to a value."""
        if not self.sets and self.reported == value:
            return False
        self.sets[response] = [deepcopy(value)]
        return True


class WidgetFields:
    """The fields of a session by widget id; ``stepped``: a step through the browser's history."""

    def __init__(self) -> None:
        self._session = secrets.token_hex(4)  # a number of an earlier session says nothing
        self._fields: dict[str, WidgetField] = {}
        self._response = 0
        self._acknowledgements: set[str] = set()  # ids of the hidden inputs
        self.stepped = False
        self.messages = deque[Any]()  # that no run has read

    def __contains__(self, widget_id: str) -> bool:
        return widget_id in self._fields

    def begin_run(self) -> None:
        """Number the response of the run that begins."""
        self._response += 1
        self.stepped = False

    def receive(self, values: Mapping[str, object]) -> Iterator[str]:
        """Record a message: values by widget id. A navigation contains none of its page."""
        drawn = max((self._drawn(values.get(name)) for name in self._acknowledgements), default=0)
        for widget_id in values.keys() & self._fields.keys():
            if self._fields[widget_id].receive(values[widget_id], drawn):
                yield widget_id

    def register(self, widget_id: str, key: str, value: object, changed: bool) -> bool:
        """Return whether the response must set a widget that is drawn now."""
        if key.startswith(ACKNOWLEDGEMENT):
            self._acknowledgements.add(widget_id)
            return changed
        if widget_id in self._fields:
            return self._fields[widget_id].must_set(value, self._response)
        widget = self._fields[widget_id] = WidgetField()
        widget.must_set(value, self._response)
        return changed  # a new widget shows its default value

    def retain(self, widget_ids: set[str]) -> None:
        """Delete the fields of all other widgets: the browser has removed them."""
        self._fields = {name: self._fields[name] for name in widget_ids & self._fields.keys()}

    def forget_reported(self) -> None:
        """Have the next response set all widgets: the browser may have removed some."""
        for widget in self._fields.values():
            widget.reported = UNKNOWN

    def in_flight(self) -> bool:
        """Whether a widget may not show yet what a response has set."""
        return any(w.sets and w.reported is not UNKNOWN for w in self._fields.values())

    def acknowledgement(self) -> str:
        """The value of the hidden text input in this response."""
        return f"{self._session}:{self._response}"

    def _drawn(self, acknowledgement: object) -> int:
        session, _, number = str(acknowledgement).partition(":")
        return int(number) if session == self._session else 0


widget_messages.reconcile_with(WidgetFields)


def current() -> WidgetFields:
    """The fields of this session; new ones outside a session."""
    return widget_messages.current() or WidgetFields()


def draw_acknowledgement() -> None:
    """Draw the hidden text input of the page, last."""
    fields = current()
    if fields.in_flight() or ACKNOWLEDGEMENT not in st.session_state:
        st.session_state[ACKNOWLEDGEMENT] = fields.acknowledgement()
    st.text_input("–", key=ACKNOWLEDGEMENT)


_inside: ContextVar[bool] = ContextVar("inside a fragment", default=False)


def fragment(key: str) -> Callable[[Callable[Args, None]], Callable[Args, None]]:
    """Decorator like ``st.fragment``; a run of the fragment alone is acknowledged too."""

    def decorate(draw: Callable[Args, None]) -> Callable[Args, None]:
        @st.fragment(key=key)
        @wraps(draw)
        def draw_and_acknowledge(*args: Args.args, **kwargs: Args.kwargs) -> None:
            # Only the end of the outermost fragment is the end of the response.
            outermost = is_fragment_run() and not _inside.get()
            token = _inside.set(True)
            try:
                draw(*args, **kwargs)
            finally:
                _inside.reset(token)
            if outermost and current().in_flight():
                name = f"{ACKNOWLEDGEMENT}_{key}"
                st.session_state[name] = current().acknowledgement()
                st.text_input("–", key=name)

        return draw_and_acknowledge

    return decorate
