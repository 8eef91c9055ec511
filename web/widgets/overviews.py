"""Many small heatmaps on one canvas: the heads or layers of a model, or their changes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from viz import Side, shortened
from viz.canvas import overview_payload, thumbnail_block
from viz.style.theme import SIDE_RGB
from web import components
from web.cache.blob_store import store
from web.inference.operations import array_turn
from web.language import _
from web.widgets.figure_sync import received_selection


def overview(
    weights: np.ndarray,
    labels: list[str],
    *,
    key: str,
    side: Side,
    hue: Side,
    model: str,
    sentence: str,
    description: str,
    key_labels: list[str] | None = None,
    allowed: np.ndarray | None = None,
    columns: list[str] | None = None,
    shared: list[str] | None = None,
    on_picked: Callable[[], None],
) -> None:
    """Draw the thumbnails, with a note if several tokens share a pixel.

    Args:
        weights: Weights of each thumbnail, (rows, columns, Uq, Uk), from 0 to 1.
        labels: Distinct names of the queries, Uq; also of the keys, unless ``key_labels`` are
            given.
        key_labels: Distinct names of the keys, Uk, if they differ from the queries.
        allowed: The mask, boolean, (Uq, Uk) or (rows, 1, Uq, Uk); None if everything is allowed.
        columns: What each thumbnail shows; heads by default.
        shared: A sentence for each group of heads that share a key head; None if none do.
    """
    blocks = [thumbnail_block(len(side)) for side in (labels, key_labels or labels)]
    pooled_note = _pooled(*blocks)
    axes = {"axes": _("Rows: attending (query); columns: attended to (key).")} if key_labels else {}
    with array_turn(weights.size):
        payload = overview_payload(
            weights,
            labels,
            key_labels=key_labels,
            allowed=allowed,
            store=store,
            side=side,
            rgb=SIDE_RGB[hue],
            model=model,
            sentence=shortened(sentence, 10_000),
            description=description,
            strings={"pooled": pooled_note, **axes},
            **({"columns": columns} if columns else {}),
            **({"shared": _groups(shared, weights.shape[1])} if shared else {}),
        )
    components.overview(
        payload,
        key,
        on_picked=partial(_selected, key, on_picked),
    )
    if max(blocks) > 1:
        st.caption(pooled_note)


def _selected(key: str, on_picked: Callable[[], None]) -> None:
    """A callback: record the time of the click before the page handles it."""
    click = st.session_state[key]
    received_selection(int(click.picked["at"]))
    on_picked()


def _groups(texts: list[str], n_heads: int) -> dict[str, Any]:
    return {"heads": n_heads // len(texts), "sentences": texts}


def _pooled(queries: int, keys: int) -> str:
    text = _("Each cell is the largest weight of {queries} × {keys} tokens.")
    return text.format(queries=queries, keys=keys)
