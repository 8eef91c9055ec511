"""The part "Profile": one number per layer for spread, distance and targets."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.depth import entropy_ceiling
from pages.layers.notebook import profile_lines
from pages.layers.published import PUBLISHED
from pages.layers.url import MEASURES, PARAMETERS
from viz import Side
from viz.figures.depth import profile_figure
from web.cache import captures
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, plain
from web.view_state import address
from web.widgets.charts import chart
from web.widgets.export import stem, take_away
from web.widgets.sides import Recipe, Shown
from web.widgets.source import show_source
from web.widgets.tables import cells

Profile = dict[str, np.ndarray]
"""Each measure of every head, (L, H)."""


def names() -> dict[str, tuple[str, str]]:
    """Return each measure's name and unit, in the reader's language."""
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
        "first": (_("On the first token (decoders)"), share),
        "duplicate": (_("On the same token before (decoders)"), share),
        "induction": (_("Induction (decoders)"), share),
    }


@queue_fragment("depth")
def profile(left_side: Recipe, right_side: Recipe) -> None:
    """Draw one measure over the layers of both models, and all of them as a table."""
    left, right = left_side.show(), right_side.show()
    measure = _choose_measure()
    profiles = {shown.side: _measured(shown) for shown in (left, right)}
    shown_sides = [shown for shown in (left, right) if _applies_to(shown, measure, profiles)]
    if shown_sides:
        _curves(shown_sides, measure, profiles)
        sides = [shown.recipe for shown in shown_sides]
        take_away("profile", profile_lines(measure, *sides), *sides)
        show_source("profile", ["profile"])
    if measure == "entropy":
        for words in dict.fromkeys(map(_ceiling_in_words, shown_sides)):
            st.caption(words)
    for shown, column in zip((left, right), st.columns(2), strict=True):
        with column:
            _table(shown, profiles[shown.side])
    address.keep(PARAMETERS)


def _choose_measure() -> str:
    """Draw the measure picker and the switch for published curves; return the measure."""
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
    """Return every measure; NaN for measures that do not apply to the model's kind."""
    recipe, capture = shown.recipe, shown.capture
    profiled = captures.head_measures(recipe.model, recipe.text, recipe.text_pair)
    nothing = np.full((capture.n_layers, capture.n_heads), np.nan)
    return {measure: profiled.get(measure, nothing) for measure in MEASURES}


def _applies_to(shown: Shown, measure: str, profiles: dict[Side, Profile]) -> bool:
    """Return whether a measure applies to a side; explain if it does not."""
    if not np.isnan(profiles[shown.side][measure]).all():
        return True
    st.caption(
        _("“{measure}” says nothing of {model} on this text: it has no curve.").format(
            measure=names()[measure][0], model=plain(shown.name)
        )
    )
    return False


def _ceiling_in_words(shown: Shown) -> str:
    if shown.capture.stack == "decoder":
        return _(
            "The dotted line of {model} is the mean of ln of how many tokens each sees, itself and "
            "earlier ones: attention spread evenly over those."
        ).format(model=plain(shown.name))
    return _("The dotted line is ln {tokens}: attention spread evenly over all tokens.").format(
        tokens=len(shown.capture.tokens)
    )


def _curves(shown_sides: list[Shown], measure: str, profiles: dict[Side, Profile]) -> None:
    """Draw a measure over the layers."""
    title, unit = names()[measure]
    ceilings = {shown.side: entropy_ceiling(shown.capture) for shown in shown_sides}
    figure = profile_figure(
        {shown.side: profiles[shown.side][measure] for shown in shown_sides},
        {shown.side: shown.name for shown in shown_sides},
        title=title,
        unit=unit,
        ceilings=ceilings if measure == "entropy" else {},
        published=PUBLISHED.get(measure, []) if st.session_state["published"] else [],
        layer=st.session_state["layer"],
        translate=_,
    )
    models = [shown.name for shown in shown_sides]
    alt = _("{title} over the layers of {models}; a table follows.").format(
        title=title, models=", ".join(models)
    )
    chart(figure, "profile", stem("profile", measure, *models, shown_sides[0].capture.text), alt)


def _table(shown: Shown, measured: Profile) -> None:
    known = names()
    asked = [measure for measure in MEASURES if not np.isnan(measured[measure]).all()]
    table = pd.DataFrame(
        {known[measure][0]: measured[measure].mean(axis=1) for measure in asked},
        index=[f"L{layer}" for layer in range(shown.capture.n_layers)],
    )
    st.caption(_("{model}: means over the heads of each layer").format(model=shown.name))
    st.dataframe(cells(table).style.format("{:.4f}", na_rep="–"))
