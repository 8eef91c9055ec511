"""Approximations of one head's weights: low rank, random features and hashing."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from model import HeadSteps
from model.analysis.approximations import (
    low_rank,
    random_features,
    relative_error,
    renormalised_weights,
    same_bucket,
)
from pages.decoder.mask_controls import integer_box
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.notebook import form_lines
from viz import attention_heatmap, distinct, shortened
from web.language import _
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.choices import choose
from web.widgets.export import export_menu, stem
from web.widgets.head_picker import head_name
from web.widgets.source import show_source
from web.widgets.tables import cells

TABLE_SIZES = {
    "low_rank": (1, 2, 4, 8, 16, 32),
    "kernel": (16, 64, 256, 1024, 4096, 16384),
    "hashed": (2, 4, 8, 16),
}
"""Sizes whose errors are listed."""


def approximations(experiment: MaskExperiment) -> None:
    """Draw the weights of the head without a mask, their approximation, and its error."""
    form = choose(
        _("Form"),
        {"low_rank": _("Low rank"), "kernel": _("Kernel"), "hashed": _("Hashing")},
        "other_form",
        label_hidden=True,
    )
    st.caption(_explanations()[form])
    with st.container(horizontal=True, vertical_alignment="bottom", key="form_sizes"):
        size = _size_boxes(form)
    steps = experiment.run(padding=False).capture.head(experiment.layer, experiment.head)
    approximate, weights = _approximation(steps, form), steps.weights  # weights (T, T)
    approximation = approximate(size)  # (T, T)
    head = head_name(experiment.layer, experiment.head)
    st.markdown(
        _("**Relative error {error:.4f}** (‖A′ − A‖ / ‖A‖) of {head} on this sentence.").format(
            error=relative_error(approximation, weights), head=head
        )
    )
    left, middle, right = st.columns([3, 3, 2])
    with left:
        title = _("{head}, exact weights A").format(head=head)
        _heatmap(experiment, "whole", title, weights)
    with middle:
        title = _("{head}, approximation A′").format(head=head)
        _heatmap(experiment, "stand_in", title, approximation)
    with right:
        sizes = [each for each in TABLE_SIZES[form] if form != "low_rank" or each <= len(weights)]
        errors = [relative_error(approximate(each), weights) for each in sizes]
        st.caption(_("Relative error by size"))
        table = pd.DataFrame({_("size"): sizes, _("error"): errors})
        four = st.column_config.NumberColumn(format="%.4f")
        st.dataframe(cells(table), hide_index=True, column_config={_("error"): four})
    export_menu("forms", form_lines(experiment, form, size), figure="stand_in")
    show_source("forms", [form])


def _explanations() -> dict[str, str]:
    return {
        "low_rank": _(
            "Linformer projects n keys to k, so its weights are n × k. The figure "
            "shows the matrix of rank k that is nearest to this head's weights. No "
            "projection is nearer."
        ),
        "kernel": _(
            "Performer and linear attention replace exp(q·k) by φ(q)·φ(k) and never "
            "compute the n × n scores. The figure shows this head's weights from m "
            "positive random features, drawn with the seed. Heads with large scores "
            "need many features."
        ),
        "hashed": _(
            "In Reformer, a query attends only to keys in the same hash bucket. The "
            "figure shows the weights of these cells, from this head's q and k; each "
            "row sums to 1."
        ),
    }


def _size_boxes(form: str) -> int:
    """Draw the boxes of a form, and return its size."""
    if form == "low_rank":
        integer_box(_("Rank k"), "rank", 1, 4096)
        return int(st.session_state["rank"])
    if form == "kernel":
        integer_box(_("Features m"), "features", 1, 65_536)
    else:
        st.number_input(
            _("Buckets"),
            min_value=2,
            max_value=64,
            step=2,
            key="buckets",
            persist_state="session",
            width=150,
        )
    integer_box(_("Seed"), "form_seed", 0, 10**6)
    return int(st.session_state["features" if form == "kernel" else "buckets"])


def _approximation(steps: HeadSteps, form: str) -> Callable[[int], np.ndarray]:
    """Return the function that approximates a head's weights (T, T) with a given size."""
    seed = st.session_state["form_seed"]
    if form == "low_rank":
        return lambda rank: low_rank(steps.weights, rank)
    if form == "kernel":
        return lambda count: random_features(steps.q, steps.k, count, seed)
    return lambda count: renormalised_weights(
        steps.weights, same_bucket(steps.q, steps.k, count, seed)
    )


def _heatmap(experiment: MaskExperiment, key: str, title: str, weights: np.ndarray) -> None:
    figure = attention_heatmap(
        weights,
        distinct(experiment.full.capture.tokens[: experiment.full.n_real]),
        title=title,
        subtitle=shortened(f"{experiment.model}: {experiment.text}", 40),
        side="left",
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = _("Attention weights, {title}.").format(title=title)
    chart(figure, key, stem(experiment.model, title), alt)
