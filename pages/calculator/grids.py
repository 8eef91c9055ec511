"""Grids of numbers to type into: what the browser gets, and what comes back of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model.calculator import MAX_SIZE, CellError
from pages import components
from pages.calculator.grid_text import MAX_NAME, Cells, clean
from pages.shared.language import in_words
from pages.shared.reconnect import session
from viz.cards.matrices import SYMBOLS
from viz.style.formula import mathml


@dataclass(frozen=True)
class Keep:
    """What the browser is to keep of the grids, for whoever comes back to them.

    Attributes:
        name: Of all that is kept together; a browser keeps it apart from anything else.
        item: Which of it the grids show.
        unknown: Whether this session has yet to hear what the browser has kept.
        handed: What was last handed in, by grid.
    """

    name: str
    item: str
    unknown: bool
    handed: Mapping[str, Cells] | None

    def payload(self) -> dict[str, Any]:
        """What the browser has to know."""
        return {
            "set": self.name,
            "item": self.item,
            "unknown": self.unknown,
            "handed": self.handed,
        }


@dataclass(frozen=True)
class Grid:
    """One grid.

    Attributes:
        name: Which one, for whoever reads what was typed.
        matrix: The matrix it holds, as the steps name it.
        cells: Their text.
        label: What it is called to a screen reader; the matrix unless given.
        title: Written above it.
        axis: Which names stand at its rows, if any.
        sizes: What its rows and columns count, if they may be added; grids that share a count
            grow together.
        locked: Whether its cells are to be read and not typed into.
        problem: What is wrong with a cell.
        marks: A class for each cell: right, or wrong.
        toggles: What a cell is said to be while it is on ("1"), and while it is not, if its cells
            are to be switched rather than typed into.
    """

    name: str
    matrix: str
    cells: Cells
    label: str = ""
    title: str = ""
    axis: str | None = None
    sizes: tuple[str, str] | None = None
    locked: bool = True
    problem: CellError | None = None
    marks: list[list[str]] | None = None
    toggles: tuple[str, str] | None = None

    def payload(self) -> dict[str, Any]:
        """What the browser draws it from."""
        numbers = [str(i) for i in range(MAX_SIZE)]
        problem = self.problem and {
            "row": self.problem.place.row,
            "column": self.problem.place.column,
            "text": in_words(self.problem),
        }
        return {
            "id": self.name,
            "label": self.label or self.matrix,
            "title": self.title,
            "symbol": mathml(SYMBOLS.get(self.matrix, self.matrix)),
            "cells": self.cells,
            "axis": self.axis,
            "rows": numbers,
            "columns": numbers,
            "sizes": self.sizes and {"rows": self.sizes[0], "columns": self.sizes[1]},
            "locked": self.locked,
            "problem": problem,
            "marks": self.marks,
            "toggles": self.toggles,
        }


def draw(
    grids: Sequence[Grid],
    key: str,
    on_edited: Callable[[], None],
    names: Mapping[str, list[str]] | None = None,
    strings: Mapping[str, str] | None = None,
    about: str = "",
    keep: Keep | None = None,
) -> None:
    """Draw grids side by side.

    Args:
        grids: Which.
        key: Of the element; :func:`edit` takes the same.
        on_edited: Called when something was typed.
        names: Of the tokens, by axis.
        strings: What is said beside the grids.
        about: What they are typed for, where the session alone keeps what was typed: a browser
            that outlives its session tells the next one, as long as it is about the same.
        keep: What the browser is to keep of them, if anything.
    """
    components.grids(
        {
            "version": st.session_state.get(_version(key), 0),
            "session": session(),
            "about": about,
            "grids": [grid.payload() for grid in grids],
            "names": dict(names or {}),
            "strings": dict(strings or {}),
            "keep": keep.payload() if keep else None,
        },
        key=key,
        on_edited=on_edited,
    )


def edit(key: str) -> tuple[dict[str, Cells], dict[str, list[str]]]:
    """What was typed, by grid, and the tokens' names, by axis; nothing if nothing was."""
    typed = st.session_state[key].edited
    if typed is None:
        return {}, {}
    st.session_state[_version(key)] = int(typed["version"])
    cells = _cells(typed["cells"])
    names = {
        axis: [str(name)[:MAX_NAME] for name in named][:MAX_SIZE]
        for axis, named in typed["names"].items()
    }
    return cells, names


Kept = dict[str, dict[str, dict[str, Cells]]]
"""What a browser has kept: by item "filled" and "handed", by grid."""


def kept(key: str) -> tuple[str, Kept] | None:
    """The name of what the browser has kept, and what it is; None if it was not told with this."""
    typed = st.session_state[key].edited
    if typed is None or not typed.get("kept"):
        return None
    items = {
        str(item): {str(part): _cells(grids) for part, grids in parts.items()}
        for item, parts in typed["kept"]["items"].items()
    }
    return str(typed["kept"]["set"]), items


def cleared(key: str) -> str:
    """The name of what was cleared in the browser; blank if nothing was."""
    typed = st.session_state[key].edited
    return "" if typed is None else str(typed.get("cleared") or "")


def _cells(grids: Mapping[str, Any]) -> dict[str, Cells]:
    """Text by rows and by grid; no more of it than a grid holds."""
    return {
        str(name): [[clean(str(cell)) for cell in row[:MAX_SIZE]] for row in grid[:MAX_SIZE]]
        for name, grid in grids.items()
    }


def _version(key: str) -> str:
    return f"{key}_version"
