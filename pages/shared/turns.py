"""Turns at the cores of this process, or other machines; what a page says while it waits."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeVar, TypeVarTuple, cast

from streamlit.delta_generator import DeltaGenerator

from inference.elsewhere import Elsewhere
from inference.work import kind_of
from model import LoadedModel
from model.catalogue.translator import LoadedTranslator
from model.passes import BusyError, Passes, cores, told
from pages.shared import settings
from pages.shared.fragments import say_busy
from pages.shared.language import _, ngettext

passes = Passes(max(1, cores() // settings.now().workers), settings.now().queue)
"""Of the process, each on one thread (see warm.py). Several processes share the cores."""

Model = TypeVar("Model", bound=LoadedModel | LoadedTranslator)
Asked = TypeVarTuple("Asked")
Answer = TypeVar("Answer")


def computed(work: Callable[[Model, *Asked], Answer], model: Model, *asked: *Asked) -> Answer:
    """Have a model do some work: in a turn here, or on other machines if the settings name any.

    Args:
        work: Of :mod:`inference.work`.
        model: Which one.
        *asked: What the work is about.

    Raises:
        BusyError: If too many ask at once, or the other machines are away: it isn't done here then.
        HeadlightError: What the work raises.
    """
    others = _others()
    if others is not None:
        return cast(Answer, others.ask(work.__name__, model.name, *asked))
    with passes.turn(kind_of(work)):
        return work(model, *asked)


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


class _Teller:
    """Says how many are before this page: over it, so that nothing moves when its turn comes."""

    def __init__(self, notice: DeltaGenerator) -> None:
        self._notice = notice
        self._line: DeltaGenerator | None = None

    def __call__(self, before: int | None) -> None:
        if self._line is None:
            self._line = self._notice.container(key="waiting").empty()
        if before is None:
            self._line.empty()
            return
        said = _("You are next")
        if before:
            said = ngettext("{count} before you", "{count} before you", before).format(count=before)
        self._line.info(said, icon=":material/hourglass_top:")


@contextmanager
def waiting(notice: DeltaGenerator) -> Iterator[None]:
    """Say how many are before this page, as long as it waits; and that it did so in vain.

    Args:
        notice: An empty place at the top of the page.
    """
    try:
        with told(_Teller(notice)):
            yield
    except BusyError as error:
        with notice.container():
            say_busy(error, "try_again")
