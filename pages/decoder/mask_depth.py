"""Effects of a mask by depth: the distance from full attention, and which tokens are reached."""

import numpy as np
import pandas as pd
import streamlit as st
import torch

from model.analysis.masking import departure
from model.transformer.masks import layers_needed
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.notebook import layer_lines, reach_lines
from viz import shortened
from viz.figures.masks import departure_figure, reach_figure
from web.language import _, ngettext
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import export_menu, stem
from web.widgets.source import show_source
from web.widgets.tables import cells

MAX_ROWS = 9
"""A longer table scrolls."""


def distance_by_layer(experiment: MaskExperiment) -> None:
    """Draw the distance of weights and of hidden states by layer, and list both."""
    distances, cosines = departure(experiment.full, experiment.masked)  # (L, H), (L, T)
    model, mask = experiment.model, experiment.spec.name
    title = _("{model}, {mask} against no mask").format(model=model, mask=mask)
    left, right = st.columns([3, 2])
    with left:
        alt = _(
            "{title}, by layer: the distance between weights is {first:.4f} in the "
            "first layer and {last:.4f} in the last."
        ).format(title=title, first=distances[0].mean(), last=distances[-1].mean())
        figure = departure_figure(distances, cosines, title=title, translate=_)
        chart(figure, "departure", stem(model, mask, "layers"), alt)
        export_menu("departure", layer_lines(experiment))
        show_source("departure", ["departure"])
    with right:
        full, masked = (run.capture.weights for run in (experiment.full, experiment.masked))
        table = pd.DataFrame(
            {
                _("JS distance"): distances.mean(axis=1),
                _("mean |difference|"): np.abs(full - masked).mean(axis=(1, 2, 3)),
                _("cosine, mean"): cosines.mean(axis=1),
                _("cosine, least"): cosines.min(axis=1),
            },
            index=[f"L{layer}" for layer in range(len(distances))],
        )
        st.caption(_("Weights: means over heads and words. States: outputs of the layer."))
        four = st.column_config.NumberColumn(format="%.4f")
        st.dataframe(cells(table), height="content", column_config=dict.fromkeys(table, four))
        st.caption(
            _(
                "Every layer has the mask, so differences add up. {model} was trained "
                "without it. The figure shows what the mask changes, not how good a model"
                " trained with it would be."
            ).format(model=model)
        )


def reach(experiment: MaskExperiment) -> None:
    """Draw after how many layers each token can depend on each other, and count the pairs."""
    needed = layers_needed(experiment.requested)  # (T, T)
    summary, mask = _reach_summary(needed), experiment.spec.name
    title = _("Layers until information from one token can reach another: {mask}").format(mask=mask)
    left, right = st.columns([3, 2])
    with left:
        figure = reach_figure(
            needed.numpy(),
            experiment.labels,
            title=title,
            subtitle=shortened(experiment.text, 48),
            text_colour=THEME_TEXT,
            translate=_,
        )
        chart(figure, "reached", stem("reach", mask), f"{title}. {summary}")
        export_menu("reach", reach_lines(experiment))
        show_source("reach", ["reach"])
    with right:
        st.markdown(summary)
        _reach_table(needed)
        st.caption(
            _(
                "Computed from powers of the mask, with the residual connection. It shows"
                " what can arrive, not how much."
            )
        )


def _reach_summary(needed: torch.Tensor) -> str:
    unreachable = int((needed < 0).sum())
    if unreachable:
        return _("**For {count} pairs, no number of layers is enough.**").format(count=unreachable)
    most = int(needed.max())
    return ngettext(
        "**After {count} layer, information from every token can reach every other.**",
        "**After {count} layers, information from every token can reach every other.**",
        most,
    ).format(count=most)


def _reach_table(needed: torch.Tensor) -> None:
    most = int(needed.max())
    fields = [(needed >= 0) & (needed <= count) for count in range(most + 1)]  # (T, T) each
    per_row = [field.sum(dim=-1) for field in fields]  # (T,) each
    table = pd.DataFrame(
        {
            _("after layers"): range(most + 1),
            _("cells"): [int(counts.sum()) for counts in per_row],
            _("share"): [float(field.double().mean()) for field in fields],
            _("narrowest row"): [int(counts.min()) for counts in per_row],
            _("widest row"): [int(counts.max()) for counts in per_row],
        }
    )
    share = {_("share"): st.column_config.NumberColumn(format="percent")}
    st.dataframe(
        cells(table),
        hide_index=True,
        column_config=share,
        height="content" if most < MAX_ROWS else 350,
    )
