"""Difference of two runs: all heads, and one head's cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.align import IndexPair, aligned
from model.analysis.links import ranked
from viz import difference_heatmap, distinct
from viz.style.theme import UNSIGNED_RGB
from web.inference.operations import array_turn
from web.language import _, sentences
from web.subject import Subject
from web.widgets.capture_view import capture_state, capture_view, part_of
from web.widgets.changed_cells import changes, described, subtraction
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_picker import chosen_head, head_name
from web.widgets.view_code import ViewCode


@dataclass(frozen=True)
class RunPair:
    """Two runs with equal numbers of layers and heads; differences are ``after`` minus ``before``.

    ``pairs`` are the units that correspond; ``ends`` label the ends of the colour scale.
    """

    before: Subject
    after: Subject
    pairs: tuple[IndexPair, ...]
    labels: list[str]
    names: tuple[str, str]
    ends: tuple[str, str]
    drawn: str = ""

    @property
    def title(self) -> str:
        """What is drawn: by default the subtraction, such as "minilm minus scratch"."""
        return self.drawn or subtraction(*self.names)

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights between corresponding units, (L, H, P, P) each; a common sink is last."""
        first, second = (view.all_weights() for view in (self.before, self.after))
        return aligned(first, second, self.pairs)

    @property
    def key_labels(self) -> list[str]:
        """Distinct names of the columns."""
        has_sinks = all(view.capture().sink is not None for view in (self.before, self.after))
        return distinct([*self.labels, "sink"]) if has_sinks else self.labels

    def allowed(self) -> np.ndarray | None:
        """Return the cells that a run's mask allows, (L or 1, P, P); None if nothing is hidden.

        A cell hidden in both runs has no weight, so it must not be drawn as a change of 0.
        """
        first, second = (view.allowed() for view in (self.before, self.after))
        if first is None or second is None:
            return None
        first, second = aligned(first, second, self.pairs)
        return first | second

    def on_units(self, between: np.ndarray) -> np.ndarray:
        """Return values (..., P, P) between all first units, (..., U, U); 0 without a pair."""
        n_units, n_sinks = len(self.before.units), between.shape[-1] - between.shape[-2]
        ours = np.array([i for i, _j in self.pairs])
        columns = np.append(ours, np.arange(n_units, n_units + n_sinks))
        made = np.zeros((*between.shape[:-2], n_units, n_units + n_sinks), between.dtype)
        made[..., ours[:, None], columns] = between
        return made


def draw_heads(runs: RunPair, code: ViewCode, table: DeltaGenerator, unchanged: str = "") -> None:
    """Draw the changes of all heads and the selected one's cells; ``table`` lists the largest.

    ``unchanged`` says why the selected head cannot change.
    """
    first, second = runs.weights
    with array_turn(first.size):
        changed = second - first  # (L, H, P, P)
        largest = head_changes(first, second)
    layer, head = chosen_head(*largest.shape)
    _all_heads(runs, np.abs(changed), largest)
    capture_state({"left": [layer, head], "scale": "sqrt"}, select_picked, key="changes")
    _cells(runs, changed, layer, head, code)
    with table:
        sides = dict(zip(runs.names, (first[layer, head], second[layer, head]), strict=True))
        name = head_name(layer, head)
        changes(changed[layer, head], runs.key_labels, sides, unchanged=unchanged, head=name)


def head_changes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return each head's largest change of one of its weights, (L, H, P, P); (L, H)."""
    return np.abs(second - first).max(axis=(-2, -1), initial=0)


def _all_heads(runs: RunPair, sizes: np.ndarray, largest: np.ndarray) -> None:
    """Draw the sizes of all changes, (L, H, P, P), in a colour that stands for no sign."""
    full_colour = max(float(largest.max()), 1e-4)
    allowed = runs.allowed()
    if allowed is None and len(runs.pairs) < len(runs.before.units):
        allowed = np.ones((1, *sizes.shape[-2:]), bool)
    header, cells = part_of(
        runs.before,
        runs.on_units(np.minimum(sizes, 1)),
        allowed=None if allowed is None else runs.on_units(allowed),
        top=full_colour,
    )
    header["rgb"] = UNSIGNED_RGB
    header["model"], header["meaning"] = runs.title, ""
    said = _("A stronger colour: a larger change. {head} changes most: by up to {most:.2f}.")
    said = said if largest.any() else _("No weight changed.")
    most = ranked(largest)[0]
    said = said.format(head=head_name(*most), most=float(largest[most]))
    if largest.any() and not largest[0].any():
        last = int(largest.any(axis=1).argmax()) - 1
        said = sentences(
            said,
            _(
                "The weights up to L{layer} stay the same: the model computes them before the "
                "change."
            ).format(layer=last),
        )
    header["about"] = said
    header["description"] = _(
        "Changes of all heads, {title}: {layers} layers of {heads} heads. The arrow keys select a "
        "head."
    ).format(title=runs.title, layers=len(sizes), heads=sizes.shape[1])
    capture_view((header, cells), key="changes", show=("about", "heads"))


def select_picked(fields: Mapping[str, Any]) -> None:
    """Select the head that was selected in a capture view; a callback."""
    if "left" in fields:
        st.session_state["layer"], st.session_state["head"] = map(int, fields["left"])


def _cells(runs: RunPair, changed: np.ndarray, layer: int, head: int, code: ViewCode) -> None:
    """Draw the changes of a head, of (L, H, P, P), in the colours of the largest of all heads."""
    sizes = np.abs(changed)
    top = float(np.nanmax(sizes, initial=0))
    is_largest = 0 < top == np.nanmax(sizes[layer, head], initial=0)
    title = _("Largest change, {head}: {difference}") if is_largest else _("{head}: {difference}")
    title = title.format(head=head_name(layer, head), difference=runs.title)
    hues = runs.before.hue, runs.after.hue
    figure = difference_heatmap(
        changed[layer, head],
        runs.labels,
        runs.key_labels,
        title=title,
        ends=runs.ends,
        top=top,
        hues=hues if hues[0] != hues[1] else None,
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = described(title, len(runs.labels), runs.ends)
    file = stem("difference", f"L{layer}-H{head}", *runs.names, runs.before.capture().text.lower())
    chart(figure, "head_difference", file, alt, code=code, sides=[runs.before, runs.after])
