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
    """The part, and the numbers of each."""

    kind = field.part(
        N_("Part"),
        {
            "sinusoidal": N_("Sinusoids"),
            "shuffle": N_("Without positions"),
            "schemes": N_("Other schemes"),
        },
        aliases=dict.fromkeys(("learned", "relative", "rotary", "alibi"), "schemes"),
    )
    _waves, _shuffle = kind.among("sinusoidal"), kind.among("shuffle")
    d_model = field.number(
        "d_model",
        128,
        (2, 1_024),
        step=2,
        always=True,
        when=_waves,
        width=104,
        help=N_("Numbers in a row: the width of the model's vectors."),
    )
    length = field.number(
        N_("Length"), 200, (1, 5_000), step=50, always=True, when=_waves, width=104
    )
    base = field.number(
        N_("Base"),
        10_000.0,
        (1.0, 1e12),
        step=1000.0,
        when=_waves,
        width=104,
        help=N_("A larger base makes the slow waves slower."),
    )
    dims = field.indices(
        N_("Columns drawn as curves"), [20, 21, 40], when=_waves, widget=st.multiselect
    )
    wave = field.number(
        N_("Pair of columns"),
        10,
        when=_waves,
        help=N_("A sine and the cosine beside it. Pair 0 is the fastest."),
    )
    text = replace(View.text, when=_shuffle)
    model = field.name(N_("Our encoder"), "scratch-minilm", when=_shuffle, key="blind", width=190)
    layer = replace(View.layer, when=_shuffle)
    head = replace(View.head, when=_shuffle)
    order = Field[list[int]]("", [], _order, write_indices, when=_shuffle)
    strength = field.slider(
        N_("Strength of positions"),
        0.0,
        (0.0, 2.0),
        step=0.05,
        when=_shuffle,
        width=230,
        help=N_("0 turns positions off, 1 changes nothing, 2 doubles them."),
    )
