"""Turns at the cores of this process, or other machines; what a page says while it waits."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, wraps
from threading import Timer
from typing import ParamSpec, TypeVar, TypeVarTuple, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from inference.elsewhere import Elsewhere
from inference.work import kind_of
from model import LoadedModel
from model.catalogue.translator import LoadedTranslator
from model.passes import TELL_AFTER, BusyError, Passes, cores, teller, told
from pages.shared import settings
from pages.shared.language import _, in_words, ngettext, plain

passes = Passes(max(1, cores() // settings.now().workers), settings.now().queue)
"""Of the process, each on one thread (see warm.py). Several processes share the cores."""

Model = TypeVar("Model", bound=LoadedModel | LoadedTranslator)
Asked = ParamSpec("Asked")
About = TypeVarTuple("About")
Answer = TypeVar("Answer")


def computed(work: Callable[[Model, *About], Answer], model: Model, *about: *About) -> Answer:
    """Have a model do some work: in a turn here, or on other machines if the settings name any.

    Args:
        work: Of :mod:`inference.work`.
        model: Which one.
        *about: What the work is about.

    Raises:
        BusyError: If too many ask at once, or the other machines are away: it isn't done here then.
        HeadlightError: What the work raises.
    """
    others = _others()
    if others is not None:
        return cast(Answer, others.ask(work.__name__, model.name, *about))
    with passes.turn(kind_of(work)):
        return work(model, *about)


def idle(needed: int) -> bool:
    """Whether so much work would begin at once; of other machines it is taken for granted."""
    return _others() is not None or passes.idle(needed)


def _others() -> Elsewhere | None:
    address = settings.now().inference
    return _asking(address, os.getpid()) if address else None


@cache
def _asking(address: str, process: int) -> Elsewhere:
    """A process's own: one that becomes several shares no connection, or each reads the others'."""
    return Elsewhere(address)


_REFUSED, _SAID = "refused", "refusal_said"
_BUSY = ":material/hourglass_disabled:"


class _Teller:
    """Says how many are before this page: over it, so that nothing moves when its turn comes."""

    def __init__(self, notice: DeltaGenerator) -> None:
        self._notice = notice
        self._line: DeltaGenerator | None = None

    def __call__(self, before: int | None) -> None:
        if before is None:
            self.say("")
            return
        said = _("You are next")
        if before:
            said = ngettext("{count} before you", "{count} before you", before).format(count=before)
        self.say(said)

    def say(self, words: str) -> None:
        """Say so; nothing: no longer."""
        if self._line is None and words:
            self._line = self._notice.container(key="waiting").empty()
        if self._line is not None:
            self._line.info(words, icon=":material/hourglass_top:") if words else self._line.empty()


@contextmanager
def saying(words: str) -> Iterator[None]:
    """Say what this page waits for, if that takes longer than a moment.

    Args:
        words: Of what is done inside, which draws nothing.
    """
    tell = teller()
    if not isinstance(tell, _Teller):  # the warm-up, a helper, a test: nobody looks
        yield
        return
    timer = Timer(TELL_AFTER, tell.say, [words])
    add_script_run_ctx(timer)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        tell(None)


@contextmanager
def waiting(notice: DeltaGenerator) -> Iterator[None]:
    """Say how many are before this page, as long as it waits; and that it did so in vain.

    Args:
        notice: An empty place at the top of the page.
    """
    said = st.session_state.pop(_REFUSED, None)
    st.session_state[_SAID] = said is not None
    if said is not None:
        notice.warning(said, icon=_BUSY)
    try:
        with told(_Teller(notice)):
            yield
    except BusyError as error:
        with notice.container():
            _say(error, "try_again")


def said_refusal() -> bool:
    """Whether the page says that something was refused, until all of it is drawn again."""
    return bool(st.session_state.get(_SAID))


def part(key: str) -> Callable[[Callable[Asked, None]], Callable[Asked, None]]:
    """Make a part of a page a fragment, which says itself that it waits, or did so in vain.

    It is drawn as far as it came. Streamlit would call it an error, and in a whole run draw nothing
    of what comes after it.

    Args:
        key: Of the fragment.
    """

    def made(draw: Callable[Asked, None]) -> Callable[Asked, None]:
        @st.fragment(key=key)
        @wraps(draw)
        def drawn(*asked: Asked.args, **named: Asked.kwargs) -> None:
            notice, context = st.empty(), get_script_run_ctx()
            alone = context is not None and context.fragment_ids_this_run
            try:
                with told(_Teller(notice)) if alone else nullcontext():  # or the page tells
                    draw(*asked, **named)
            except BusyError as error:
                _say(error, f"try_{key}_again")

        return drawn

    return made


def or_refused(callback: Callable[Asked, None]) -> Callable[Asked, None]:
    """Have a callback that asks for a turn in vain end there: the page that follows says so."""

    @wraps(callback)
    def called(*asked: Asked.args, **named: Asked.kwargs) -> None:
        try:
            callback(*asked, **named)
        except BusyError as error:
            st.session_state[_REFUSED] = plain(in_words(error))

    return called


def _say(error: BusyError, key: str) -> None:
    st.warning(plain(in_words(error)), icon=_BUSY)
    st.button(_("Try again"), key=key)
