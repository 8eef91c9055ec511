"""What moved between two runs: all heads at a glance, those that moved most, one cell by cell."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.align import Pair, aligned
from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.links import ranked
from viz import difference_heatmap, shortened
from web.language import _
from web.widgets.changed_cells import changes, described
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import export_menu, stem
from web.widgets.figure_sync import View, sync
from web.widgets.head_picker import chosen_head, head_boxes, head_name, shared_keys
from web.widgets.overviews import overview
from web.widgets.sides import SideView
from web.widgets.source import show_source
from web.widgets.tables import pickable_table, share_column

MOST = 8
"""Heads that are listed."""


@dataclass(frozen=True)
class Runs:
    """Two runs of models with as many layers and heads.

    Attributes:
        before: The first.
        after: The second; differences are this one minus the first.
        pairs: Units of the first and of the second that correspond.
        labels: What the pairs are called.
        names: Of the two, for titles and tables.
        ends: What the ends of the colours say: the first has more, the second has more.
    """

    before: SideView
    after: SideView
    pairs: tuple[Pair, ...]
    labels: list[str]
    names: tuple[str, str]
    ends: tuple[str, str]

    @property
    def title(self) -> str:
        """What is subtracted from what."""
        return " − ".join(reversed(self.names))

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Of both, between the units that correspond: (L, H, P, P) each."""
        first, second = (
            view.token_weights(view.capture.weights) for view in (self.before, self.after)
        )
        return aligned(first, second, self.pairs)

    def allowed(self) -> np.ndarray | None:
        """What the masks of either allow, (L, 1, P, P) or (1, 1, P, P); None if nothing is hidden.

        What both hide was no weight before and is none after: it has not moved by 0.
        """
        first, second = (view.allowed() for view in (self.before, self.after))
        if first is None or second is None:
            return None
        first, second = aligned(first, second, self.pairs)
        return (first | second)[:, None]


def heads(runs: Runs, lines: str) -> DeltaGenerator:
    """Draw all heads' changes, those that moved most, and the selected head's cells.

    Args:
        runs: What is compared.
        lines: Python that makes the selected head's figure again.

    Returns:
        The column beside the cells: there is room for more.
    """
    first, second = runs.weights()
    changed = second - first  # (L, H, P, P)
    full_colour = max(float(np.abs(changed).max(initial=0)), 1e-4)
    picture, table = st.columns([3, 2])
    with picture:
        _overview(runs, changed, full_colour)
    with table:
        _moved_most(jensen_shannon_of_pairs(first, second))
    size = runs.before.capture.n_layers, runs.before.capture.n_heads
    layer, head = chosen_head(*size)
    picture, table = st.columns([3, 2])
    with picture:
        with st.container(horizontal=True):
            head_boxes("", *size, _("Layer"), _("Head"))
        _cells(runs, changed[layer, head], layer, head, lines)
    with table:
        sides = dict(zip(runs.names, (first[layer, head], second[layer, head]), strict=True))
        changes(changed[layer, head], runs.labels, sides)
    sync(View({"left": (layer, head), "right": (layer, head)}, top=full_colour))
    return table


def _overview(runs: Runs, changed: np.ndarray, full_colour: float) -> None:
    capture = runs.before.capture
    st.caption(
        _("How much each weight moved, all heads: full colour is {most:.4f}").format(
            most=full_colour
        )
    )
    overview(
        np.minimum(np.abs(changed), 1),
        runs.labels,
        key="moved",
        side="left",
        hue=runs.after.side,
        model=runs.title,
        sentence=capture.text,
        allowed=runs.allowed(),
        shared=shared_keys(capture),
        description=_(
            "Changes of all heads, {title}: {layers} layers down, {heads} heads across. "
            "Arrow keys move the selection."
        ).format(title=runs.title, layers=capture.n_layers, heads=capture.n_heads),
        on_picked=_pick_thumbnail,
    )


def _pick_thumbnail() -> None:
    """A callback."""
    told = st.session_state["moved"]
    cell = told.picked or told.overlaid
    _pick((int(cell["layer"]), int(cell["head"])))


def _pick(place: tuple[int, int]) -> None:
    st.session_state["layer"], st.session_state["head"] = place


def _moved_most(distances: np.ndarray) -> None:
    """List the heads whose distances, (L, H), are the largest."""
    places = ranked(distances)[:MOST]
    st.caption(_("Heads that moved most (Jensen-Shannon distance, at most 0.83)"))
    pickable_table(
        pd.DataFrame(
            {
                "head": [head_name(*place) for place in places],
                "moved": [float(distances[place]) for place in places],
            }
        ),
        "moved_most",
        lambda row: _pick(places[row]),
        height="content",
        alt=_("Heads that moved most"),
        columns={"head": _("head"), "moved": share_column(_("moved by"), most=0.8326)},
    )


def _cells(runs: Runs, changed: np.ndarray, layer: int, head: int, lines: str) -> None:
    title = f"{head_name(layer, head)}: {runs.title}"
    figure = difference_heatmap(
        changed,
        runs.labels,
        runs.labels,
        title=title,
        subtitle=shortened(runs.before.capture.text, 48),
        ends=runs.ends,
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = described(title, len(runs.labels), runs.ends)
    file = stem("moved", f"L{layer}-H{head}", *runs.names, runs.before.capture.text.lower())
    chart(figure, "moved_head", file, alt)
    export_menu("moved_head", lines, runs.before.request, runs.after.request)
    show_source("moved_head", [st.session_state["heads_part"]])
