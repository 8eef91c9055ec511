"""Difference of two runs: all heads, the heads with the largest change, and one head's cells."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.align import Pair, aligned
from model.analysis.distances import js_distance
from model.analysis.links import ranked
from viz import difference_heatmap, distinct, shortened
from web.inference.operations import array_turn
from web.language import _
from web.subject import Subject
from web.widgets.changed_cells import changes, described
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.figure_sync import sync
from web.widgets.head_picker import chosen_head, head_boxes, head_name, shared_keys
from web.widgets.overviews import overview
from web.widgets.tables import pickable_table, share_column
from web.widgets.view_code import ViewCode

MAX_HEADS = 8
"""Largest number of heads in the list."""


@dataclass(frozen=True)
class RunPair:
    """Two runs with the same numbers of layers and heads.

    Attributes:
        after: The second run; differences are the second minus the first.
        pairs: Units of the first and of the second run that correspond.
        ends: Labels of both ends of the colour scale: the first has more, the second has more.
    """

    before: Subject
    after: Subject
    pairs: tuple[Pair, ...]
    labels: list[str]
    names: tuple[str, str]
    ends: tuple[str, str]

    @property
    def title(self) -> str:
        """The subtraction, such as "minilm − scratch"."""
        return " − ".join(reversed(self.names))

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of both runs between corresponding units: (L, H, P, P) each.

        A sink of both is a last column.
        """
        first, second = (view.all_weights() for view in (self.before, self.after))
        return aligned(first, second, self.pairs)

    @property
    def key_labels(self) -> list[str]:
        """Distinct names of the columns."""
        has_sinks = all(view.capture().sink is not None for view in (self.before, self.after))
        return distinct([*self.labels, "sink"]) if has_sinks else self.labels

    def allowed(self) -> np.ndarray | None:
        """Return the cells that at least one run's mask allows, or None if nothing is hidden.

        The shape is (L, 1, P, P) or (1, 1, P, P). A cell hidden in both runs has no weight, so it
        must not be drawn as a change of 0.
        """
        first, second = (view.allowed() for view in (self.before, self.after))
        if first is None or second is None:
            return None
        first, second = aligned(first, second, self.pairs)
        return (first | second)[:, None]


def draw_heads(runs: RunPair, code: ViewCode) -> DeltaGenerator:
    """Draw the changes of all heads, the largest changes, and the cells of the selected head."""
    first, second = runs.weights()
    with array_turn(first.size):
        changed = second - first  # (L, H, P, P)
        sizes = np.abs(changed)
        full_colour = max(float(sizes.max(initial=0)), 1e-4)
        distances = js_distance(first, second)  # (L, H)
    picture, table = st.columns([3, 2])
    with picture:
        _overview(runs, sizes, full_colour)
    with table:
        _most_changed_heads(distances)
    size = runs.before.capture().n_layers, runs.before.capture().n_heads
    layer, head = chosen_head(*size)
    picture, table = st.columns([3, 2])
    with picture:
        with st.container(horizontal=True):
            head_boxes(*size)
        _cells(runs, changed[layer, head], layer, head, code)
    with table:
        sides = dict(zip(runs.names, (first[layer, head], second[layer, head]), strict=True))
        changes(changed[layer, head], runs.key_labels, sides)
    sync({"left": (layer, head), "right": (layer, head)}, full_colour)
    return table


def _overview(runs: RunPair, sizes: np.ndarray, full_colour: float) -> None:
    capture = runs.before.capture()
    st.caption(
        _("Change of each weight, all heads. The darkest colour is {most:.4f}.").format(
            most=full_colour
        )
    )
    overview(
        np.minimum(sizes, 1),
        runs.labels,
        key_labels=None if runs.key_labels is runs.labels else runs.key_labels,
        key="differences",
        side="left",
        hue=runs.after.side,
        model=runs.title,
        sentence=capture.text,
        allowed=runs.allowed(),
        shared=shared_keys(capture),
        description=_(
            "Changes of all heads, {title}: {layers} layers of {heads} heads. The "
            "arrow keys select a head."
        ).format(title=runs.title, layers=capture.n_layers, heads=capture.n_heads),
        on_picked=_pick_thumbnail,
    )


def _pick_thumbnail() -> None:
    """A callback."""
    cell = st.session_state["differences"].picked
    _pick((int(cell["layer"]), int(cell["head"])))


def _pick(place: tuple[int, int]) -> None:
    st.session_state["layer"], st.session_state["head"] = place


def _most_changed_heads(distances: np.ndarray) -> None:
    """List the heads whose distances, (L, H), are the largest."""
    places = ranked(distances)[:MAX_HEADS]
    shown = st.session_state["layer"], st.session_state["head"]
    st.caption(_("Heads with the largest change (Jensen-Shannon distance, at most 0.83)"))
    pickable_table(
        pd.DataFrame(
            {
                "head": [head_name(*place) for place in places],
                "moved": [float(distances[place]) for place in places],
            }
        ),
        "most_changed",
        lambda row: _pick(places[row]),
        marked=places.index(shown) if shown in places else None,
        height="content",
        alt=_("Heads with the largest change"),
        columns={"head": _("head"), "moved": share_column(_("change"), most=0.8326)},
    )


def _cells(runs: RunPair, changed: np.ndarray, layer: int, head: int, code: ViewCode) -> None:
    title = f"{head_name(layer, head)}: {runs.title}"
    figure = difference_heatmap(
        changed,
        runs.labels,
        runs.key_labels,
        title=title,
        subtitle=shortened(runs.before.capture().text, 48),
        ends=runs.ends,
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = described(title, len(runs.labels), runs.ends)
    file = stem("difference", f"L{layer}-H{head}", *runs.names, runs.before.capture().text.lower())
    sides = [runs.before, runs.after]
    chart(figure, "head_difference", file, alt, code=code, sides=sides)
