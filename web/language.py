"""Translation of the interface (GNU gettext; Babel extracts the messages)."""

import gettext as gnu_gettext
import re
import threading
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar, Union

import streamlit as st

from web.settings import LOCALE
from web.streamlit_patches.script_context import current_run

if TYPE_CHECKING:  # model imports torch, but the first page must be drawn before that
    from model.errors import Sentence, TranslatableError

Words = TypeVar("Words")

Label = Union[str, "Sentence"]
"""A message, marked with :func:`N_`, or a sentence of the model; :func:`translated` on screen."""

COOKIE = "headlight_language"
"""Cookie of the language that a visitor has chosen in the header."""


@cache
def catalogue(language: str) -> gnu_gettext.NullTranslations:
    """Return the translations into a language."""
    # The messages are English, so English needs no catalogue.
    fallback = language == "en"
    return gnu_gettext.translation("headlight", LOCALE, [language], fallback=fallback)


@cache
def languages() -> dict[str, str]:
    """Return each language's own name: English, and the folders with a translation."""
    # The name is the translation of the word "English".
    translated = sorted(file.parts[-3] for file in LOCALE.glob("*/LC_MESSAGES/headlight.mo"))
    return {code: catalogue(code).gettext(N_("English")) for code in ("en", *translated)}


_current = threading.local()
"""Cache of the language of this thread's run: a page reads it thousands of times."""
_outside: ContextVar[str] = ContextVar("language outside a run", default="en")


def language() -> str:
    """The language of the run: the URL's ``lang``, the chosen one, the browser's, or English."""
    run = current_run()
    if run is None:  # the warm-up, a download, a request of a room
        return _outside.get()
    if getattr(_current, "run", None) is not run:
        _current.run, _current.language = run, _requested_language()
    return str(_current.language)


def _requested_language() -> str:
    if named := st.query_params.get("lang"):
        st.session_state["lang"] = named
    chosen = st.context.cookies.get(COOKIE)
    return first_known(st.session_state.get("lang"), chosen, st.context.locale)


def first_known(*wanted: str | None) -> str:
    """Return the first of several languages (``zh``, ``zh-CN``) that is translated, or English."""
    codes = (each.split("-")[0] for each in wanted if each)
    return next((code for code in codes if code in languages()), "en")


use_outside = _outside.set
"""Sets the language of this thread or task outside a run."""


def later(make: Callable[[], Words]) -> Callable[[], Words]:
    """Return a function that makes texts after the run, in the language of the run."""
    spoken = language()

    def made() -> Words:
        use_outside(spoken)
        return make()

    return made


def _(message: str) -> str:
    """Translate a constant message; the caller fills its placeholders with ``format``."""
    return catalogue(language()).gettext(message)


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
    return catalogue(language()).ngettext(one, many, count)


def cached_per_language(words: Callable[[], Words]) -> Callable[[], Words]:
    """Decorator that caches texts per language; callers must not change the result."""

    @cache
    def in_language(name: str) -> Words:
        return words()

    return wraps(words)(lambda: in_language(language()))


def in_words(sentence: "TranslatableError | Sentence") -> str:
    """Translate a sentence or an error of the model, and the sentences among its values."""
    return _(sentence.message).format(**{n: _value(v) for n, v in sentence.values.items()})


def _value(value: Any) -> Any:
    if hasattr(value, "message"):
        return in_words(value)
    return listed(value) if isinstance(value, tuple) else value


def listed(items: Iterable[str]) -> str:
    """Join items; Chinese has a comma of its own between them."""
    return _(", ").join(items)


def sentences(*texts: str) -> str:
    """Join sentences; no space follows a Chinese mark, which bold type does not include."""
    joined = " ".join(filter(None, texts)).replace("。** ", "**。")
    return re.sub(r"(?<=[。：；）]) ", "", joined)


def plain(text: str) -> str:
    r"""Escape text for Markdown: every ASCII punctuation mark gets a backslash.

    A colon becomes an entity: Streamlit would interpret ``\:smile:`` and ``\:red[...]``.
    """
    escaped = "".join("\\" + c if c.isascii() and not c.isalnum() and c > " " else c for c in text)
    return escaped.replace("\\:", "&#58;")


def unmarked(markdown: str) -> str:
    """Return a sentence without its bold marks and the escapes of :func:`plain`."""
    return re.sub(
        r"\\(.)|\*\*|(&#58;)",
        lambda mark: ":" if mark[2] else mark[1] or "",
        markdown,
    )
