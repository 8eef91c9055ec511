"""The parts of a view that an address carries: how each is read and written, and its default."""

import re
from collections.abc import Callable, Iterable
from urllib.parse import quote_plus, unquote_plus

import streamlit as st

from web.view_state.address import Parameter

MAX_TEXT = 6_000
"""Bytes of a sentence in the address, quoted: more than any model takes, and with two of them less
than the 16 kB that the server refuses."""

DEFAULT_TEXT = "The animal didn't cross the street because it was too tired."


def read_index(text: str) -> int:
    """Read a count or a place from 0."""
    number = int(text)
    if not 0 <= number < 10_000:
        raise ValueError(text)
    return number


def between(low: float, high: float) -> Callable[[str], float]:
    """Make a reader of numbers from ``low`` to ``high``."""

    def parse(text: str) -> float:
        number = float(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return parse


def whole_between(low: int, high: int) -> Callable[[str], int]:
    """Make a reader of whole numbers from ``low`` to ``high``."""

    def parse(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return parse


def one_of(*choices: str) -> Callable[[str], str]:
    """Make a reader that knows these words and no other."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return parse


def several_of(*choices: str) -> Callable[[str], list[str]]:
    """Make a reader of any number of these words, ``next.broad``."""

    def parse(text: str) -> list[str]:
        words = text.split(".") if text else []
        if not set(words) <= set(choices):
            raise ValueError(text)
        return [choice for choice in choices if choice in words]

    return parse


def read_flag(text: str) -> bool:
    """Read 1 or 0."""
    return {"1": True, "0": False}[text]


def read_indices(text: str) -> list[int]:
    """Read places, ``2.5``."""
    return sorted({read_index(part) for part in text.split(".")})


def read_pairs(text: str) -> list[tuple[int, int]]:
    """Read pairs, ``3-1.5-11``."""
    pairs = (part.split("-") for part in text.split("."))
    return [(read_index(layer), read_index(head)) for layer, head in pairs]


def read_name(text: str) -> str:
    """Read a word that is not blank."""
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def read_text(text: str) -> str:
    """Read a text as its box holds it, in one line: a line break becomes a space."""
    return re.sub(r"\r\n|[\r\n]", " ", text)


def write_text(value: str) -> str:
    """Write a sentence, cut at :data:`MAX_TEXT`."""
    quoted = quote_plus(value[:MAX_TEXT], errors="replace")[:MAX_TEXT]
    whole = re.sub("%.?$", "", quoted)  # the cut may go through an escape, and through a character
    return unquote_plus(whole, errors="ignore")


def write_flag(value: bool) -> str:
    """Write 1 or 0."""
    return str(int(value))


def write_indices(value: Iterable[int]) -> str:
    """Write places, ``2.5``."""
    return ".".join(map(str, value))


def write_pairs(value: Iterable[tuple[int, int]]) -> str:
    """Write pairs, ``3-1.5-11``."""
    return ".".join(f"{layer}-{head}" for layer, head in value)


def fold(key: str, begins_open: Callable[[], bool | None]) -> Parameter:
    """What folds: the address says whether it is open where it would begin otherwise."""

    def otherwise() -> bool:
        begins = begins_open()
        return begins is not None and st.session_state[key] != begins

    return Parameter(None, read_flag, _write_fold, relevant=otherwise, key=key)


def _write_fold(value: bool | None) -> str:
    return "" if value is None else write_flag(value)


VIEW: dict[str, Parameter] = {
    "text": Parameter(DEFAULT_TEXT, read_text, write_text, always=True),
    "pair": Parameter("", read_text, write_text),
    "left": Parameter("scratch", read_name, always=True),
    "right": Parameter("minilm", read_name, always=True),
    # MiniLM's L3·H1 is the head in which "it" looks at "animal": something to see immediately.
    "layer": Parameter(3, read_index, always=True),
    "head": Parameter(1, read_index, always=True),
    "special": Parameter("show", one_of("show", "hide", "renormalise")),
    "words": Parameter(False, read_flag, write_flag),
}
"""What several pages carry: one sentence or pair, two models, a head, how tokens are shown."""
