"""What moved between two runs: all heads at a glance, one head cell by cell, and every token."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.align import Pair, difference, largest_changes
from model.analysis.distances import jensen_shannon_of_pairs
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.head_picker import head_boxes, head_name
from pages.shared.language import _
from pages.shared.overviews import overview
from pages.shared.recipe import Shown
from pages.shared.source import show_source
from pages.shared.take_away import stem, take_away
from pages.shared.view import View, sync
from viz import difference_heatmap, shortened

MOST = 8
"""Heads and cells that are listed."""


@dataclass(frozen=True)
class Runs:
    """Two runs of models with as many layers and heads.

    Attributes:
        before: The first.
        after: The second; differences are this one minus the first.
        pairs: Units of the first and of the second that correspond.
        labels: What the pairs are called.
        names: Of the two, for titles.
    """

    before: Shown
    after: Shown
    pairs: tuple[Pair, ...]
    labels: list[str]
    names: tuple[str, str]

    @property
    def title(self) -> str:
        """What is subtracted from what."""
        return " − ".join(reversed(self.names))


def heads(runs: Runs, lines: str) -> DeltaGenerator:
    """Draw all heads' changes, those that moved most, and the selected head's cells.

    Args:
        runs: What is compared.
        lines: Python that makes the selected head's figure again.

    Returns:
        The column beside the cells: there is room for more.
    """
    first, second = (
        shown.weights(shown.capture.weights) for shown in (runs.before, runs.after)
    )  # (L, H, U, U), (L, H, V, V)
    changed = difference(second, first, [(j, i) for i, j in runs.pairs])  # (L, H, P, P)
    i, j = np.array(runs.pairs).T
    distances = jensen_shannon_of_pairs(
        first[..., i[:, None], i], second[..., j[:, None], j]
    )  # (L, H)
    picture, table = st.columns([3, 2])
    with picture:
        _overview(runs, changed)
    with table:
        _moved_most(distances)
    layer, head = _selected(runs)
    picture, table = st.columns([3, 2])
    with picture:
        with st.container(horizontal=True):
            capture = runs.before.capture
            head_boxes("", capture.n_layers, capture.n_heads, _("Layer"), _("Head"))
        _cells(runs, changed[layer, head], layer, head, lines)
    with table:
        largest(
            changed[layer, head],
            runs.labels,
            first[layer, head],
            second[layer, head],
            runs.pairs,
            names=(_("before"), _("after")),
        )
    sync(View({"left": (layer, head), "right": (layer, head)}, top=_most(changed)))
    return table


def _selected(runs: Runs) -> tuple[int, int]:
    capture = runs.before.capture
    layer, head = st.session_state["layer"], st.session_state["head"]
    return min(layer, capture.n_layers - 1), min(head, capture.n_heads - 1)


def _overview(runs: Runs, changed: np.ndarray) -> None:
    sizes = np.abs(changed)
    capture = runs.before.capture
    st.caption(
        _("How much each weight moved, all heads: full colour is {most:.4f}").format(
            most=_most(changed)
        )
    )
    overview(
        np.minimum(sizes, 1),
        runs.labels,
        key="moved",
        side="left",
        hue=runs.after.side,
        model=runs.title,
        sentence=capture.text,
        description=_(
            "Changes of all heads, {title}: {layers} layers down, {heads} heads across. "
            "Arrow keys move the selection."
        ).format(title=runs.title, layers=capture.n_layers, heads=capture.n_heads),
        on_picked=_pick,
    )


def _most(changed: np.ndarray) -> float:
    """The largest change of a weight: the full colour of the overview."""
    return max(float(np.abs(changed).max(initial=0)), 1e-4)


def _pick() -> None:
    """A callback: a thumbnail was clicked."""
    told = st.session_state["moved"]
    cell = told.picked or told.overlaid
    st.session_state["layer"], st.session_state["head"] = int(cell["layer"]), int(cell["head"])


def _moved_most(distances: np.ndarray) -> None:
    order = np.argsort(-distances, axis=None, kind="stable")[:MOST]
    places = [divmod(int(at), distances.shape[1]) for at in order]
    st.caption(_("Heads that moved most (Jensen-Shannon distance, at most 0.83)"))
    st.dataframe(
        pd.DataFrame(
            {
                "head": [head_name(*place) for place in places],
                "moved": [float(distances[place]) for place in places],
            }
        ),
        hide_index=True,
        height="content",
        key="moved_most",
        selection_mode="single-cell",
        on_select=partial(_pick_row, places),
        alt=_("Heads that moved most"),
        column_config={
            "head": _("head"),
            "moved": st.column_config.ProgressColumn(
                _("moved by"), format="%.4f", min_value=0.0, max_value=0.8326
            ),
        },
    )


def _pick_row(places: list[tuple[int, int]]) -> None:
    cells = st.session_state["moved_most"].selection.cells
    if cells and 0 <= cells[0][0] < len(places):
        st.session_state["layer"], st.session_state["head"] = places[cells[0][0]]


def _cells(runs: Runs, changed: np.ndarray, layer: int, head: int, lines: str) -> None:
    name = head_name(layer, head)
    title = f"{name}: {runs.title}"
    figure = difference_heatmap(
        changed,
        runs.labels,
        runs.labels,
        title=title,
        subtitle=shortened(runs.before.capture.text, 48),
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = _("{title}; {count} aligned tokens; the largest changes are listed.").format(
        title=title, count=len(runs.labels)
    )
    file = stem("moved", f"L{layer}-H{head}", *runs.names, runs.before.capture.text.lower())
    chart(figure, "moved_head", file, alt)
    take_away("moved_head", lines, runs.before.recipe, runs.after.recipe)
    show_source("moved_head", [st.session_state["heads_part"]])


def largest(
    changed: np.ndarray,
    labels: list[str],
    first: np.ndarray,
    second: np.ndarray,
    pairs: Sequence[Pair],
    *,
    names: tuple[str, str],
    count: int = MOST,
) -> None:
    """Draw the cells that differ most, with what stands on either side.

    Args:
        changed: (P, P), of aligned units.
        labels: What the units are called, P.
        first: (U, U).
        second: (V, V).
        pairs: Which of their units correspond, P.
        names: What the two are called.
        count: At most so many cells.
    """
    st.caption(_("Largest changes"))
    found = largest_changes(changed, count)
    if not found:
        st.info(_("Nothing moved in this head."))
        return
    difference_name = _("difference")
    table = pd.DataFrame(
        {
            _("query → key"): [f"{labels[q]} → {labels[k]}" for q, k, _value in found],
            names[0]: [first[pairs[q][0], pairs[k][0]] for q, k, _value in found],
            names[1]: [second[pairs[q][1], pairs[k][1]] for q, k, _value in found],
            difference_name: [value for _q, _k, value in found],
        }
    )
    numbers = {**dict.fromkeys(names, "{:.4f}"), difference_name: "{:+.4f}"}
    st.dataframe(table.style.format(numbers), hide_index=True, height="content")


def tokens(labels: list[str], cosines: np.ndarray) -> None:
    """Draw how far each token's last hidden state turned.

    Args:
        labels: Of the tokens, T.
        cosines: (T,), 1 where nothing turned.
    """
    st.caption(_("Cosine between a token's last hidden states before and after"))
    st.dataframe(
        pd.DataFrame({"token": labels, "cosine": cosines.astype(float)}),
        hide_index=True,
        height=min(36 * (len(labels) + 1), 420),
        alt=_("Tokens and the cosine of their hidden states"),
        column_config={
            "token": _("token"),
            "cosine": st.column_config.ProgressColumn(
                _("cosine"), format="%.4f", min_value=0.0, max_value=1.0
            ),
        },
    )
