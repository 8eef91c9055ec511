"""Fields of the Layers page."""

from functools import partial

import streamlit as st

from model.analysis.measures import MEASURES
from pages.layers.quantities import QUANTITIES
from web.language import N_
from web.view_state import field
from web.view_state.field import Fields
from web.view_state.parameters import View

UNSAID = -1
"""Value of a lens field for which the page chooses a default."""

OTHER_TEXT = "The animal didn't cross the street because it was too wide."


class Layers(Fields):
    """The part, and the choices in each."""

    part = field.part(
        N_("Part"),
        {
            "layers": N_("Layer by layer"),
            "profile": N_("Profile"),
            "similarity": N_("Similar heads"),
            "difference": N_("Difference"),
            "stream": N_("Residual stream"),
            "lens": N_("Logit lens"),
        },
    )
    text, pair = View.text, View.pair
    left, right = View.left, View.right
    layer, head = View.layer, View.head
    kind = field.choice(
        N_("What a layer shows"),
        {
            "mean": N_("Mean over heads"),
            "norm": N_("Value-weighted"),
            "head": N_("One head"),
            "rollout": N_("Rollout"),
            "flow": N_("Flow"),
        },
        when=part.among("layers", "difference"),
        key="layer_kind",
    )
    measure = field.box(
        N_("Measure"),
        [measure.key for measure in MEASURES],
        "entropy",
        when=part.among("profile"),
        width=260,
    )
    published = field.flag(
        N_("Published curve of BERT-base"),
        when=part.among("profile"),
        help=N_(
            "Read from the figures of Clark et al. 2019: 1,000 passages of "
            "Wikipedia, 12 layers. Only for entropy, [CLS], [SEP] and punctuation."
        ),
    )
    against = field.choice(
        N_("Compare"),
        {"sentence": N_("Two sentences in {model}"), "model": N_("The two models")},
        when=part.among("difference"),
    )
    other = field.text(
        N_("The other sentence"),
        OTHER_TEXT,
        when=against.among("sentence", where=part.among("difference")),
        width=520,
    )
    stream = field.box(N_("Measured"), QUANTITIES, "entering", when=part.among("stream"))
    _lens = part.among("lens")
    whose = field.choice(N_("Model"), ("left", "right"), when=_lens, key="lens_side")
    _unsaid = partial(
        field.number, default=UNSAID, between=(UNSAID, 9_999_999), when=_lens, widget=st.selectbox
    )
    depth = _unsaid(N_("After layer"), key="lens_depth", width=150)
    at = _unsaid(N_("Token"), key="lens_at", width=190)
    token = _unsaid(N_("Parts of the logit of"), key="lens_token", width=260)
    first = _unsaid(
        N_("First token drawn ({shown} of {count} fit)"),
        key="lens_first",
        widget=st.slider,
        width=320,
    )
    special, words = View.special, View.words
