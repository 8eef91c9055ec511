"""Fields of the Layers page."""

from functools import partial

import streamlit as st

from pages.layers.quantities import QUANTITIES
from web.language import N_
from web.view_state import field
from web.view_state.field import Fields
from web.view_state.parameters import OTHER_TEXT, View

UNSAID = -1
"""Value of a lens field for which the page chooses a default."""


class Layers(Fields):
    """The part, and the choices in each."""

    part = field.part(
        N_("Part"),
        {
            "layers": N_("Through the layers"),
            "difference": N_("Compare"),
            "lens": N_("Logit lens"),
            "stream": N_("Residual stream"),
        },
    )
    text, pair = View.text, View.pair
    left, right = View.left, View.right
    layer, head = View.layer, View.head
    kind = field.box(
        N_("What a layer shows"),
        {
            "mean": N_("Mean over heads"),
            "norm": N_("Value-weighted"),
            "rollout": N_("Rollout"),
            "flow": N_("Flow"),
            "head": N_("One head"),
        },
        "",  # the part chooses
        when=part.among("layers", "difference"),
        key="layer_kind",
        hidden=True,
        width=310,
    )
    against = field.box(
        N_("Compare"),
        {
            "right": N_("Two sentences in {model}"),
            "sentence": N_("Two sentences in {model}"),  # in the left model
            "model": N_("The two models"),
        },
        when=part.among("difference"),
        hidden=True,
    )
    other = field.text(
        N_("The other sentence"),
        OTHER_TEXT,
        when=against.among("right", "sentence", where=part.among("difference")),
        hidden=True,
    )
    stream = field.box(
        N_("Measured"),
        QUANTITIES,
        "attention_share",
        when=part.among("stream"),
        hidden=True,
        width=330,
    )
    _lens = part.among("lens")
    whose = field.box(
        N_("Model"), ("left", "right"), when=_lens, key="lens_side", hidden=True, width=200
    )
    _unsaid = partial(
        field.number, default=UNSAID, between=(UNSAID, 9_999_999), when=_lens, widget=st.selectbox
    )
    depth = _unsaid(N_("After layer"), key="lens_depth", width=150)
    at = _unsaid(N_("Token"), key="lens_at", width=190)
    first = _unsaid(
        N_("First token drawn ({shown} of {count} fit)"),
        key="lens_first",
        widget=st.slider,
        width=320,
    )
    special, words = View.special, View.words
