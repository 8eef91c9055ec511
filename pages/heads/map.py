"""The part "Map": heads of both models in a plane, by the similarity of their attention."""

from functools import partial

import numpy as np
import streamlit as st

from model import HeadlightError
from model.analysis.align import align
from model.analysis.distances import query_stride
from model.analysis.headmap import HeadMap
from model.analysis.labels import LABELS
from pages.heads.notebook import map_lines
from pages.heads.panel import panel
from pages.heads.selection import Place, named, select, selected, selected_side
from viz import SIDE_RGB, Side, shortened, thumbnails_payload
from viz.figures.headmap import head_map_figure
from web import components
from web.cache import captures
from web.language import _, in_words, plain
from web.widgets import head_comparison, label_names
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.choices import choose
from web.widgets.export import export_menu, stem
from web.widgets.head_picker import head_name
from web.widgets.sides import SideRequest, SideView
from web.widgets.source import show_source

MAX_COMPARED = 20_000_000
"""Weights per comparison; a tenth of a second on one core for two 6 x 12 models at 128 tokens."""

LEAST_ROWS = 4
"""Minimum number of compared rows, for any number of heads and tokens."""


def head_map(left_side: SideRequest, right_side: SideRequest) -> None:
    """Draw the map, its colour picker, and the selected head."""
    left, right = left_side.view(), right_side.view()
    colours = {"layer": _("Layer"), "label": _("Label")}
    choose(_("Colour"), colours, "map_colour")
    try:
        pairs = align(left.units, right.units).pairs
        every = _row_step(left, right, len(pairs))
        mapped = head_comparison.head_map(left_side, right_side, every)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    picture, chosen = st.columns([3, 2])
    with picture:
        _picture(left, right, mapped)
        _caption(left, right, len(pairs), mapped)
        export_menu("map", map_lines(left_side, right_side, every), left_side, right_side)
        show_source("map", ["map"])
    with chosen:
        panel(left, right)


def _row_step(ours: SideView, theirs: SideView, n_shared: int) -> int:
    """Return the step between compared queries; comparing all rows of a long text takes seconds."""
    n_heads = sum(view.capture.n_layers * view.capture.n_heads for view in (ours, theirs))
    # Each pair of heads is compared once, so the limit doubles.
    every = query_stride(n_heads**2, n_shared, 2 * MAX_COMPARED)
    return min(every, max(1, n_shared // LEAST_ROWS))


def _heads(left: SideView, right: SideView) -> list[Place]:
    """Return the head of each point."""
    return [
        (view.side, layer, head)
        for view in (left, right)
        for layer in range(view.capture.n_layers)
        for head in range(view.capture.n_heads)
    ]


def _picture(left: SideView, right: SideView, mapped: HeadMap) -> None:
    heads = _heads(left, right)
    models: dict[Side, str] = {"left": named(left, right), "right": named(right, left)}
    label_texts = label_names.labels()
    labels = [label_texts[_label(left if side == "left" else right, i, j)] for side, i, j in heads]
    view = selected_side(left, right)
    figure = head_map_figure(
        mapped.points,
        [
            f"{models[side]} {head_name(layer, head)} · {label}"
            for (side, layer, head), label in zip(heads, labels, strict=True)
        ],
        [side for side, _layer, _head in heads],
        [layer for _side, layer, _head in heads],
        models=models,
        labels=labels if st.session_state["map_colour"] == "label" else None,
        known_labels=[label_texts[label] for label in LABELS],
        selected=heads.index((view.side, *selected(view))),
        title=shortened(left.capture.text, 60),
        text_colour=THEME_TEXT,
        translate=_,
    )
    chart(
        figure,
        "map",
        stem("map", left.name, right.name, left.capture.text.lower()),
        _("Map of {count} heads; a table of all of them is under “What heads do”.").format(
            count=len(heads)
        ),
        on_points=partial(_pick, heads),
    )
    components.thumbnails(
        thumbnails_payload([(_weights(side), _thumbnail_data(side)) for side in (left, right)]),
        key="map_thumbnails",
    )


def _label(view: SideView, layer: int, head: int) -> str:
    request = view.request
    return captures.head_labels(request.model, request.text, request.text_pair)[layer][head].name


def _weights(view: SideView) -> np.ndarray:
    """Return the weights of all heads, (L * H, U, U)."""
    weights = view.token_weights(view.capture.weights)
    return weights.reshape(-1, *weights.shape[-2:])  # (L, H, U, U) -> (L * H, U, U)


def _allowed(view: SideView) -> np.ndarray | None:
    """Return each head's mask, boolean (L * H, U, U), or None without a mask."""
    masks = view.allowed()  # (L or 1, U, U)
    if masks is None:
        return None
    n_layers, n_heads = view.capture.n_layers, view.capture.n_heads
    size = masks.shape[-2:]
    return np.broadcast_to(masks[:, None], (n_layers, n_heads, *size)).reshape(
        -1, *size
    )  # (L * H, U, U)


def _thumbnail_data(view: SideView) -> dict[str, object]:
    return {
        "model": view.name,
        "labels": view.labels,
        "rgb": SIDE_RGB[view.side],
        "allowed": _allowed(view),
        "names": [head_name(i, j) for side, i, j in _heads(view, view)[: _count(view)]],
    }


def _count(view: SideView) -> int:
    return view.capture.n_layers * view.capture.n_heads


def _pick(heads: list[Place], point: int) -> None:
    select(*heads[point])


def _caption(left: SideView, right: SideView, n_shared: int, mapped: HeadMap) -> None:
    sentences = [
        _(
            "The closer two points, the more alike their heads attend. A flat map shows the "
            "distances approximately (classical scaling). They correlate with the "
            "Jensen-Shannon distances of the heads by {faithful:.2f}; 1 would be exact. Hover over "
            "a point to see its weights. Select one to see its head."
        ).format(faithful=mapped.correlation)
    ]
    if n_shared < max(len(left.units), len(right.units)):
        sentences.append(
            _("Only the {count} tokens of both models are compared.").format(count=n_shared)
        )
    every = _row_step(left, right, n_shared)
    if every > 1:
        sentences.append(_("For speed, only one row in {every} is compared.").format(every=every))
    st.caption(" ".join(sentences))
