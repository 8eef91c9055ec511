"""Fields of the Positions page."""

from dataclasses import replace

import streamlit as st

from web.language import N_
from web.view_state import field
from web.view_state.field import Field, Fields, write_indices
from web.view_state.parameters import View


def _order(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


class Positions(Fields):
    """The kind of position, and the numbers of each; where they have no limits, the page has."""

    kind = field.part(
        N_("Kind of position"),
        {
            "sinusoidal": N_("Sinusoids"),
            "learned": N_("Learned tables"),
            "shift": N_("Shift by k"),
            "relative": N_("Relative"),
            "rotary": N_("Rotary"),
            "alibi": N_("ALiBi"),
            "shuffle": N_("Shuffle test"),
        },
    )
    _sized = kind.among("sinusoidal", "shift")
    d_model = field.number("d_model", 128, step=2, always=True, when=_sized)
    length = field.number(N_("Length (positions)"), 200, step=50, always=True, when=_sized)
    base = field.number(N_("Base"), 10_000.0, step=1000.0, when=_sized)

    _waves = kind.among("sinusoidal")
    dims = field.indices(
        N_("Dimensions drawn as curves"), [0, 1, 20, 21, 60], when=_waves, widget=st.multiselect
    )
    wave = field.number(
        N_("Pair of dimensions"),
        4,
        when=_waves,
        help=N_("Pair i holds dimensions 2i (sine) and 2i + 1 (cosine)."),
    )

    position = field.number(N_("Position pos"), 10, when=kind.among("shift"))
    offset = field.number(N_("Shift by k"), 7, when=kind.among("shift"))
    left = replace(View.left, when=kind.among("learned"))
    right = replace(View.right, when=kind.among("learned"))
    tokens = field.number(N_("Tokens"), 12, when=kind.among("relative", "alibi"), key="n_tokens")

    _rotary = kind.among("rotary")
    d_head = field.number("d_head", 16, step=2, when=_rotary)
    query_at = field.number(N_("Query at position m"), 5, when=_rotary)
    key_at = field.number(N_("Key at position n"), 12, when=_rotary)
    both = field.slider(N_("Move both by s"), 10, (0, 64), when=_rotary, key="both_by", width=260)
    pair = field.number(
        N_("Pair of dimensions"),
        1,
        when=_rotary,
        key="rotary_pair",
        help=N_("Pair i is dimensions 2i and 2i + 1. Pair 0 turns fastest."),
    )
    seed = field.number(N_("Seed of q and k"), 0, when=_rotary, key="rotary_seed")

    heads = field.number(N_("Heads n"), 8, when=kind.among("alibi"), key="n_heads")
    of = field.number(
        N_("Head shown"),
        0,
        when=kind.among("alibi"),
        key="alibi_head",
        help=N_("Heads count from 0: head 0 has h = 1."),
    )

    _shuffle = kind.among("shuffle")
    text = replace(View.text, when=_shuffle, hidden=False)
    model = field.name(N_("Our encoder"), "scratch-minilm", when=_shuffle, key="blind", width=220)
    layer = replace(View.layer, when=_shuffle)
    head = replace(View.head, when=_shuffle)
    order = Field[list[int]]("", [], _order, write_indices, when=_shuffle)
    strength = field.slider(
        N_("Strength of positions"),
        0.0,
        (0.0, 2.0),
        step=0.05,
        when=_shuffle,
        width=300,
        help=N_("0 turns positions off, 1 changes nothing, 2 doubles them."),
    )
