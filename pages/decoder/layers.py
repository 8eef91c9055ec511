"""How far a mask takes each layer from full attention."""

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.masking import departure
from pages.decoder.chosen import Scene, name_of
from pages.decoder.notebook import layer_lines
from pages.shared.charts import chart
from pages.shared.language import _
from pages.shared.source import show_source
from pages.shared.tables import cells
from pages.shared.take_away import stem, take_away
from viz.figures.masks import departure_figure


def layers(seen: Scene) -> None:
    """Draw the distance of weights and of states, layer by layer, and list them."""
    distances, cosines = departure(seen.full, seen.masked)  # (L, H), (L, T)
    picture, table = st.columns([3, 2])
    title = _("{model}, {mask} against no mask").format(model=seen.model, mask=name_of(seen.chosen))
    with picture:
        alt = _("{title}: by layer, from {first:.4f} to {last:.4f} between weights.").format(
            title=title, first=distances[0].mean(), last=distances[-1].mean()
        )
        figure = departure_figure(distances, cosines, title=title, translate=_)
        chart(figure, "departure", stem(seen.model, name_of(seen.chosen), "layers"), alt)
        take_away("departure", layer_lines(seen))
        show_source("departure", ["departure"])
    with table:
        _list(seen, distances, cosines)


def _list(seen: Scene, distances: np.ndarray, cosines: np.ndarray) -> None:
    full, masked = (run.capture.weights for run in (seen.full, seen.masked))
    listed = pd.DataFrame(
        {
            _("JS distance"): distances.mean(axis=1),
            _("mean |difference|"): np.abs(full - masked).mean(axis=(1, 2, 3)),
            _("cosine, mean"): cosines.mean(axis=1),
            _("cosine, least"): cosines.min(axis=1),
        },
        index=[f"L{layer}" for layer in range(len(distances))],
    )
    st.caption(_("Weights, means over heads and words; states that leave the layer"))
    st.dataframe(cells(listed).style.format("{:.4f}"), height="content")
    st.caption(
        _(
            "The mask is in every layer, so differences add up. {model} has learned without it: "
            "this says what a mask does to its numbers, not how good a model trained with the mask "
            "would be."
        ).format(model=seen.model)
    )
