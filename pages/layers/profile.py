"""One number for every layer: how wide, how far, and on what it attends."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from pages.layers.address import MEASURES, PARAMETERS
from pages.layers.notebook import profile_lines
from pages.layers.published import PUBLISHED
from pages.shared import address, cache
from pages.shared.charts import chart
from pages.shared.language import _
from pages.shared.recipe import Recipe, Shown
from pages.shared.source import show_source
from pages.shared.tables import cells
from pages.shared.take_away import stem, take_away
from viz import Side
from viz.figures.depth import profile_figure

Profile = dict[str, np.ndarray]
"""Each measure of every head, (L, H)."""


def names() -> dict[str, tuple[str, str]]:
    """Each measure's name and unit, in the reader's language."""
    share = _("share of attention")
    return {
        "entropy": (_("Mean entropy"), _("nats")),
        "distance": (_("Mean distance"), _("tokens")),
        "cls": (_("On [CLS]"), share),
        "sep": (_("On [SEP]"), share),
        "punctuation": (_("On punctuation"), share),
        "self": (_("On itself"), share),
        "previous": (_("On the previous token"), share),
        "next": (_("On the next token"), share),
    }


@st.fragment(key="depth")
def profile(left_side: Recipe, right_side: Recipe) -> None:
    """Draw one measure over the layers of both models, and all of them as a table."""
    left, right = left_side.show(), right_side.show()
    measure = _choose_measure()
    profiles = {shown.side: _measured(shown) for shown in (left, right)}
    most = max(len(shown.capture.tokens) for shown in (left, right))
    _curves(left, right, measure, profiles, most)
    take_away("profile", profile_lines(left_side, right_side, measure), left_side, right_side)
    show_source("profile", ["profile"])
    if measure == "entropy":
        st.caption(
            _("The dotted line is ln {tokens}: attention spread evenly over all tokens.").format(
                tokens=most
            )
        )
    for shown, column in zip((left, right), st.columns(2), strict=True):
        with column:
            _table(shown, profiles[shown.side])
    address.keep(PARAMETERS)


def _choose_measure() -> str:
    """Draw the choice, and whether the published curve is laid over; the measure chosen."""
    known = names()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Measure"),
            MEASURES,
            format_func=lambda measure: known[measure][0],
            key="measure",
            persist_state="session",
            width=260,
        )
        measure: str = st.session_state["measure"]
        st.toggle(
            _("Published curve of BERT-base"),
            key="published",
            persist_state="session",
            disabled=measure not in PUBLISHED,
            help=_(
                "Clark et al. 2019, read off their figures: 1,000 passages of Wikipedia, 12 "
                "layers. There is one for entropy, [CLS], [SEP] and punctuation."
            ),
        )
    return measure


def _measured(shown: Shown) -> Profile:
    recipe = shown.recipe
    return cache.profiled(recipe.model, recipe.text, recipe.text_pair)


def _curves(
    left: Shown, right: Shown, measure: str, profiles: dict[Side, Profile], most: int
) -> None:
    """Draw a measure over the layers; the longer side has ``most`` tokens."""
    title, unit = names()[measure]
    figure = profile_figure(
        {side: measured[measure] for side, measured in profiles.items()},
        {shown.side: shown.name for shown in (left, right)},
        title=title,
        unit=unit,
        ceiling=math.log(most) if measure == "entropy" else None,
        published=PUBLISHED.get(measure, []) if st.session_state["published"] else [],
        layer=st.session_state["layer"],
        translate=_,
    )
    models = left.name, right.name
    alt = _("{title} over the layers of {left} and {right}; a table follows.").format(
        title=title, left=models[0], right=models[1]
    )
    chart(figure, "profile", stem("profile", measure, *models, left.capture.text), alt)


def _table(shown: Shown, measured: Profile) -> None:
    known = names()
    table = pd.DataFrame(
        {known[measure][0]: measured[measure].mean(axis=1) for measure in MEASURES},
        index=[f"L{layer}" for layer in range(shown.capture.n_layers)],
    )
    st.caption(_("{model}: means over the heads of each layer").format(model=shown.name))
    st.dataframe(cells(table).style.format("{:.4f}", na_rep="–"))
