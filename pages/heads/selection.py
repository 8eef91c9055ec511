"""Which head is selected, of which side, and how a table or a click selects another."""

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.shared.head_picker import chosen_head
from pages.shared.recipe import Shown
from pages.shared.tables import pickable_table
from viz import Side

Place = tuple[Side, int, int]
"""Whose head, its layer, and its number there."""


def selected_side(left: Shown, right: Shown) -> Shown:
    """The side whose head is selected."""
    return left if st.session_state["heads_side"] == "left" else right


def is_decoder(shown: Shown) -> bool:
    """Whether its heads see no later token."""
    return shown.capture.stack == "decoder"


def selected(shown: Shown) -> tuple[int, int]:
    """The session's layer and head, inside what the model has."""
    return chosen_head(shown.capture.n_layers, shown.capture.n_heads)


def select(side: Side, layer: int, head: int) -> None:
    """Make it the selected head, on every page; for callbacks."""
    st.session_state["heads_side"] = side
    st.session_state["layer"], st.session_state["head"] = layer, head


def head_table(
    table: pd.DataFrame,
    places: list[Place],
    key: str,
    *,
    height: int | Literal["content"],
    alt: str,
    columns: Mapping[str, Any],
) -> None:
    """Draw a table with one row a head; a click anywhere in a row selects its head.

    Args:
        table: As many rows as places.
        places: Whose each row is.
        key: Distinct on the page.
        height: Pixels, or as much as the rows need.
        alt: What there is to see, for those who do not.
        columns: How Streamlit shows each column.
    """
    pickable_table(
        table, key, lambda row: select(*places[row]), height=height, alt=alt, columns=columns
    )


def named(shown: Shown, other: Shown) -> str:
    """A side's model; with its side where both show the same one."""
    if shown.capture.model != other.capture.model:
        return shown.name
    return f"{shown.name} ◀" if shown.side == "left" else f"{shown.name} ▶"
