"""Fields that several pages share: one sentence or pair, two models, a head, display of tokens."""

from collections.abc import Callable

import streamlit as st

from web.language import N_
from web.view_state.field import (  # noqa: F401
    Choice,
    Fields,
    Flag,
    Index,
    Name,
    Text,
    fold,
    read_index,
    read_indices,
    read_name,
    read_pairs,
    write_indices,
    write_pairs,
    write_text,
)

DEFAULT_TEXT = "The animal didn't cross the street because it was too tired."


class View(Fields):
    """Their keys are their names in the query string."""

    text = Text(N_("Sentence"), DEFAULT_TEXT, always=True, hidden=True)
    pair = Text(N_("Second sentence (optional)"), hidden=True)
    left = Name(N_("First model"), "scratch", always=True)
    right = Name(N_("Second model"), "minilm", always=True)
    # MiniLM's L3·H1 is the head in which "it" looks at "animal": something to see immediately.
    layer = Index(N_("Layer"), 3, letter="L", always=True)
    head = Index(N_("Head"), 1, letter="H", always=True)
    special = Choice(
        N_("Special tokens"),
        "show",
        {
            "show": N_("Show"),
            "hide": N_("Hide: rows sum to less than 1"),
            "renormalise": N_("Hide, and scale rows to sum to 1"),
        },
        widget=st.selectbox,
        width=300,
    )
    words = Flag(
        N_("Merge word pieces"),
        help=N_(
            "Attention to a word is the sum over its pieces. Attention from a word is their mean."
        ),
    )


VIEW = View.fields

read_flag, write_flag = View.words.parse, View.words.write
read_text = View.text.parse


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
