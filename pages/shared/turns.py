"""Turns at the cores of this process, and what a page says while it waits for one."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.passes import BusyError, Passes, cores, told
from pages.shared import settings
from pages.shared.language import _, in_words, ngettext, plain

passes = Passes(max(1, cores() // settings.now().workers), settings.now().queue)
"""Of the process, each on one thread (see warm.py). Several processes share the cores."""


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
            st.warning(plain(in_words(error)), icon=":material/hourglass_disabled:")
            st.button(_("Try again"), key="try_again")
