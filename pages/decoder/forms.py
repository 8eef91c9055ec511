"""Efficient attention without a pattern of cells, on a real head: low rank, kernels, hashing."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from model import HeadSteps
from model.analysis.approximations import (
    kept_alone,
    low_rank,
    random_features,
    relative_error,
    same_bucket,
)
from pages.decoder.chosen import Scene
from pages.decoder.controls import whole
from pages.decoder.notebook import form_lines
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.choices import choose
from pages.shared.head_picker import head_name
from pages.shared.language import _
from pages.shared.source import show_source
from pages.shared.tables import cells
from pages.shared.take_away import stem, take_away
from viz import attention_heatmap, distinct, shortened

TRIED = {
    "low_rank": (1, 2, 4, 8, 16, 32),
    "kernel": (16, 64, 256, 1024, 4096, 16384),
    "hashed": (2, 4, 8, 16),
}
"""Sizes for which the error is listed."""


def forms(seen: Scene) -> None:
    """Draw a head of the sentence without a mask, and what a form makes of it."""
    form = choose(
        _("Form"),
        {"low_rank": _("Low rank"), "kernel": _("Kernel"), "hashed": _("Hashing")},
        "other_form",
        label_hidden=True,
    )
    st.caption(_explained()[form])
    with st.container(horizontal=True, vertical_alignment="bottom", key="form_sizes"):
        size = _ask(form)
    steps = seen.run(padding=False).capture.head(seen.layer, seen.head)
    made, weights = _maker(steps, form), steps.weights
    approximation = made(size)
    head = head_name(seen.layer, seen.head)
    st.markdown(
        _("**Relative error {error:.4f}** (‖A′ − A‖ / ‖A‖) on {head} of this sentence.").format(
            error=relative_error(approximation, weights), head=head
        )
    )
    left, middle, right = st.columns([3, 3, 2])
    with left:
        _picture(seen, "whole", _("{head}, its own weights A").format(head=head), weights)
    with middle:
        _picture(seen, "stand_in", _("{head}, what stands in: A′").format(head=head), approximation)
    with right:
        sizes = [tried for tried in TRIED[form] if form != "low_rank" or tried <= len(weights)]
        errors = [relative_error(made(tried), weights) for tried in sizes]
        st.caption(_("Relative error by size"))
        table = pd.DataFrame({_("size"): sizes, _("error"): errors})
        four = st.column_config.NumberColumn(format="%.4f")
        st.dataframe(cells(table), hide_index=True, column_config={_("error"): four})
    take_away("forms", form_lines(seen, form, size), figure="stand_in")
    show_source("forms", [form])


def _explained() -> dict[str, str]:
    """What the forms do, and what is shown of them."""
    return {
        "low_rank": _(
            "Linformer projects n keys to k, so that weights are n × k. Shown is the nearest "
            "matrix of rank k to this head's weights: no projection comes nearer."
        ),
        "kernel": _(
            "Performer, and linear attention, write exp(q·k) as φ(q)·φ(k) and never form n × n. "
            "Shown are this head's weights from m positive random features, drawn with the seed. "
            "Sharp heads, whose scores are large, need very many."
        ),
        "hashed": _(
            "Reformer lets a query see the keys that hash to its bucket. Shown are the weights on "
            "these cells alone, from this head's own q and k; rows sum to 1 again."
        ),
    }


def _ask(form: str) -> int:
    """Draw the boxes of a form; its size."""
    if form == "low_rank":
        whole(_("Rank k"), "rank", 1, 4096)
        return int(st.session_state["rank"])
    if form == "kernel":
        whole(_("Features m"), "features", 1, 65_536)
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
    whole(_("Seed"), "form_seed", 0, 10**6)
    return int(st.session_state["features" if form == "kernel" else "buckets"])


def _maker(steps: HeadSteps, form: str) -> Callable[[int], np.ndarray]:
    """What makes this form of a head, of some size: (T, T)."""
    seed = st.session_state["form_seed"]
    if form == "low_rank":
        return lambda rank: low_rank(steps.weights, rank)
    if form == "kernel":
        return lambda count: random_features(steps.q, steps.k, count, seed)
    return lambda count: kept_alone(steps.weights, same_bucket(steps.q, steps.k, count, seed))


def _picture(seen: Scene, key: str, title: str, weights: np.ndarray) -> None:
    figure = attention_heatmap(
        weights,
        distinct(seen.full.capture.tokens[: seen.full.n_real]),
        title=title,
        subtitle=shortened(f"{seen.model}: {seen.text}", 40),
        side="left",
        text_colour=THEME_TEXT,
        translate=_,
    )
    chart(
        figure, key, stem(seen.model, title), _("Attention weights, {title}.").format(title=title)
    )
