"""The selected head, and tables that select one."""

from collections.abc import Mapping, Sequence
from typing import Any

from pages.heads.url import Heads
from viz import Side
from web.language import plain
from web.subject import Subject
from web.view_state import examples
from web.widgets.head_picker import chosen_head
from web.widgets.tables import selectable_table

HeadPlace = tuple[Side, int, int]
"""A head: its side, layer and number."""


def selected_side(left: Subject, right: Subject) -> Subject:
    """Return the side of the selected head."""
    return left if Heads.side.value == "left" else right


def draw_side(left: Subject, right: Subject) -> Subject:
    """Draw the picker of the side; return the chosen one."""
    names = {"left": plain(named(left, right)), "right": plain(named(right, left))}
    Heads.side.draw(options=names)
    return selected_side(left, right)


def selected(view: Subject) -> tuple[int, int]:
    """Return the selected layer and head, limited to what the model has."""
    return chosen_head(view.capture().n_layers, view.capture().n_heads)


def select(side: Side, layer: int, head: int) -> None:
    """Select a head on every page; for callbacks."""
    Heads.side.value = side
    Heads.layer.value, Heads.head.value = layer, head


def select_example(side: Side, layer: int, head: int) -> None:
    """Select a head until the part is left."""
    examples.show({"heads_side": side, "layer": layer, "head": head})


def head_table(
    columns: Mapping[str, Any],
    rows: Sequence[Sequence[object]],
    places: list[HeadPlace],
    key: str,
    alt: str,
) -> None:
    """Draw a table with one row per head; a click in a row selects its head and marks the row."""
    shown = Heads.side.value, Heads.layer.value, Heads.head.value
    marked = places.index(shown) if shown in places else None
    selectable_table(columns, rows, key, lambda row: select(*places[row]), marked=marked, alt=alt)


def named(view: Subject, other: Subject) -> str:
    """Return a side's model name, with an arrow if both sides show the same model."""
    if view.capture().model != other.capture().model:
        return view.name
    return f"{view.name} ◀" if view.side == "left" else f"{view.name} ▶"
