"""The selected head: its weights, what it is called and why, and where to go from it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import streamlit as st

from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention
from pages.shared import words
from pages.shared.closeup import closeup
from pages.shared.head_picker import head_name
from pages.shared.language import _
from pages.shared.notebook import head_lines
from pages.shared.parameters import write_text
from pages.shared.recipe import Recipe, Shown
from pages.shared.source import show_source
from pages.shared.take_away import take_away
from viz import Side

EXPLORE = Path(__file__).parents[1] / "explore" / "page.py"


def selected_side(left: Shown, right: Shown) -> Shown:
    """The side whose head is selected."""
    return left if st.session_state["heads_side"] == "left" else right


def selected(shown: Shown) -> tuple[int, int]:
    """The session's layer and head, inside what the model has."""
    capture = shown.capture
    layer, head = st.session_state["layer"], st.session_state["head"]
    return min(layer, capture.n_layers - 1), min(head, capture.n_heads - 1)


def select(side: Side, layer: int, head: int) -> None:
    """Make it the selected head, on every page; for callbacks."""
    st.session_state["heads_side"] = side
    st.session_state["layer"], st.session_state["head"] = layer, head


def head_table(
    table: pd.DataFrame,
    heads: list[tuple[Side, int, int]],
    key: str,
    *,
    height: int | Literal["content"],
    alt: str,
    columns: Mapping[str, Any],
) -> None:
    """Draw a table with one row a head; a click anywhere in a row selects its head.

    Args:
        table: As many rows as heads.
        heads: Whose each row is.
        key: Distinct on the page.
        height: Pixels, or as much as the rows need.
        alt: What there is to see, for those who do not.
        columns: How Streamlit shows each column.
    """
    st.dataframe(
        table,
        hide_index=True,
        key=key,
        height=height,
        alt=alt,
        column_config=columns,
        selection_mode="single-cell",
        on_select=partial(_select_row, key, heads),
    )


def _select_row(key: str, heads: list[tuple[Side, int, int]]) -> None:
    cells = st.session_state[key].selection.cells
    if cells and 0 <= cells[0][0] < len(heads):
        select(*heads[cells[0][0]])


def panel(left: Shown, right: Shown) -> None:
    """Draw the selected head."""
    shown = selected_side(left, right)
    layer, head = selected(shown)
    name = head_name(layer, head)
    capture = shown.capture
    if not shown.units:
        st.info(_("Only special tokens are left, and they are hidden."))
        return
    closeup(shown, shown.weights(capture.weights[layer, head]), name, "panel")
    st.markdown("  \n".join(words.about_head(shown.recipe, layer, head)))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _("Switch {head} off").format(head=name),
            icon=":material/power_settings_new:",
            key="switch_off",
            type="primary",
            on_click=partial(_switch_off, shown.recipe, layer, head),
        )
        st.page_link(
            EXPLORE,
            label=_("In Explore"),
            icon=":material/visibility:",
            query_params=_as_head(shown, layer, head),
        )
        take_away("panel", head_lines(shown.recipe, layer, head), shown.recipe)
    show_source("panel", [st.session_state["heads_part"], "head"], shown.recipe)


def _switch_off(recipe: Recipe, layer: int, head: int) -> None:
    """A callback: to the part where heads are switched off, with this one alone.

    The head that moved most is the one to look at: the weights of a head that is off stay.
    """
    state = st.session_state
    state["off"], state["masked"], state["heads_part"] = [(layer, head)], [], "change"
    off = Intervention(frozenset({(layer, head)}), state["off_how"])
    before, after = (each.show().capture.weights for each in (recipe, replace(recipe, change=off)))
    moved = jensen_shannon_of_pairs(before, after)  # (L, H)
    if moved.any():
        layer, head = divmod(int(moved.argmax()), moved.shape[1])
    select(recipe.side, layer, head)


def _as_head(shown: Shown, layer: int, head: int) -> dict[str, str]:
    """The address of this head on the Explore page."""
    recipe, state = shown.recipe, st.session_state
    address = {
        "text": write_text(recipe.text),
        "left": state["left"],
        "right": state["right"],
        "layer": str(layer),
        "head": str(head),
    }
    return address | ({"pair": write_text(recipe.text_pair)} if recipe.text_pair else {})


def named(shown: Shown, other: Shown) -> str:
    """A side's model; with its side where both show the same one."""
    model = shown.capture.model
    if model != other.capture.model:
        return model
    return f"{model} ◀" if shown.side == "left" else f"{model} ▶"
