"""Every word of the interface goes through here (GNU gettext; Babel extracts the messages)."""

import gettext as gnu_gettext
import threading
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

if TYPE_CHECKING:  # the model room is heavy, and the first page of a fresh server needs words now
    from model.errors import SaidError, Sentence

Words = TypeVar("Words")

LANGUAGES = {"en": "English"}
_LOCALE = Path(__file__).parents[2] / "locale"


@cache
def _catalogue(language: str) -> gnu_gettext.NullTranslations:
    # English is the language of the messages themselves: it needs no catalogue.
    fallback = language == "en"
    return gnu_gettext.translation("headlight", _LOCALE, [language], fallback=fallback)


class _Settled(threading.local):
    """The language of the run that this thread is in: a page asks for it thousands of times."""

    run: object = None
    language = "en"


_settled = _Settled()


def language() -> str:
    """The link's ``lang``, or the browser's language, if the product speaks it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:  # no visitor: the warm-up, a download
        return "en"
    if _settled.run is not context.cursors:  # Streamlit begins each run with new ones
        _settled.run, _settled.language = context.cursors, _asked_for()
    return _settled.language


def _asked_for() -> str:
    for wanted in (st.query_params.get("lang"), (st.context.locale or "").split("-")[0]):
        if wanted in LANGUAGES:
            return wanted
    return "en"


def _(message: str) -> str:
    """Translate a constant message; fill its named placeholders afterwards with format."""
    return _catalogue(language()).gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """Translate a message that depends on a count."""
    return _catalogue(language()).ngettext(one, many, count)


def said_once(words: Callable[[], Words]) -> Callable[[], Words]:
    """Keep what a function says in each language: many words that a page asks for on every run.

    Args:
        words: Asks for nothing but the language. Nobody may change its answer.
    """

    @cache
    def of(spoken: str) -> Words:
        return words()

    return wraps(words)(lambda: of(language()))


def in_words(said: "SaidError | Sentence") -> str:
    """Say what the model room found or refused in the reader's language."""
    return _(said.message).format(**said.values)


def plain(text: str) -> str:
    r"""Make Markdown print text as it stands: every ASCII punctuation mark is escaped.

    A colon becomes an entity, or Streamlit would still read ``:smile:`` and ``:red[...]``.
    """
    escaped = "".join("\\" + c if c.isascii() and not c.isalnum() and c > " " else c for c in text)
    return escaped.replace("\\:", "&#58;")
