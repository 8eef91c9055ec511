"""Messages on a page while its computations wait in the queue, and after a refusal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Thread, Timer
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from web import settings
from web.inference.forward_queue import NOTIFY_AFTER, BusyError, current_notify, turns_of
from web.language import _, in_words, ngettext, plain
from web.streamlit_patches.script_context import (
    attach_current_context,
    current_context,
    is_fragment_run,
)
from web.view_state.widget_fields import fragment

Args = ParamSpec("Args")

_REFUSAL, _REFUSAL_SHOWN = "refused", "refusal_said"
_BUSY_ICON = ":material/hourglass_disabled:"


class QueueMessage:
    """Shows the position in the queue over the page, where it moves nothing when it disappears."""

    def __init__(self, container: DeltaGenerator) -> None:
        self._container = container
        self._line: DeltaGenerator | None = None

    def __call__(self, before: int | None) -> None:
        """Show the number of computations before this one; None: the wait is over."""
        if before is None:
            self.show("")
        else:
            waiting = ngettext("{count} before you", "{count} before you", before)
            self.show(waiting.format(count=before) if before else _("You are next"))

    def show(self, text: str) -> None:
        """Show a text; an empty text removes the message."""
        if self._line is None and text:
            self._line = self._container.container(key="waiting").empty()
        if self._line is not None:
            self._line.info(text, icon=":material/hourglass_top:") if text else self._line.empty()


@contextmanager
def show_wait_message(text: str) -> Iterator[None]:
    """Show a text if the block, which draws nothing, takes longer than ``NOTIFY_AFTER`` seconds."""
    message = current_notify()
    if not isinstance(message, QueueMessage):
        yield
        return
    timer = Timer(NOTIFY_AFTER, message.show, [text])
    attach_current_context(timer)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        # In a thread of its own: drawn here, a newer rerun request would interrupt the run, and the
        # block's result would be lost.
        removal = Thread(target=message, args=[None])
        attach_current_context(removal)
        removal.start()
        removal.join()


@contextmanager
def show_queue(container: DeltaGenerator) -> Iterator[None]:
    """Show the position in the queue while the block waits, or a warning if it is refused."""
    st.session_state[_REFUSAL_SHOWN] = _show_refused_callback(container)
    try:
        with turns_of(_address(), QueueMessage(container)):
            yield
    except BusyError as error:
        with container.container():
            _show_refusal(error, "try_again")


def is_busy_shown() -> bool:
    """Whether the page shows that a callback was refused; until the next run of the whole page."""
    return bool(st.session_state.get(_REFUSAL_SHOWN))


def queue_fragment(key: str) -> Callable[[Callable[Args, None]], Callable[Args, None]]:
    """Decorator for a fragment that shows its position in the queue, or its refusal.

    Elements drawn before a refusal stay; an exception would end a whole run.
    """

    def decorate(draw: Callable[Args, None]) -> Callable[Args, None]:
        @fragment(key)
        @wraps(draw)
        def draw_or_refuse(*args: Args.args, **kwargs: Args.kwargs) -> None:
            container = st.empty()
            notify = current_notify()  # in a run of the whole page, show_queue draws the messages
            if is_fragment_run():
                _show_refused_callback(container)
                notify = QueueMessage(container)
            try:
                with turns_of(_address(), notify):
                    draw(*args, **kwargs)
            except BusyError as error:
                _show_refusal(error, f"try_{key}_again")

        return draw_or_refuse

    return decorate


def report_busy(callback: Callable[Args, None]) -> Callable[Args, None]:
    """Decorator for a callback: the run after it, of the page or a fragment, shows its refusal."""

    @wraps(callback)
    def call(*args: Args.args, **kwargs: Args.kwargs) -> None:
        try:
            with turns_of(_address()):
                callback(*args, **kwargs)
        except BusyError as error:
            st.session_state[_REFUSAL] = plain(in_words(error))

    return call


def _address() -> str:
    """The address of the visitor of this thread's run; empty outside a run."""
    return settings.network(st.context.ip_address or "") if current_context() else ""


def _show_refused_callback(container: DeltaGenerator) -> bool:
    """Show the refusal of the callback before this run; returns whether there was one."""
    refusal = st.session_state.pop(_REFUSAL, None)
    if refusal is not None:
        container.warning(refusal, icon=_BUSY_ICON)
    return refusal is not None


def _show_refusal(error: BusyError, key: str) -> None:
    st.warning(plain(in_words(error)), icon=_BUSY_ICON)
    st.button(_("Try again"), key=key)
