"""The part "Similarity": Jensen-Shannon distances between the heads of both models."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from model import HeadlightError, jensen_shannon, shared_heads
from model.analysis.align import align
from model.analysis.distances import best_matches, query_stride
from pages.layers import kinds
from pages.layers.url import Layers
from viz.figures.depth import divergence_heatmap
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.subject import Subject
from web.view_state import address
from web.widgets import head_comparison
from web.widgets.charts import chart
from web.widgets.export import stem
from web.widgets.head_picker import head_boxes, head_name
from web.widgets.tables import cells
from web.widgets.view_code import PAIRED, ViewCode, paired

NEAREST = 8
MAX_COMPARED = 40_000_000
"""Weights per comparison; half a second on one core for two 6 x 12 models at 87 tokens."""


@queue_fragment("depth")
def similarity(left: Subject, right: Subject) -> None:
    """Draw the distances between all heads of both models, and the best matches."""
    st.caption(
        _(
            "A small distance means that two heads attend alike: at 0 their weights are equal, and "
            "{most:.2f} (√ln 2) is the maximum. Each pair of rows has a distance, the square root "
            "of the Jensen-Shannon divergence in nats; two heads have the mean over their rows."
        ).format(most=np.sqrt(np.log(2)))
    )
    try:
        alignment = align(left.units, right.units)
        every = _row_step(left, right, len(alignment.pairs))
        distances = head_comparison.distances(left, right, every)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        address.keep(Layers.fields)
        return
    if alignment.only_ours or alignment.only_theirs:
        st.info(
            _(
                "The models split the sentence into different tokens. The {count} "
                "shared tokens are compared."
            ).format(count=len(alignment.pairs))
        )
    if every > 1:
        st.info(_("For speed, only one row in {every} is compared.").format(every=every))
    picture, matches = st.columns([3, 2])
    with picture:
        _picture(left, right, distances, every)
    with matches:
        _nearest(left, right, distances)
        _best(left, right, distances)
    address.keep(Layers.fields)


def _row_step(ours: Subject, theirs: Subject, n_shared: int) -> int:
    """Return the step between compared queries; comparing all rows of a long text takes seconds."""
    n_pairs = math.prod(view.capture().n_layers * view.capture().n_heads for view in (ours, theirs))
    return query_stride(n_pairs, n_shared, MAX_COMPARED)


def _picture(left: Subject, right: Subject, distances: np.ndarray, every: int) -> None:
    rows, columns = _names(left), _names(right)
    models = left.name, right.name
    title = _("{left} against {right}").format(left=models[0], right=models[1])
    near = np.unravel_index(distances.argmin(), distances.shape)
    alt = _("{title}; nearest: {ours} and {theirs}, {distance:.4f}.").format(
        title=title, ours=rows[near[0]], theirs=columns[near[1]], distance=float(distances[near])
    )
    figure = divergence_heatmap(
        distances,
        rows,
        columns,
        title=title,
        row_title=models[0],
        column_title=models[1],
        translate=_,
    )
    lines = [
        paired(left, right, "first.weights", "second.weights"),
        f"first_heads = shared_heads(first_weights, [i for i, _ in pairs], stride={every})",
        f"second_heads = shared_heads(second_weights, [j for _, j in pairs], stride={every})",
        "jensen_shannon(first_heads, second_heads)",
    ]
    code = ViewCode(
        "\n".join(lines), jensen_shannon, (*PAIRED, shared_heads), "Clark et al. 2019, 6"
    )
    file, sides = (stem("similarity", *models, left.capture().text.lower()), [left, right])
    chart(figure, "similarity", file, alt, code=code, sides=sides)


def _names(view: Subject) -> list[str]:
    capture = view.capture()
    return [head_name(i, j) for i in range(capture.n_layers) for j in range(capture.n_heads)]


def _nearest(left: Subject, right: Subject, distances: np.ndarray) -> None:
    """Draw the picker of a left head, and the right heads nearest to it."""
    with st.container(horizontal=True):
        head_boxes(left.capture().n_layers, left.capture().n_heads)
    layer, head = kinds.selected_layer(left), kinds.selected_head(left)
    ours = layer * left.capture().n_heads + head
    columns = _names(right)
    order = np.argsort(distances[ours], kind="stable")[:NEAREST]
    st.caption(
        _("Nearest to {head} of {left} in {right}").format(
            head=head_name(layer, head), left=plain(left.name), right=plain(right.name)
        )
    )
    st.dataframe(
        cells(
            pd.DataFrame({"head": [columns[i] for i in order], "distance": distances[ours, order]})
        ).style.format({"distance": "{:.4f}"}),
        hide_index=True,
        height="content",
    )


def _best(left: Subject, right: Subject, distances: np.ndarray) -> None:
    """Draw the nearest right head of each left head."""
    columns = _names(right)
    best = best_matches(distances)
    table = pd.DataFrame(
        {
            left.name: _names(left),
            _("best match"): [columns[i] for i in best],
            _("distance"): distances[np.arange(len(best)), best],
        }
    ).sort_values(_("distance"))
    st.caption(_("Best match of every head"))
    st.dataframe(cells(table).style.format({_("distance"): "{:.4f}"}), hide_index=True, height=261)
