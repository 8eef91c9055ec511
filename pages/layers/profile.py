"""The part "Profile": one number per layer for spread, distance and targets."""

import numpy as np
import streamlit as st

from model import load_model
from model import profile as measure_heads
from model.analysis.depth import entropy_ceiling
from pages.layers.published import PUBLISHED
from pages.layers.url import Layers
from viz import Side
from viz.figures.depth import profile_figure
from web.cache import captures
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, plain
from web.measure_names import measure_names
from web.subject import Subject
from web.view_state import address
from web.widgets.charts import chart
from web.widgets.export import stem
from web.widgets.tables import layer_table
from web.widgets.view_code import ViewCode, loading, texts

Profile = dict[str, np.ndarray]
"""Each measure of every head, (L, H)."""


@queue_fragment("depth")
def profile(left: Subject, right: Subject) -> None:
    """Draw one measure over the layers of both models, and all of them as a table."""
    measure = _choose_measure()
    profiles = {view.side: _measured(view) for view in (left, right)}
    views = [view for view in (left, right) if _applies_to(view, measure, profiles)]
    if views:
        _curves(views, measure, profiles)
    if measure == "entropy":
        for words in dict.fromkeys(map(_ceiling_in_words, views)):
            st.caption(words)
    if views:
        st.caption(_("Means over the heads of each layer"))
        layer_table({view.name: profiles[view.side][measure].mean(axis=1) for view in views})
    address.keep(Layers.fields)


def _choose_measure() -> str:
    """Draw the measure picker and the switch for published curves; return the measure."""
    names = {measure: measure_names()[measure].name for measure in Layers.measure.options}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = Layers.measure.draw(options=names)
        Layers.published.draw(disabled=measure not in PUBLISHED)
    return measure


def _measured(view: Subject) -> Profile:
    """Return every measure; NaN for measures that do not apply to the model's kind."""
    capture = view.capture()
    profiled = captures.head_measures(view.model, view.text, view.text_pair)
    nothing = np.full((capture.n_layers, capture.n_heads), np.nan)
    return {measure: profiled.get(measure, nothing) for measure in Layers.measure.options}


def _applies_to(view: Subject, measure: str, profiles: dict[Side, Profile]) -> bool:
    """Return whether a measure applies to a side; explain if it does not."""
    if not np.isnan(profiles[view.side][measure]).all():
        return True
    st.caption(
        _("“{measure}” does not apply to {model} on this text, so it has no curve.").format(
            measure=measure_names()[measure].name, model=plain(view.name)
        )
    )
    return False


def _ceiling_in_words(view: Subject) -> str:
    if view.capture().stack == "decoder":
        return _(
            "The dotted line of {model} is the largest possible entropy: equal weights on all "
            "visible tokens. It is the mean of ln n over tokens that see n tokens."
        ).format(model=plain(view.name))
    return _(
        "The dotted line is the largest possible entropy, ln {tokens}: equal weights on all tokens."
    ).format(tokens=len(view.capture().tokens))


def _curves(views: list[Subject], measure: str, profiles: dict[Side, Profile]) -> None:
    """Draw a measure over the layers."""
    texts = measure_names()[measure]
    title = texts.name
    ceilings = {view.side: entropy_ceiling(view.capture()) for view in views}
    figure = profile_figure(
        {view.side: profiles[view.side][measure] for view in views},
        {view.side: view.name for view in views},
        title=title,
        unit=texts.unit,
        ceilings=ceilings if measure == "entropy" else {},
        published=PUBLISHED.get(measure, []) if Layers.published.value else [],
        layer=Layers.layer.value,
        translate=_,
    )
    models = [view.name for view in views]
    alt = _("{title} over the layers of {models}; a table follows.").format(
        title=title, models=", ".join(models)
    )
    file = stem("profile", measure, *models, views[0].capture().text)
    chart(figure, "profile", file, alt, code=_code(measure, views), sides=views)


def _code(measure: str, sides: list[Subject]) -> ViewCode:
    lines = [
        f"{side.side} = profile({loading(side.model)}.attend({texts(side)}))[{measure!r}]"
        for side in sides
    ]
    shown = ", ".join(f"{side.side}.mean(axis=1)" for side in sides)
    return ViewCode(
        "\n".join([*lines, f"[{shown}]"]), measure_heads, (load_model,), "Clark et al. 2019, 3"
    )
