"""URL parameters of the Layers page."""

from dataclasses import replace
from functools import partial

import streamlit as st

from model.analysis.measures import MEASURES
from web.view_state.address import Parameter, holds
from web.view_state.parameters import (
    VIEW,
    one_of,
    read_flag,
    read_text,
    whole_between,
    write_flag,
    write_text,
)

PARTS = ("layers", "profile", "similarity", "difference", "stream", "lens")
KINDS = ("mean", "norm", "head", "rollout", "flow")
MEASURE_KEYS = tuple(measure.key for measure in MEASURES)
QUANTITIES = {
    "entering": "layer_input",
    "attention_share": "attention_share",
    "attended": "attention_sum",
    "feed_forward_share": "feed_forward_share",
    "fed": "feed_forward_sum",
    "leaving": "layer_output",
}
"""Attributes of :class:`model.capture.residual_stream.ResidualStream` by their names in a link."""

AGAINST = ("sentence", "model")
UNSAID = -1
"""Value of a lens parameter for which the page chooses a default."""

OTHER_TEXT = "The animal didn't cross the street because it was too wide."


def _of_sentences() -> bool:
    return st.session_state["part"] == "difference" and st.session_state["against"] == "sentence"


_shows = partial(holds, "part")

PARAMETERS: dict[str, Parameter] = {
    "part": Parameter("layers", one_of(*PARTS), always=True),
    **{name: VIEW[name] for name in ("text", "pair", "left", "right", "layer", "head")},
    "kind": Parameter(
        "mean", one_of(*KINDS), relevant=_shows("layers", "difference"), key="layer_kind"
    ),
    "measure": Parameter("entropy", one_of(*MEASURE_KEYS), relevant=_shows("profile")),
    "published": Parameter(False, read_flag, write_flag, relevant=_shows("profile")),
    "against": Parameter("sentence", one_of(*AGAINST), relevant=_shows("difference")),
    "other": Parameter(OTHER_TEXT, read_text, write_text, relevant=_of_sentences),
    "stream": Parameter("entering", one_of(*QUANTITIES), relevant=_shows("stream")),
    "whose": Parameter("left", one_of("left", "right"), relevant=_shows("lens"), key="lens_side"),
    **{
        name: Parameter(
            UNSAID, whole_between(UNSAID, 9_999_999), relevant=_shows("lens"), key=f"lens_{name}"
        )
        for name in ("depth", "at", "token", "first")
    },
    **{name: replace(VIEW[name]) for name in ("special", "words")},
}
"""``part`` comes first: it decides which other parameters are relevant."""
