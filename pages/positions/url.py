"""Fields of the Positions page."""

from dataclasses import replace

import streamlit as st

from web.language import N_
from web.view_state.field import Choice, Coded, Fields, Indices, Name, Number, write_indices
from web.view_state.parameters import View


def _order(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


class Positions(Fields):
    """The kind of position, and the numbers of each; where they have no limits, the page has."""

    kind = Choice(
        N_("Kind of position"),
        "sinusoidal",
        {
            "sinusoidal": N_("Sinusoids"),
            "learned": N_("Learned tables"),
            "shift": N_("Shift by k"),
            "relative": N_("Relative"),
            "rotary": N_("Rotary"),
            "alibi": N_("ALiBi"),
            "shuffle": N_("Shuffle test"),
        },
        always=True,
        hidden=True,
    )
    _sized = kind.among("sinusoidal", "shift")
    d_model = Number("d_model", 128, step=2, always=True, relevant=_sized)
    length = Number(N_("Length (positions)"), 200, step=50, always=True, relevant=_sized)
    base = Number(N_("Base"), 10_000.0, step=1000.0, relevant=_sized)

    _waves = kind.among("sinusoidal")
    dims = Indices(
        N_("Dimensions drawn as curves"),
        *(0, 1, 20, 21, 60),
        relevant=_waves,
        widget=st.multiselect,
    )
    wave = Number(
        N_("Pair of dimensions"),
        4,
        relevant=_waves,
        help=N_("Pair i holds dimensions 2i (sine) and 2i + 1 (cosine)."),
    )

    position = Number(N_("Position pos"), 10, relevant=kind.among("shift"))
    offset = Number(N_("Shift by k"), 7, relevant=kind.among("shift"))
    left = replace(View.left, relevant=kind.among("learned"))
    right = replace(View.right, relevant=kind.among("learned"))
    tokens = Number(N_("Tokens"), 12, relevant=kind.among("relative", "alibi"), key="n_tokens")

    _rotary = kind.among("rotary")
    d_head = Number("d_head", 16, step=2, relevant=_rotary)
    query_at = Number(N_("Query at position m"), 5, relevant=_rotary)
    key_at = Number(N_("Key at position n"), 12, relevant=_rotary)
    both = Number(
        N_("Move both by s"),
        *(10, 0, 64),
        relevant=_rotary,
        key="both_by",
        widget=st.slider,
        width=260,
    )
    pair = Number(
        N_("Pair of dimensions"),
        1,
        relevant=_rotary,
        key="rotary_pair",
        help=N_("Pair i is dimensions 2i and 2i + 1. Pair 0 turns fastest."),
    )
    seed = Number(N_("Seed of q and k"), 0, relevant=_rotary, key="rotary_seed")

    heads = Number(N_("Heads n"), 8, relevant=kind.among("alibi"), key="n_heads")
    of = Number(
        N_("Head shown"),
        0,
        relevant=kind.among("alibi"),
        key="alibi_head",
        help=N_("Heads count from 0: head 0 has h = 1."),
    )

    _shuffle = kind.among("shuffle")
    text = replace(View.text, relevant=_shuffle, hidden=False)
    model = Name(N_("Our encoder"), "scratch-minilm", relevant=_shuffle, key="blind", width=220)
    layer = replace(View.layer, relevant=_shuffle)
    head = replace(View.head, relevant=_shuffle)
    order = Coded[list[int]]("", [], _order, write_indices, relevant=_shuffle)
    strength = Number(
        N_("Strength of positions"),
        *(0.0, 0.0, 2.0),
        step=0.05,
        relevant=_shuffle,
        widget=st.slider,
        width=300,
        help=N_("0 turns positions off, 1 changes nothing, 2 doubles them."),
    )
