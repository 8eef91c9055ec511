"""Translation of the interface (GNU gettext; Babel extracts the messages)."""

import gettext as gnu_gettext
import threading
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Union

import streamlit as st

from web.streamlit_patches.script_context import current_run

if TYPE_CHECKING:  # model imports torch, but the first page must be drawn before that
    from model.errors import Sentence, TranslatableError

Words = TypeVar("Words")

Label = Union[str, "Sentence"]
"""A message, marked with :func:`N_`, or a sentence of the model; :func:`translated` on screen."""

LANGUAGES = {"en": "English"}
_LOCALE = Path(__file__).parents[1] / "locale"


@cache
def _catalogue(language: str) -> gnu_gettext.NullTranslations:
    # The messages are English, so English needs no catalogue.
    fallback = language == "en"
    return gnu_gettext.translation("headlight", _LOCALE, [language], fallback=fallback)


class _CurrentLanguage(threading.local):
    """Cache of the language of this thread's run: a page reads it thousands of times."""

    run: object = None
    language = "en"


_current = _CurrentLanguage()


def language() -> str:
    """The URL's ``lang`` or the browser's language if it is translated, otherwise English."""
    run = current_run()
    if run is None:  # the warm-up, or a download
        return "en"
    if _current.run is not run:
        _current.run, _current.language = run, _requested_language()
    return _current.language


def _requested_language() -> str:
    for wanted in (st.query_params.get("lang"), (st.context.locale or "").split("-")[0]):
        if wanted in LANGUAGES:
            return wanted
    return "en"


def _(message: str) -> str:
    """Translate a constant message; the caller fills its placeholders with ``format``."""
    return _catalogue(language()).gettext(message)


def N_(message: str) -> str:
    """Mark a constant message that is translated later."""
    return message


def translated(label: Label) -> str:
    """Translate a marked message or a sentence of the model; "" stays empty."""
    if isinstance(label, str):
        return _(label) if label else ""
    return in_words(label)


def ngettext(one: str, many: str, count: int) -> str:
    """Translate a message with singular and plural."""
    return _catalogue(language()).ngettext(one, many, count)


def cached_per_language(words: Callable[[], Words]) -> Callable[[], Words]:
    """Decorator that caches texts per language; callers must not change the result."""

    @cache
    def in_language(name: str) -> Words:
        return words()

    return wraps(words)(lambda: in_language(language()))


def in_words(sentence: "TranslatableError | Sentence") -> str:
    """Translate a sentence or an error of the model, and the sentences among its values."""
    values = {n: in_words(v) if hasattr(v, "message") else v for n, v in sentence.values.items()}
    return _(sentence.message).format(**values)


def plain(text: str) -> str:
    r"""Escape text for Markdown: every ASCII punctuation mark gets a backslash.

    A colon becomes an entity: Streamlit would interpret ``\:smile:`` and ``\:red[...]``.
    """
    escaped = "".join("\\" + c if c.isascii() and not c.isalnum() and c > " " else c for c in text)
    return escaped.replace("\\:", "&#58;")
