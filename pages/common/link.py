"""The page's address carries its view: parse it, restore it, keep it up to date.

The session state is the one place where the view lives; the address is written from it on every
run, and read into it when it says something else than what was last written (a first visit, a
reload, Back, or an edited address).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, unquote_plus

import streamlit as st

from pages.common.i18n import _, plain

MAX_TEXT = 6_000
"""Bytes of a sentence in the address, quoted: more than any model takes, and with two of them less
than the 16 kB that the server refuses."""

DEFAULT_TEXT = "The animal didn't cross the street because it was too tired."


@dataclass(frozen=True)
class Parameter:
    """A part of the view: its default, and how it is read from and written to the address."""

    default: Any
    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str
    always: bool = False  # in the address even at its default


def _index(text: str) -> int:
    number = int(text)
    if not 0 <= number < 10_000:
        raise ValueError(text)
    return number


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return parse


def _flag(text: str) -> bool:
    return {"1": True, "0": False}[text]


def _indices(text: str) -> list[int]:
    return sorted({_index(part) for part in text.split(".")})


def _heads(text: str) -> list[tuple[int, int]]:
    pairs = (part.split("-") for part in text.split("."))
    return [(_index(layer), _index(head)) for layer, head in pairs]


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def _write_text(value: str) -> str:
    quoted = quote_plus(value[:MAX_TEXT], errors="replace")[:MAX_TEXT]
    whole = re.sub("%.?$", "", quoted)  # the cut may go through an escape, and through a character
    return unquote_plus(whole, errors="ignore")


def _write_flag(value: bool) -> str:
    return str(int(value))


def _write_indices(value: Iterable[int]) -> str:
    return ".".join(map(str, value))


def _write_heads(value: Iterable[tuple[int, int]]) -> str:
    return ".".join(f"{layer}-{head}" for layer, head in value)


PARAMETERS: dict[str, Parameter] = {
    "text": Parameter(DEFAULT_TEXT, str, _write_text, always=True),
    "pair": Parameter("", str, _write_text),
    "left": Parameter("scratch", _name, always=True),
    "right": Parameter("minilm", _name, always=True),
    # MiniLM's L3·H1 is the head in which "it" looks at "animal": something to see at once.
    "layer": Parameter(3, _index, always=True),
    "head": Parameter(1, _index, always=True),
    "linked": Parameter(True, _flag, _write_flag),
    "right_layer": Parameter(3, _index),
    "right_head": Parameter(1, _index),
    "view": Parameter("heatmap", _one_of("heatmap", "lines")),
    "scale": Parameter("linear", _one_of("linear", "sqrt")),
    "range": Parameter("unit", _one_of("unit", "data")),
    "special": Parameter("show", _one_of("show", "hide", "renormalise")),
    "words": Parameter(False, _flag, _write_flag),
    "picked": Parameter([], _indices, _write_indices),
    "overlaid": Parameter([], _heads, _write_heads),
}


def restore() -> list[str]:
    """Bring the session state in line with the address.

    The address is read on a first visit, and when the browser has moved through its history.
    Whenever a widget has changed, the session state is ahead of the address and stands: the
    browser may even send an older address than was last written.

    Returns:
        A notice for every value that the address has and the product does not know; the default
        stands in its place.
    """
    for name, parameter in PARAMETERS.items():
        st.session_state.setdefault(name, parameter.default)
    address = {k: v for k, v in st.query_params.to_dict().items() if k in PARAMETERS}
    written = st.session_state.get("address")
    # The view that was last restored or written: a visitor may type before the first run ends.
    known = st.session_state.get("address_known")
    ahead = known is not None and _address() != known
    if not address or address == written or ahead:
        return []
    notices = []
    for name, parameter in PARAMETERS.items():
        value = parameter.default
        if name in address:
            try:
                value = parameter.parse(address[name])
            except (ValueError, KeyError):
                notices.append(
                    _("The link's {name} = {value} is not known here; {default} is shown.").format(
                        name=name,
                        value=plain(address[name][:80]),
                        default=plain(parameter.write(value)),
                    )
                )
        st.session_state[name] = value
    st.session_state["address_known"] = _address()
    # Writing the address adds a step to the browser's history: not after a step through it.
    if written is not None or address == _address():
        st.session_state["address"] = _address()
    return notices


def keep() -> None:
    """Write the view into the address."""
    address = st.session_state["address_known"] = _address()
    if address != st.session_state.get("address"):
        other = {k: v for k, v in st.query_params.to_dict().items() if k not in PARAMETERS}
        st.session_state["address"] = address
        st.query_params.from_dict({**other, **address})


def _address() -> dict[str, str]:
    """The view in the session state, as the address says it."""
    return {
        name: parameter.write(st.session_state[name])
        for name, parameter in PARAMETERS.items()
        if parameter.always or st.session_state[name] != parameter.default
    }
