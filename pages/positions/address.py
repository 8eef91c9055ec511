"""What the Positions page's address carries."""

import math
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from model import HeadlightError
from pages.shared.address import Parameter
from pages.shared.parameters import (
    VIEW,
    one_of,
    read_indices,
    read_name,
    write_indices,
)

KINDS = ("sinusoidal", "learned", "shift", "relative", "rotary", "alibi", "shuffle")

MAX_LENGTH = 5_000
MAX_D_MODEL = 1_024
MAX_OFFSET = 5_000
MAX_BASE = 10**12


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) > 10**9:  # what is too large but a number is refused in words, on the page
        raise ValueError(text)
    return number


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _strength(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 2:
        raise ValueError(text)
    return number


def _order(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


def _in(*kinds: str) -> Callable[[], bool]:
    return lambda: st.session_state["kind"] in kinds


_SIZED = _in("sinusoidal", "shift")

PARAMETERS: dict[str, Parameter] = {
    "kind": Parameter("sinusoidal", one_of(*KINDS), always=True),
    "d_model": Parameter(128, _whole, always=True, relevant=_SIZED),
    "length": Parameter(200, _whole, always=True, relevant=_SIZED),
    "base": Parameter(10_000.0, _number, "{:g}".format, relevant=_SIZED),
    "dims": Parameter([0, 1, 20, 21, 60], read_indices, write_indices, relevant=_in("sinusoidal")),
    "wave": Parameter(4, _whole, relevant=_in("sinusoidal")),
    "position": Parameter(10, _whole, relevant=_in("shift")),
    "offset": Parameter(7, _whole, relevant=_in("shift")),
    **{name: replace(VIEW[name], relevant=_in("learned")) for name in ("left", "right")},
    "tokens": Parameter(12, _whole, relevant=_in("relative", "alibi"), key="n_tokens"),
    "d_head": Parameter(16, _whole, relevant=_in("rotary")),
    "query_at": Parameter(5, _whole, relevant=_in("rotary")),
    "key_at": Parameter(12, _whole, relevant=_in("rotary")),
    "seed": Parameter(0, _whole, relevant=_in("rotary"), key="rotary_seed"),
    "heads": Parameter(8, _whole, relevant=_in("alibi"), key="n_heads"),
    "of": Parameter(0, _whole, relevant=_in("alibi"), key="alibi_head"),
    "text": replace(VIEW["text"], relevant=_in("shuffle")),
    "model": Parameter("scratch-minilm", read_name, relevant=_in("shuffle"), key="blind"),
    "layer": replace(VIEW["layer"], relevant=_in("shuffle")),
    "head": replace(VIEW["head"], relevant=_in("shuffle")),
    "order": Parameter([], _order, write_indices, relevant=_in("shuffle")),
    "strength": Parameter(0.0, _strength, "{:g}".format, relevant=_in("shuffle")),
}
"""The kind comes first: it decides which of the others matter."""


def check_sizes(length: int, d_model: int, base: float) -> None:
    """Refuse sinusoids beyond what the page draws; a base below 1 would turn faster than it counts.

    Raises:
        HeadlightError: If one of the three is out of bounds.
    """
    within("length", length, 1, MAX_LENGTH)
    within("d_model", d_model, 2, MAX_D_MODEL)
    within("base", base, 1, MAX_BASE)


def within(name: str, value: float, low: float, high: float) -> None:
    """Refuse a size beyond what the page draws.

    Raises:
        HeadlightError: If it is not between the two, both included.
    """
    if not low <= value <= high:
        raise HeadlightError(
            "{name} goes from {low:,} to {high:,} here, and {value:,} is not among them.",
            name=name,
            low=low,
            high=high,
            value=value,
        )
