"""URL parameters of the Positions page."""

import math
from dataclasses import replace
from functools import partial

from web.view_state.address import Parameter, holds
from web.view_state.parameters import (
    VIEW,
    one_of,
    read_indices,
    read_name,
    whole_between,
    write_indices,
)

MAX_SHIFT = 64
"""Largest move of the query and the key together."""

KINDS = ("sinusoidal", "learned", "shift", "relative", "rotary", "alibi", "shuffle")


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) > 10**9:  # smaller numbers beyond the limits get an error message on the page
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


_shows = partial(holds, "kind")
_SIZED = _shows("sinusoidal", "shift")

PARAMETERS: dict[str, Parameter] = {
    "kind": Parameter("sinusoidal", one_of(*KINDS), always=True),
    "d_model": Parameter(128, _whole, always=True, relevant=_SIZED),
    "length": Parameter(200, _whole, always=True, relevant=_SIZED),
    "base": Parameter(10_000.0, _number, "{:g}".format, relevant=_SIZED),
    "dims": Parameter(
        [0, 1, 20, 21, 60], read_indices, write_indices, relevant=_shows("sinusoidal")
    ),
    "wave": Parameter(4, _whole, relevant=_shows("sinusoidal")),
    "position": Parameter(10, _whole, relevant=_shows("shift")),
    "offset": Parameter(7, _whole, relevant=_shows("shift")),
    **{name: replace(VIEW[name], relevant=_shows("learned")) for name in ("left", "right")},
    "tokens": Parameter(12, _whole, relevant=_shows("relative", "alibi"), key="n_tokens"),
    "d_head": Parameter(16, _whole, relevant=_shows("rotary")),
    "query_at": Parameter(5, _whole, relevant=_shows("rotary")),
    "key_at": Parameter(12, _whole, relevant=_shows("rotary")),
    "both": Parameter(10, whole_between(0, MAX_SHIFT), relevant=_shows("rotary"), key="both_by"),
    "pair": Parameter(1, _whole, relevant=_shows("rotary"), key="rotary_pair"),
    "seed": Parameter(0, _whole, relevant=_shows("rotary"), key="rotary_seed"),
    "heads": Parameter(8, _whole, relevant=_shows("alibi"), key="n_heads"),
    "of": Parameter(0, _whole, relevant=_shows("alibi"), key="alibi_head"),
    "text": replace(VIEW["text"], relevant=_shows("shuffle")),
    "model": Parameter("scratch-minilm", read_name, relevant=_shows("shuffle"), key="blind"),
    "layer": replace(VIEW["layer"], relevant=_shows("shuffle")),
    "head": replace(VIEW["head"], relevant=_shows("shuffle")),
    "order": Parameter([], _order, write_indices, relevant=_shows("shuffle")),
    "strength": Parameter(0.0, _strength, "{:g}".format, relevant=_shows("shuffle")),
}
"""``kind`` comes first: it decides which other parameters are relevant."""
